/** The text of a file (scripts/bundles.mjs). */
declare module '*?raw' {
  const text: string;
  export default text;
}
