import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Hono, type Context } from 'hono';
import * as v from 'valibot';
import type { Control } from '../types.ts';
import { ownPagesOnly } from '../http/middleware.ts';
import { ApiProblem, refusal } from '../http/problem.ts';
import { randomToken, sha256 } from '../random.ts';
import { decodeBody, readBytes } from '../http/request-body.ts';
import { checked } from '../http/validate.ts';
import type { SandboxEnv, World } from '../world.ts';
import { PAGE_PATH, TOKEN_FIELD } from './controls.ts';
import { documentHeaders, renderDocument } from './document.ts';
import style from './page.css?raw';
import script from './page.js?raw';
import { PageReader } from './view.ts';

/** Largest form of the page (bytes). */
const MAX_FORM_BYTES = 16 * 1024;

const fields = v.object({ spec: v.optional(v.string(), '') });
type FormFields = v.InferOutput<typeof fields>;

/** The actions of the page's buttons. Each returns a sentence about its effect. */
const ACTIONS: Readonly<Record<string, (control: Control, fields: FormFields) => string>> = {
  'add-fault': (control, { spec }) => {
    control.addFaults(spec);
    return `Added the fault ${spec.trim()}.`;
  },
  'remove-fault': (control, { spec }) => {
    control.clearFaults(spec);
    return `Removed the fault ${spec}.`;
  },
};

/** Returns `GET /`, and the page's own endpoints under {@link PAGE_PATH}. None is logged, and no fault hits them. */
export function pageRoutes(world: World, control: Control): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  const reader = new PageReader(world);
  const token = randomToken('sbx_page_');
  app.get('/', async (c) => {
    const { origin } = new URL(c.req.url);
    if (!(c.req.header('accept') ?? '').includes('text/html')) {
      return c.json(description(world, origin), 200, { vary: 'accept' });
    }
    const view = await reader.read(origin, token, c.req.query());
    const nonce = randomBytes(16).toString('base64');
    return await c.html(renderDocument(view, nonce), 200, documentHeaders(nonce));
  });
  app.use(`${PAGE_PATH}/*`, ownPagesOnly());
  app.get(`${PAGE_PATH}/page.css`, (c) => c.body(style, 200, asset('text/css')));
  app.get(`${PAGE_PATH}/page.js`, (c) => c.body(script, 200, asset('text/javascript')));
  app.get(`${PAGE_PATH}/changes`, (c) => c.body(String(world.changes), 200, asset('text/plain')));
  app.post(`${PAGE_PATH}/:action`, async (c) => {
    const name = c.req.param('action');
    const act = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (act === undefined) throw refusal(404, 'No such action');
    const message = act(control, await formOf(c, token));
    world.changes += 1;
    const wantsJson = (c.req.header('accept') ?? '').includes('application/json');
    return wantsJson ? c.json({ message }) : c.redirect(`/${searchOfReferer(c)}`, 303);
  });
  return app;
}

/** What `GET /` answers to programs. */
function description({ version, settings }: World, origin: string) {
  return {
    name: 'athlete-sync sandbox',
    version,
    platform: settings.current.platform,
    links: {
      page: `${origin}/`,
      authorize: `${origin}/api/oauth/authorize`,
      token: `${origin}/api/oauth/token`,
      control: `${origin}/_sandbox`,
      state: `${origin}/_sandbox/state`,
      requests: `${origin}/_sandbox/requests`,
    },
  };
}

function asset(type: string): Record<string, string> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  };
}

/**
 * Reads the form of an action.
 * @throws Problem 403 without the page's token; 400, 413, 415
 */
async function formOf(c: Context<SandboxEnv>, token: string): Promise<FormFields> {
  const body = await decodeBody(
    c.req.header('content-type') ?? '',
    await readBytes(c, MAX_FORM_BYTES),
  );
  if (body.kind !== 'form') throw new ApiProblem(415, 'The page sends forms only');
  const given = body.fields.get(TOKEN_FIELD) ?? '';
  if (!timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token)))) {
    throw new ApiProblem(403, 'The page is out of date: reload it');
  }
  return checked(fields, Object.fromEntries(body.fields), 'form');
}

/** Returns the query of the page that sent a form, so that it shows the same athlete again. */
function searchOfReferer(c: Context<SandboxEnv>): string {
  const referer = c.req.header('referer') ?? '';
  if (!URL.canParse(referer)) return '';
  const { origin, pathname, search } = new URL(referer);
  return origin === new URL(c.req.url).origin && pathname === '/' ? search : '';
}
