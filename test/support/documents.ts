import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Reads a text file of the project, such as `docs/ci.md`. */
export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export interface CodeBlock {
  /** The word after the three backticks. */
  readonly language: string;
  /** Line number in the document, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns the fenced blocks of a document, in order. */
export function codeBlocks(document: string): CodeBlock[] {
  const lines = document.split('\n');
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at++) {
    const language = /^```(\w*)$/.exec(lines[at] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at + 1);
    if (end === -1) throw new Error(`line ${at + 1}: a code block without an end`);
    blocks.push({ language, line: at + 2, text: lines.slice(at + 1, end).join('\n') });
    at = end;
  }
  return blocks;
}

/** Returns a document without its fenced blocks. */
export function withoutBlocks(document: string): string {
  return document.replace(/^```[^]*?^```$/gm, '');
}

/** Returns the rows of the table with this title of the first column; cells as Markdown. */
export function tableRows(document: string, firstColumn: string): string[][] {
  const lines = document.split('\n');
  const cells = (line: string) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
  const head = lines.findIndex((line) => line.startsWith('|') && cells(line)[0] === firstColumn);
  if (head === -1) throw new Error(`no table that begins with ${firstColumn}`);
  const rows: string[][] = [];
  for (let at = head + 2; lines[at]?.startsWith('|') === true; at++)
    rows.push(cells(lines[at] ?? ''));
  return rows;
}

/** Returns the texts between backticks. */
export function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
