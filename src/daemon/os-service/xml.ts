/**
 * Text as XML 1.0 has it, for content and for attributes.
 * @throws Error for what XML cannot say at all: control characters, and halves of characters
 */
export function xmlText(text: string): string {
  // XML 1.0, production 2 (Char).
  // eslint-disable-next-line no-control-regex
  const bad = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.exec(text)?.[0];
  if (bad !== undefined) {
    const code = bad.charCodeAt(0).toString(16).padStart(4, '0');
    throw new Error(`has a character that cannot be written there (U+${code.toUpperCase()})`);
  }
  return text.replace(/[&<>"'\r\n\t]/g, (char) => ENTITIES[char] ?? `&#${char.charCodeAt(0)};`);
}

// Bare, a carriage return would be read as a line feed: those go as numbers.
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
