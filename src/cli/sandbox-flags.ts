import type { Command } from 'commander';
import { REVISION_NAMES } from '../sandbox/revisions.ts';
import { choice, collect } from './declaration.ts';

/** The knobs of the sandbox: docs/sandbox.md says what each is there for. */
export function sandboxFlags(command: Command): void {
  command
    .addOption(
      choice('--revision <name>', 'deployed revision to play (default: the newest)', [
        ...REVISION_NAMES,
      ]),
    )
    .addOption(
      choice('--nutrition <mode>', 'a day sent again', ['append', 'replace-source', 'replace']),
    )
    .addOption(choice('--nutrition-list <what>', 'GET /api/nutrition', ['dates', 'limit', 'none']))
    .option('--nutrition-edits', 'with PATCH /api/nutrition/DATE/items')
    .option('--no-nutrition-edits', 'without PATCH /api/nutrition/DATE/items')
    .option('--unknown-scope <scope>', 'a scope it does not know; may be repeated', collect, [])
    .option('--strict', 'explain mistakes instead of being faithful', false)
    .option('--port <n>', 'port to listen on; 0: any')
    .option('--data <dir>', 'keep its data there (default: in memory)')
    .option('--auto-approve', 'approve logins without asking', false)
    .option('--athlete <id>', 'whom --auto-approve logs in')
    .option('--rotate', 'a refresh replaces the refresh token')
    .option('--no-rotate', 'a refresh keeps the refresh token')
    .option('--omit-refresh-token', 'a refresh answers without a refresh token')
    .option('--revoke-on-reuse', 'a rotated token that is used again ends the login')
    .option('--access-ttl <seconds>', 'lifetime of access tokens')
    .option('--refresh-ttl <seconds>', 'lifetime of refresh tokens')
    .option('--announce-refresh-ttl', 'token answers with refresh_token_expires_in')
    .option('--no-announce-refresh-ttl', 'token answers without it')
    .option('--upload-items', 'upload answers with items')
    .option('--no-upload-items', 'upload answers without items')
    .option('--success-false', '200 with success: false for all that is sent')
    .option('--exact-redirect-uris', 'compare redirect URIs letter by letter (default)')
    .option('--no-exact-redirect-uris', 'take loopback redirect URIs on any port')
    .option('--redirect-uri <uri>', 'register one more; may be repeated', collect, [])
    .option('--grant-scope <scopes>', 'grant these at most, in quotes')
    .option('--rate-limit <n>', 'requests a minute for a token, then 429')
    .option('--address-rate-limit <n>', 'the same for an address, without a token')
    .option('--discard-bytes', 'keep hashes of uploads, not their bytes')
    .option('--fault <spec>', "misbehave, such as 'upload-fit:503*2'; may be repeated", collect, [])
    .option('--set <name=value>', 'any setting; may be repeated', collect, []);
}
