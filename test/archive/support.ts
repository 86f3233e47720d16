import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Archives, type UnreadableFile } from '../../src/archive/archives.ts';
import { UNPACK_LIMITS, type UnpackLimits } from '../../src/archive/budget.ts';
import { ArchiveFault } from '../../src/archive/fault.ts';
import { scratchDir } from '../support/scratch-dir.ts';

export { scratchDir };

export interface ReadMember {
  readonly path: string;
  readonly size: number;
  readonly text: string;
}
export type Read = ReadMember | UnreadableFile;

/** Opens `a.zip` with these bytes. */
export function openArchive(bytes: Uint8Array, limits: Partial<UnpackLimits> = {}) {
  const dir = scratchDir();
  const temp = scratchDir();
  const absolute = join(dir, 'a.zip');
  writeFileSync(absolute, bytes);
  const stop = new AbortController();
  const archives = new Archives(stop.signal, temp, { ...UNPACK_LIMITS, ...limits });
  onTestFinished(() => archives.close());
  return {
    archives,
    absolute,
    stop,
    temp,
    members: () => archives.members('a.zip', absolute),
    tempFiles: () => readdirSync(temp),
    /** Reads every member to its end. */
    async readAll(): Promise<Read[]> {
      const all: Read[] = [];
      for await (const member of archives.members('a.zip', absolute)) {
        if ('problem' in member) {
          all.push(member);
          continue;
        }
        const { path, size } = member;
        const text = await textOf(member.read()).catch((error: unknown) => {
          if (error instanceof ArchiveFault) return error;
          throw error;
        });
        if (typeof text === 'string') all.push({ path, size, text });
        else all.push({ path, problem: text.message, reason: text.reason });
      }
      return all;
    },
  };
}

export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}
