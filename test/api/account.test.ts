import { expect, it } from 'vitest';
import { createNodeHttp } from '../../src/api/node-http.ts';
import { whoAmI } from '../../src/api/account.ts';
import { RETRIES } from '../../src/api/retry.ts';
import { Secret } from '../../src/base/secret.ts';
import { listen } from '../api/support.ts';
import { testContext } from '../support/context.ts';

it('is known without the token, if the platform repeats that in a name', async () => {
  const server = await listen((_request, response) => {
    response.end(JSON.stringify({ sub: '7', name: ' Ann\u001b s3cret ', email: ['s3cret'] }));
  });
  const http = createNodeHttp(1);
  const url = new URL(server.url);
  const options = { http, userinfo: url, workouts: url, policy: RETRIES.answer };
  expect(await whoAmI(testContext(), options, new Secret('s3cret'))).toEqual({
    kind: 'known',
    wasTaken: true,
    account: { id: '7', name: 'Ann [redacted]', email: undefined },
  });
  await http.close();
});

it('is unknown for now if the platform refuses to say it, and the error says what to do', async () => {
  const server = await listen(({ url }, response) => {
    response.statusCode = url === '/' ? 401 : 404;
    response.end();
  });
  const http = createNodeHttp(1);
  const url = new URL(server.url);
  const workouts = new URL('/workouts', url);
  const options = { http, userinfo: url, workouts, policy: RETRIES.answer };
  const answer = await whoAmI(testContext(), options, new Secret('s3cret'));
  const hint = 'Try again later; the same command continues.';
  expect(answer).toMatchObject({ kind: 'unreachable', error: { hint } });
  await http.close();
});

it.each([
  [404, 204, true],
  [204, 204, false],
  [404, 200, false],
])('takes userinfo %i and empty workouts %i as an accepted token: %s', async (...given) => {
  const [userinfo, workouts, wasTaken] = given;
  const server = await listen(({ url }, response) => {
    response.writeHead(url === '/' ? userinfo : workouts).end();
  });
  const http = createNodeHttp(1);
  const url = new URL(server.url);
  const addresses = { userinfo: url, workouts: new URL('/workouts', url) };
  const options = { http, ...addresses, policy: RETRIES.answer, needsProof: true };
  expect(await whoAmI(testContext(), options, new Secret('s3cret'))).toEqual({
    kind: 'unknown',
    wasTaken,
  });
  await http.close();
});
