import { existsSync } from 'node:fs';
import { PROGRAM } from './program.ts';

/** Runs once, before tests of the built program. @throws if it was not built */
export default function requireBuiltProgram(): void {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Run npm run build first.`);
}
