import { SETTINGS } from '../../config/settings.ts';
import { SOURCES } from '../../records/sources/all.ts';
import type { CompletionList } from './complete.ts';

/** A word that a shell offers, with its meaning for shells that show one. */
export interface Word {
  readonly word: string;
  readonly about: string;
}

export interface Values {
  readonly words: readonly Word[];
  /** Files (with the folders that lead to them), or folders alone. */
  readonly paths?: 'files' | 'folders';
  readonly list?: CompletionList;
}

/** By the placeholder of the value: `<dir>`, `[dir...]`, `<file|date>`. */
const BY_PLACEHOLDER: Readonly<Record<string, Values>> = {
  path: { words: [], paths: 'files' },
  file: { words: [], paths: 'files' },
  dir: { words: [], paths: 'folders' },
  date: {
    words: [
      { word: 'today', about: 'this day' },
      { word: 'yesterday', about: 'the day before' },
      { word: '7d', about: 'seven days back' },
    ],
  },
  profile: { words: [], list: 'profiles' },
  zone: { words: [], list: 'zones' },
  key: { words: Object.entries(SETTINGS).map(([word, { about }]) => ({ word, about })) },
  value: { words: [], list: 'setting-values' },
  source: { words: SOURCES.map(({ name, title }) => ({ word: name, about: title })) },
};

/** Returns what a shell offers for a placeholder: nothing if any text will do. */
export function valuesOf(placeholder: string): Values {
  const kinds = placeholder.split('|').flatMap((kind) => BY_PLACEHOLDER[kind] ?? []);
  return Object.assign({}, ...kinds, { words: kinds.flatMap(({ words }) => words) }) as Values;
}
