import { complete, perform } from '../completion.ts';
import { ERRAND_NAMES, prepare } from '../errands.ts';
import { type Stranger, answerBytes, openGateway, openStranger } from '../gateway.ts';
import { type Round, torture } from '../kind.ts';
import { openSceneBehind } from '../scene.ts';

const SCENES = 4;

torture({
  name: 'redirect',
  title: 'answers that send the program to another origin, tokens expired or not',
  rounds: { short: 6, full: 60 },
  run: async (round) => {
    const stranger = await openStranger();
    for (let scene = 0; scene < SCENES; scene++) await redirect(round, stranger);
    for (const heard of stranger.heard())
      round.failed('wrong report', `another origin got ${heard}`);
  },
});

async function redirect(round: Round, { port }: Stranger): Promise<void> {
  const { random } = round;
  const { scene, line: gateway } = await openSceneBehind(round, openGateway, {
    // Elsewhere any success is believed.
    platform: 'coach-watts',
    stated: true,
  });
  const job = await prepare(random.pick(ERRAND_NAMES), scene, random);
  const status = random.pick([300, 301, 302, 303, 305, 307, 308, 200, 201, 401, 503]);
  const location = random.pick(addresses(port, gateway.url));
  const headers = {
    Location: location,
    Refresh: `0; url=${location}`,
    Link: `<${location}>; rel="canonical"`,
    'Content-Location': location,
    'Alt-Svc': `h2="127.0.0.1:${port}"; ma=86400`,
    'Set-Cookie': 'session=1; Path=/',
    'WWW-Authenticate': `Bearer realm="${location}", resource_metadata="${location}"`,
  };
  const which = random.pick(['/api', '/api/oauth/token', '/api/oauth/userinfo']);
  const acts = random.chance(0.3);
  const expires = random.chance(0.6);
  let left = random.pick([1, 3, Infinity]);
  round.note(`${which} ${status} ${location} ${left} times, ${acts ? 'acts' : 'does not act'}`);
  if (expires) scene.world.sandbox.control.expire();
  gateway.replace(({ path }) => {
    if (!path.startsWith(which) || left <= 0) return undefined;
    left--;
    return { acts, answer: () => answerBytes(status, headers, '{"moved":true}') };
  });
  await perform(scene, job);
  if (gateway.settle() > 0) round.count('faulted runs');
  gateway.replace(undefined);
  // The kind `refresh` judges whether a login had to be lost.
  const { code } = await scene.run(['profile']);
  if (code !== 4) await complete(scene, [job]);
}

/** Addresses of the stranger, in any spelling; one is on the service's own origin. */
function addresses(port: number, own: string): [string, ...string[]] {
  return [
    `http://127.0.0.1:${port}/api/workouts/upload-fit`,
    `http://localhost:${port}/api/oauth/token`,
    `//127.0.0.1:${port}/api/wellness`,
    `http://127.0.0.1@127.0.0.1:${port}/`,
    `http://[::1]:${port}/`,
    `http://2130706433:${port}/`,
    `${own}@127.0.0.1:${port}/`,
    `${own}/elsewhere`,
    '/elsewhere',
    '',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ];
}
