import { existsSync } from 'node:fs';
import { systemConfigFile } from '../../src/config/paths.ts';
import { PROGRAM } from './program.ts';

/**
 * Runs once, before tests of the built program.
 *
 * @throws Error if it was not built, or if this machine's own configuration would change what it does
 */
export default function requireBuiltProgram(): void {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing. Run npm run build first.`);
  const preset = systemConfigFile(process.env, process.platform);
  if (existsSync(preset)) throw new Error(`${preset} applies to every run. Move it away first.`);
}
