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
