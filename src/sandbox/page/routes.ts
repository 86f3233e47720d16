import { Hono } from 'hono';
import { ownPagesOnly } from '../http/middleware.ts';
import type { SandboxEnv } from '../platform.ts';
import type { World } from '../world.ts';
import { randomToken, sha256 } from '../random.ts';
import { PAGE_PATH } from './controls.ts';
import { documentHeaders, renderDocument } from './document.ts';
import style from './page.css?raw';
import script from './page.js?raw';
import { pageReader } from './view.ts';

/** Returns `GET /`, and the page's own endpoints under {@link PAGE_PATH}. None is logged, and no fault hits them. */
export function pageRoutes(world: World): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  const read = pageReader(world);
  app.get('/', async (c) => {
    const { origin } = new URL(c.req.url);
    if (!(c.req.header('accept') ?? '').includes('text/html')) {
      return c.json(description(world, origin), 200, { vary: 'accept' });
    }
    const view = await read(origin, c.req.query('athlete'));
    const nonce = randomToken('');
    const page = String(await renderDocument(view, nonce));
    // Each answer has another nonce.
    const etag = `"${sha256(page.replaceAll(nonce, ''))}"`;
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, { etag });
    return c.html(page, 200, { ...documentHeaders(nonce), etag });
  });
  app.use(`${PAGE_PATH}/*`, ownPagesOnly());
  app.get(`${PAGE_PATH}/page.css`, (c) => c.body(style, 200, asset('text/css')));
  app.get(`${PAGE_PATH}/page.js`, (c) => c.body(script, 200, asset('text/javascript')));
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
