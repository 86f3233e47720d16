import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, openssl, startProxy } from '../api/support.ts';
import { startSync } from '../support/program.ts';
import { openHome } from '../support/world.ts';

const TOKEN = 'tok-en-for-the-right-service';
const NAMES = 'IP:127.0.0.1,DNS:service.test';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sync-authority-'));
  if (openssl.present) makeAuthority('ca');
});
afterAll(() => rmSync(dir, { recursive: true }));

function run(...args: string[]): void {
  execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function makeAuthority(name: string): void {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
  run('req', '-x509', ...NEW_KEY, '-days', '2', '-subj', `/CN=${name}`, ...files);
}

interface CertificateOptions {
  readonly names?: string;
  /** Whole days, both ends in YYYYMMDD000000Z; default: valid now. */
  readonly validity?: readonly [from: string, to: string];
  readonly authority?: string;
}

/** Makes a certificate that `authority` signs. */
function certificate({
  names = NAMES,
  validity = ['20250101000000Z', '20990101000000Z'],
  authority = 'ca',
}: CertificateOptions = {}): { key: string; cert: string } {
  const [from, to] = validity;
  run('req', ...NEW_KEY, '-subj', '/CN=leaf', '-keyout', 'leaf.key', '-out', 'leaf.csr');
  writeFileSync(
    join(dir, 'ca.cnf'),
    `[ca]\ndefault_ca = own\n[own]\ndatabase = index\nserial = serial\nnew_certs_dir = .\n` +
      `default_md = sha256\npolicy = any\nunique_subject = no\nx509_extensions = leaf\n` +
      `[any]\ncommonName = supplied\n[leaf]\nsubjectAltName = ${names}\n`,
  );
  writeFileSync(join(dir, 'index'), '');
  writeFileSync(join(dir, 'serial'), '01\n');
  const signer = ['-cert', `${authority}.pem`, '-keyfile', `${authority}.key`];
  const dates = ['-startdate', from, '-enddate', to];
  const files = ['-in', 'leaf.csr', '-out', 'leaf.pem', '-notext'];
  run('ca', '-batch', '-config', 'ca.cnf', ...signer, ...dates, ...files);
  const read = (name: string) => readFileSync(join(dir, name), 'utf8');
  return { key: read('leaf.key'), cert: read('leaf.pem') };
}

/** Runs `sync workouts` at a service with this certificate. */
async function visit(way: 'directly' | 'through a proxy', tls: ServerOptions) {
  const service = await listen(
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    },
    { tls: tls as { key: string; cert: string } },
  );
  const proxy =
    way === 'directly' ? undefined : await startProxy({ names: { 'service.test': service.port } });
  const env =
    proxy === undefined
      ? { SYNC_BASE_URL: service.url.origin }
      : { SYNC_BASE_URL: 'https://service.test', HTTPS_PROXY: proxy.url };
  const home = openHome({ ...env, NODE_EXTRA_CA_CERTS: join(dir, 'ca.pem') });
  const variables = { SYNC_ACCESS_TOKEN: TOKEN, SYNC_CLIENT_ID: 'c' };
  const { code, stderr } = await startSync(['workouts'], { home, env: variables }).finished;
  const bearers = service.requests.map(({ headers }) => headers.authorization);
  return { code, stderr, bearers, proxy };
}

const FAULTS: readonly (readonly [string, () => ServerOptions, RegExp])[] = [
  [
    'the certificate has expired',
    () => certificate({ validity: ['20200101000000Z', '20210101000000Z'] }),
    /certificate has expired/,
  ],
  [
    'the certificate is not valid yet',
    () => certificate({ validity: ['20980101000000Z', '20990101000000Z'] }),
    /certificate is not valid yet/,
  ],
  [
    'the certificate is for another name',
    () => certificate({ names: 'DNS:other.test' }),
    /certificate is for another name/,
  ],
  [
    'the certificate is from an unknown authority',
    () => {
      makeAuthority('stranger');
      return certificate({ authority: 'stranger' });
    },
    /certificate is not trusted here/,
  ],
  [
    'the service speaks only TLS 1.1',
    () => ({
      ...certificate(),
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    }),
    /does not speak TLS there, or only a version that Node.js refuses/,
  ],
];

describe.runIf(openssl.present).each(['directly', 'through a proxy'] as const)(
  `a request over TLS, sent %s${openssl.note}`,
  (way) => {
    it('reaches a service whose certificate is valid, with the token', async () => {
      const { code, bearers, proxy } = await visit(way, certificate());
      expect({ code, bearers }).toEqual({ code: 0, bearers: [`Bearer ${TOKEN}`] });
      // All that a proxy can read.
      expect(proxy?.tunnels ?? []).toEqual(way === 'directly' ? [] : ['service.test:443']);
      expect(JSON.stringify(proxy?.headers ?? [])).not.toContain(TOKEN);
    });

    it.each(FAULTS)('sends nothing if %s', async (_fault, tls, message) => {
      const { code, stderr, bearers } = await visit(way, tls());
      expect(bearers).toEqual([]);
      expect(code).toBe(5);
      expect(stderr.replace(/\s+/g, ' ')).toMatch(message);
      expect(stderr).not.toContain(TOKEN);
    });
  },
);
