import { expect, it, onTestFinished } from 'vitest';
import { createNodeHttp } from '../../src/api/node-http.ts';
import { whoAmI } from '../../src/api/account.ts';
import { RETRIES } from '../../src/api/retry.ts';
import { Secret } from '../../src/base/secret.ts';
import { listen } from './support.ts';
import { testContext } from '../support/context.ts';

/** Asks a platform for the owner of a token. */
async function ask(answer: Parameters<typeof listen>[0], needsProof = false) {
  const { url } = await listen(answer);
  const http = createNodeHttp(1);
  onTestFinished(() => http.close());
  const addresses = { userinfo: url, workouts: new URL('/workouts', url) };
  const options = { http, ...addresses, policy: RETRIES.answer, needsProof };
  return await whoAmI(testContext(), options, new Secret('s3cret'));
}

it('is known without the token, if the platform repeats that in a name', async () => {
  const body = { sub: '7', name: ' Ann\u001b s3cret ', email: ['s3cret'] };
  const answer = await ask((_request, response) => void response.end(JSON.stringify(body)));
  expect(answer).toEqual({
    kind: 'known',
    wasTaken: true,
    account: { id: '7', name: 'Ann [redacted]', email: undefined },
  });
});

it('is unknown if the platform repeats the token as the identifier', async () => {
  const answer = await ask(
    (_request, response) => void response.end('{"sub":"user-s3\\u0063ret"}'),
  );
  expect(answer).toEqual({ kind: 'unknown', wasTaken: false });
});

it('is unknown for now if the platform refuses to say it, and the error says what to do', async () => {
  const answer = await ask(({ url }, response) => {
    response.writeHead(url === '/' ? 401 : 404).end();
  });
  const hint = 'Try again later; the same command continues.';
  expect(answer).toMatchObject({ kind: 'unreachable', error: { hint } });
});

it.each([
  [404, 204, true],
  [204, 204, false],
  [404, 200, false],
])('takes userinfo %i and empty workouts %i as an accepted token: %s', async (...given) => {
  const [userinfo, workouts, wasTaken] = given;
  const answer = await ask(({ url }, response) => {
    response.writeHead(url === '/' ? userinfo : workouts).end();
  }, true);
  expect(answer).toEqual({ kind: 'unknown', wasTaken });
});
