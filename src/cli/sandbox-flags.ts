import type { Command } from 'commander';
import { choice, collect } from './declaration.ts';

/** The knobs of the sandbox: docs/sandbox.md says what each is there for. */
export function sandboxFlags(command: Command): void {
  command
    .option('--port <n>', 'port to listen on; 0: any')
    .option('--data <dir>', 'keep its data there (default: in memory)')
    .option('--auto-approve', 'approve logins without asking', false)
    .option('--athlete <id>', 'whom --auto-approve logs in')
    .option('--rotate', 'a refresh replaces the refresh token (default)')
    .option('--no-rotate', 'a refresh keeps the refresh token')
    .option('--omit-refresh-token', 'a refresh answers without a refresh token')
    .option('--no-revoke-on-reuse', 'a rotated token that is used again ends nothing')
    .option('--access-ttl <seconds>', 'lifetime of access tokens')
    .option('--refresh-ttl <seconds>', 'lifetime of refresh tokens')
    .option('--no-announce-refresh-ttl', 'token answers without refresh_token_expires_in')
    .addOption(choice('--nutrition <mode>', 'a day sent again', ['replace', 'append']))
    .option('--no-upload-items', 'upload answers without items, as older services')
    .option('--success-false', '200 with success: false for all that is sent')
    .option('--exact-redirect-uris', 'compare redirect URIs letter by letter (default)')
    .option('--no-exact-redirect-uris', 'take loopback redirect URIs on any port')
    .option('--redirect-uri <uri>', 'register one more; may be repeated', collect, [])
    .option('--grant-scope <scopes>', 'grant these at most, in quotes')
    .option('--rate-limit <n>', 'requests a minute for a token, then 429')
    .option('--address-rate-limit <n>', 'the same for an address, without a token')
    .option('--discard-bytes', 'keep hashes of uploads, not their bytes')
    .option(
      '--fault <spec>',
      "misbehave, such as 'upload-fit:503*2'; may be repeated",
      collect,
      [],
    );
}
