import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { scratchDir } from '../support/scratch-dir.ts';

const signature = (await import(
  pathToFileURL(resolve('scripts/standalone/signature.mjs')).href
)) as {
  readonly signedText: (
    document: Buffer,
    keys: Buffer,
    scratch: string,
    releasers?: readonly string[],
  ) => string;
};

const missing = ['gpg', 'gpgv'].filter(
  (tool) => spawnSync(tool, ['--version']).error !== undefined,
);
const note = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')} here)`;

it.skipIf(missing.length > 0)(
  `takes the checksums of Node.js only with the signature of a releaser${note}`,
  () => {
    const home = scratchDir();
    const gpg = (args: readonly string[], input = '') =>
      execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', ...args], {
        input,
        stdio: 'pipe',
      });
    try {
      gpg(['--passphrase', '', '--quick-gen-key', 'releaser@example.org', 'ed25519', 'sign']);
      const listed = gpg(['--with-colons', '--list-keys']).toString();
      const [, key = ''] = /^fpr:+([0-9A-F]{40}):/m.exec(listed) ?? [];
      const keys = gpg(['--export']);
      const signed = gpg(['--clear-sign'], 'abc  node.tar.gz\n').toString();
      const read = (document: string, releasers?: readonly string[]) =>
        signature.signedText(Buffer.from(document), keys, scratchDir(), releasers);
      expect(read(signed, [key])).toBe('abc  node.tar.gz\n');
      expect(() => read(signed)).toThrow('No key of a Node.js releaser');
      expect(() => read(signed.replace('abc', 'abd'), [key])).toThrow(
        'No key of a Node.js releaser',
      );
      expect(() => read('abc  node.tar.gz\n', [key])).toThrow('No key of a Node.js releaser');
    } finally {
      spawnSync('gpgconf', ['--homedir', home, '--kill', 'gpg-agent']);
    }
  },
);
