import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Sets the modes of everything in a folder, whatever the umask of the build is. */
export function setModes(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = join(entry.parentPath, entry.name);
    chmodSync(file, entry.isDirectory() || isProgram(file) ? 0o755 : 0o644);
  }
}

/** The launchers and Node.js. */
function isProgram(file) {
  return /[\\/](bin[\\/](athlete-)?sync(\.cmd)?|node(\.exe)?)$/.test(file);
}
