import { SyncError, messageOf, systemCode } from '../base/errors.ts';
import { JsonTooDeep, isObject, parseJson } from '../base/json.ts';
import type { Text } from '../base/phrase.ts';
import { readPlainFile } from '../system/plain-file.ts';

/**
 * Reads a JSON file that people edit; undefined if there is none.
 *
 * @param hint how to fix a file that is not JSON
 * @throws SyncError `CONFIG` that names the file and, if it is not JSON, the line
 */
export function readJsonFile(path: string, hint: Text) {
  let text: string;
  try {
    text = readPlainFile(path).toString('utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw new SyncError('CONFIG', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  try {
    return { text, value: parseJson(text) };
  } catch (cause) {
    if (cause instanceof JsonTooDeep) {
      throw new SyncError('CONFIG', `${path}: ${cause.message}.`, { cause, hint });
    }
    const message = `${path} is not JSON: ${faultIn(text, cause)}`;
    throw new SyncError('CONFIG', message, { cause, hint });
  }
}

/** Returns the parser's message with a line number instead of a character offset. */
function faultIn(text: string, cause: unknown): string {
  const message = messageOf(cause);
  const at = / in JSON at position (\d+).*$/s.exec(message);
  if (at === null) {
    const early = message.startsWith('Unexpected end');
    return early ? `${message} (line ${text.trimEnd().split('\n').length}).` : `${message}.`;
  }
  const line = text.slice(0, Number(at[1])).split('\n').length;
  return `${message.slice(0, at.index)} in line ${line}.`;
}

/** @throws SyncError `CONFIG` with a message that begins with `where` */
export function asObject(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new SyncError('CONFIG', `${where} is not an object.`);
}
