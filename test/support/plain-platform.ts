import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bufferToFormData } from 'hono/utils/buffer';
import { openServer } from './local-server.ts';
import { openHome, runsIn } from './world.ts';

/**
 * A platform as the interface describes it, and nothing more: the routes of section 4, and 404 for the rest. A
 * nutrition day that is sent again replaces the one before. The interface shows no answers, so they are the
 * test's choice; a request takes effect if its answer is a 2xx.
 */

/** An answer as it stands on the wire: an object is sent as JSON, a text as it is. Default: 200 `{}`. */
export interface PlainAnswer {
  readonly status?: number;
  readonly body?: unknown;
  /** Content-Type; default: JSON for an object, none for a text. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

export interface PlainRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Decoded JSON; of an upload, the texts of its parts, and the file's name; else undefined. */
  readonly body: Fields | undefined;
}

/** The routes with an answer to choose. `unknown`: all that the interface does not name. */
type Route = 'upload' | 'wellness' | 'nutrition' | 'workouts' | 'token' | 'unknown';
type Choice = PlainAnswer | ((request: PlainRequest) => PlainAnswer);

const ROUTES: Readonly<Record<string, Route | 'authorize' | undefined>> = {
  'POST /api/workouts/upload-fit': 'upload',
  'POST /api/wellness': 'wellness',
  'POST /api/nutrition': 'nutrition',
  'GET /api/workouts': 'workouts',
  'GET /api/oauth/authorize': 'authorize',
  'POST /api/oauth/token': 'token',
};

/** Starts a plain platform on a free port; it closes with the test. @param chosen the answers; others may follow */
export async function startPlainPlatform(chosen: Partial<Record<Route, Choice>> = {}) {
  const answers: Partial<Record<Route, Choice>> = { ...chosen };
  const requests: PlainRequest[] = [];
  const recordings = new Map<string, Fields>();
  const wellness = new Map<string, Fields>();
  const nutrition = new Map<string, Fields>();
  const codes = new Map<string, { challenge: string; redirectUri: string; scope: string }>();
  /** Scopes by token. */
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();

  /** Returns a token response (5.3). A refresh rotates the refresh token. */
  const mint = (scope: string) => {
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID() };
    access.set(tokens.access_token, scope);
    refresh.set(tokens.refresh_token, scope);
    return { ...tokens, token_type: 'Bearer', expires_in: 3600, scope };
  };

  const exchange = (fields: Fields): PlainAnswer => {
    const refused = { status: 400, body: { error: 'invalid_grant' } };
    if (fields['grant_type'] === 'refresh_token') {
      const token = String(fields['refresh_token']);
      const scope = refresh.get(token);
      refresh.delete(token);
      return scope === undefined ? refused : { body: mint(scope) };
    }
    const code = codes.get(String(fields['code']));
    codes.delete(String(fields['code']));
    const verifier = createHash('sha256').update(String(fields['code_verifier']));
    const isRight =
      code?.challenge === verifier.digest('base64url') &&
      code.redirectUri === fields['redirect_uri'];
    return isRight ? { body: mint(code.scope) } : refused;
  };

  const authorize = ({ query }: PlainRequest): PlainAnswer => {
    const asked = (name: string) => query.get(name) ?? '';
    const code = randomUUID();
    const redirectUri = asked('redirect_uri');
    codes.set(code, { challenge: asked('code_challenge'), redirectUri, scope: asked('scope') });
    const location = new URL(redirectUri);
    location.search = new URLSearchParams({ code, state: asked('state') }).toString();
    return { status: 302, headers: { location: location.href } };
  };

  const answerOf = (request: PlainRequest): PlainAnswer => {
    const route = ROUTES[`${request.method} ${request.path}`] ?? 'unknown';
    if (route === 'authorize') return authorize(request);
    const choice = answers[route];
    const answer = typeof choice === 'function' ? choice(request) : choice;
    if (route === 'unknown')
      return answer ?? { status: 404, body: 'Not Found', type: 'text/plain' };
    if (route === 'token') return answer ?? exchange(request.body ?? {});
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    return access.has(token) ? (answer ?? {}) : { status: 401 };
  };

  const takeIn = ({ method, path, body = {} }: PlainRequest) => {
    const date = String(body['date']);
    const route = ROUTES[`${method} ${path}`];
    if (route === 'upload') recordings.set(String(body['sha256']), body);
    if (route === 'wellness') wellness.set(date, { ...wellness.get(date), ...body });
    if (route === 'nutrition') nutrition.set(date, body);
  };

  const { url } = await openServer((incoming, response) => {
    void read(incoming).then((request) => {
      requests.push(request);
      const answer = answerOf(request);
      if ((answer.status ?? 200) < 300) takeIn(request);
      send(response, answer);
    });
  });
  return {
    url,
    /** May be changed while it runs. */
    answers,
    /** In order. */
    requests: requests as readonly PlainRequest[],
    clearRequests: () => void requests.splice(0),
    /** `METHOD /path` of each request but those of a login. */
    lines: () =>
      requests
        .filter(({ path }) => !path.startsWith('/api/oauth/'))
        .map(({ method, path }) => `${method} ${path}`),
    /** By SHA-256: the texts of the upload's parts, and the file's name. */
    recordings,
    /** By date, fields merged. */
    wellness,
    /** By date: the last body. */
    nutrition,
    mint,
  };
}

/** The six scopes of the interface (5.2). */
const SCOPES = 'workout:write health:write nutrition:write profile:write profile:read workout:read';

/** Opens a plain platform and a home with a login to it. */
export async function openPlainWorld(chosen: Parameters<typeof startPlainPlatform>[0] = {}) {
  const platform = await startPlainPlatform(chosen);
  const home = openHome({
    SYNC_BASE_URL: platform.url,
    SYNC_CLIENT_ID: 'plain-client',
    SYNC_TOKEN_STORE: 'file',
  });
  const runs = runsIn(home);
  const tokens = platform.mint(SCOPES);
  const run = await runs.sync(['login', '--with-token'], { input: JSON.stringify(tokens) });
  if (run.code !== 0) throw new Error(`login --with-token failed: ${run.stderr}`);
  platform.clearRequests();
  return { platform, tokens, ...runs };
}

async function read(incoming: IncomingMessage): Promise<PlainRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const { method = '', headers } = incoming;
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', 'http://plain');
  const type = headers['content-type'] ?? '';
  const json = type.startsWith('application/json')
    ? (JSON.parse(String(bytes)) as Fields)
    : undefined;
  const body = type.startsWith('multipart/') ? await partsOf(bytes, type) : json;
  return { method, path, query, headers, body };
}

async function partsOf(bytes: Buffer, type: string): Promise<Fields> {
  const parts = await bufferToFormData(new Uint8Array(bytes).buffer, type);
  const fields: Record<string, unknown> = {};
  for (const [name, part] of parts) {
    if (typeof part === 'string') fields[name] = part;
    else {
      const contents = Buffer.from(await part.arrayBuffer());
      fields['filePart'] = name;
      fields['fileName'] = part.name;
      fields['sha256'] = createHash('sha256').update(contents).digest('hex');
    }
  }
  return fields;
}

function send(response: ServerResponse, answer: PlainAnswer): void {
  const { status = 200, body = {}, headers = {} } = answer;
  const isText = typeof body === 'string';
  const type = answer.type ?? (isText || status === 204 ? undefined : 'application/json');
  response.writeHead(status, {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...headers,
  });
  response.end(status === 204 ? '' : isText ? body : JSON.stringify(body));
}
