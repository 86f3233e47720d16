import { endOfString } from './json.ts';

/**
 * Returns the line (from 1) of each element of a list in a text that is known to be JSON.
 *
 * @param member the member of the root object that is the list; without it, the root is
 */
export function elementLines(text: string, member?: string): number[] {
  const listDepth = member === undefined ? 1 : 2;
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let lastString = '';
  let isInList = false;
  let isBeforeElement = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\n') line++;
    if (' \t\r\n'.includes(char)) continue;
    if (isBeforeElement && char !== ']') lines.push(line);
    isBeforeElement = false;
    if (char === '"') {
      const end = endOfString(text, at);
      if (depth === 1) lastString = text.slice(at, end);
      at = end - 1;
    } else if (char === '[' || char === '{') {
      depth++;
      const isList = depth === listDepth && char === '[';
      if (isList && (member === undefined || JSON.parse(lastString) === member)) {
        isInList = true;
        isBeforeElement = true;
      }
    } else if (char === ']' || char === '}') {
      if (isInList && depth === listDepth) return lines;
      depth--;
    } else if (char === ',') isBeforeElement = isInList && depth === listDepth;
  }
  return lines;
}
