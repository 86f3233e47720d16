/** The text of a file (scripts/raw-text.mjs). */
declare module '*?raw' {
  const text: string;
  export default text;
}
