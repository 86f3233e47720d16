// What people signed who release Node.js.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The primary keys of those people, as README.md of github.com/nodejs/release-keys lists them. */
const RELEASERS = [
  '5BE8A3F6C8A5C01D106C0AD820B1A390B168D356',
  'DD792F5973C6DE52C432CBDAC77ABFA00DDBF2B7',
  'CC68F5A3106FF448322E48ED27F5E38D5B0A215F',
  '8FCCA13FEF1D0C2E91008E09770F7A9A5AE15600',
  '890C08DB8579162FEE0DF9DB8BEAB4DFCF555EF4',
  'C82FA3AE1CBEDC6BE46B9360C43CEC45C17AB93C',
  '108F52B48DB57BB0CC439B2997B01419BD92F80A',
  'A363A499291CBBC940DD62E41F10027AF002F8B0',
];

/**
 * Returns the text of a clear-signed document.
 *
 * @param keys a keyring, which is not trusted: only these primary keys count
 * @throws Error if none of them signed it
 */
export function signedText(document, keys, scratch, releasers = RELEASERS) {
  const [ring, file] = [join(scratch, 'keyring.kbx'), join(scratch, 'signed.asc')];
  writeFileSync(ring, keys);
  writeFileSync(file, document);
  const args = ['--keyring', ring, '--status-fd', '2', '--output', '-', file];
  const { status, error, stdout, stderr } = spawnSync('gpgv', args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  // VALIDSIG ends with the fingerprint of the signer's primary key.
  const signers = [...stderr.matchAll(/^\[GNUPG:\] VALIDSIG .* ([0-9A-F]{40})$/gm)];
  if (status !== 0 || !signers.some(([, key]) => releasers.includes(key)))
    throw new Error(`No key of a Node.js releaser signed this: ${stderr}`);
  return stdout;
}
