import { describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/sandbox/http/routes.ts';
import { SCOPES } from '../../src/sandbox/oauth/scopes.ts';
import { platformOf } from '../../src/sandbox/platforms.ts';
import { DEFAULT_SETTINGS } from '../../src/sandbox/settings.ts';
import type { AnsweredRequest } from '../../src/sandbox/types.ts';
import { sharedContract, operationsOf, readContract, type Located } from '../support/contract.ts';
import { bearer, multipart, openApp } from './support.ts';

const contract = readContract();
const isControl = ({ operation }: Located) => operation.tags.includes('Control');
const operations = operationsOf(contract).filter((each) => !isControl(each));
const controlOperations = operationsOf(contract).filter(isControl);
const named = (located: Located) => ({
  name: located.operation.operationId,
  method: located.method.toUpperCase(),
  path: located.path.replaceAll(/\{(\w+)\}/g, ':$1'),
});

/** What the interface document shows; Coach Watts alone is known to have the rest. */
const SHOWN = {
  operations: ['authorize', 'token', 'upload-fit', 'workouts', 'wellness', 'nutrition'],
  answers: ['authorize 302', 'token 200', 'upload-fit 2XX', 'wellness 2XX', 'nutrition 2XX'],
  scopes: 'workout:write health:write nutrition:write profile:write profile:read workout:read',
  parameters:
    'response_type client_id redirect_uri scope state code_challenge code_challenge_method',
  properties: {
    CodeExchange: 'grant_type client_id client_secret code redirect_uri code_verifier',
    Tokens: 'access_token token_type expires_in refresh_token scope refresh_token_expires_in',
    WellnessRecord: 'date hrv restingHr sleepSecs weight vo2max rawJson',
    NutritionRecord: 'date items rawJson',
    SentItem: 'name carbs logged_at absorptionType',
    'upload-fit': 'name metadata',
  } as Readonly<Record<string, string>>,
};

interface Marked {
  readonly 'x-platform'?: unknown;
}

/** Whether only Coach Watts is known to have it. */
function isMarked(value: Marked): boolean {
  return value['x-platform'] === 'coach-watts';
}

/** Returns every `properties` object below a node, with its path. */
function* propertiesBelow(node: unknown, path: string): Generator<[string, string, Marked]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties') {
      for (const [name, property] of Object.entries(value as Record<string, Marked>)) {
        yield [path, name, property];
      }
    }
    yield* propertiesBelow(value, `${path}/${key}`);
  }
}

describe('docs/openapi.yaml', () => {
  it('describes every endpoint of the platform, and no other', () => {
    const described = operations.map(named);
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect(described.sort(byName)).toEqual(
      Object.entries(ROUTES)
        .map(([name, [method, path]]) => ({ name, method, path }))
        .sort(byName),
    );
  });

  it('allows further fields in rows, and null for the meals of a planned day', () => {
    const { schemas } = contract.components;
    const rows = ['Profile', 'Workout', 'WellnessRow', 'StoredItem', 'NutritionRow'];
    for (const row of rows) expect(schemas[row]).not.toHaveProperty('additionalProperties');
    for (const meal of ['breakfast', 'lunch', 'dinner', 'snacks']) {
      const type = `properties.${meal}.type`;
      expect(schemas['NutritionRow']).toHaveProperty(type, ['array', 'null']);
    }
  });

  it('names every scope, and marks each that the interface does not show', () => {
    const { scopes, 'x-platform-scopes': marked } =
      contract.components.securitySchemes.oauth.flows.authorizationCode;
    expect(Object.keys(scopes).sort()).toEqual([...SCOPES].sort());
    const unmarked = Object.keys(scopes).filter((name) => !marked['coach-watts'].includes(name));
    expect(unmarked).toEqual(SHOWN.scopes.split(' '));
    const { scopes: granted } = platformOf({ ...DEFAULT_SETTINGS, platform: 'interface' });
    expect(granted.toSorted()).toEqual(unmarked.toSorted());
  });

  it('marks every answer that the interface does not show', () => {
    const { responses } = contract.components;
    const unmarked = operations.flatMap(({ operation }) =>
      isMarked(operation as Marked)
        ? []
        : Object.entries(operation.responses).flatMap(([status, answer]) => {
            const shared = responses[answer?.$ref?.split('/').at(-1) ?? ''];
            const isShown = !isMarked(shared ?? answer ?? {});
            return isShown ? [`${operation.operationId} ${status}`] : [];
          }),
    );
    expect(unmarked.sort()).toEqual(SHOWN.answers.toSorted());
  });

  it('marks every operation and parameter that the interface does not show', () => {
    const unmarked = operations.flatMap(({ operation }) => [
      ...(isMarked(operation as Marked) ? [] : [operation.operationId]),
      ...(operation.parameters ?? []).flatMap((parameter) =>
        isMarked(parameter as Marked) ? [] : [parameter.name],
      ),
    ]);
    expect(unmarked.sort()).toEqual([...SHOWN.operations, ...SHOWN.parameters.split(' ')].sort());
  });

  it('marks every field that the interface does not show', () => {
    const unmarked: Record<string, string[]> = {};
    for (const [path, name, property] of propertiesBelow(contract, '')) {
      if (isMarked(property) || path.startsWith('/components/schemas/Sandbox')) continue;
      const owner = /schemas\/(\w+)/.exec(path)?.[1] ?? /upload-fit/.exec(path)?.[0] ?? path;
      (unmarked[owner] ??= []).push(name);
    }
    const shown = Object.entries(SHOWN.properties).map(([owner, names]) => [
      owner,
      names.split(' ').sort(),
    ]);
    for (const names of Object.values(unmarked)) names.sort();
    expect(unmarked).toEqual(Object.fromEntries(shown));
  });
});

describe('the control endpoints in docs/openapi.yaml', () => {
  it('are all of them, and no other', async () => {
    const { endpoints } = (await (await openApp().app.request('/_sandbox')).json()) as {
      endpoints: object;
    };
    const described = controlOperations.map(named).map(({ method, path }) => `${method} ${path}`);
    expect(described.sort()).toEqual(['GET /', 'GET /_sandbox', ...Object.keys(endpoints)].sort());
  });

  it('list every setting', () => {
    const { SandboxSettings: settings } = (
      contract.components as unknown as {
        schemas: Record<string, { properties: object } | undefined>;
      }
    ).schemas;
    expect(Object.keys(settings?.properties ?? {}).sort()).toEqual(
      Object.keys(DEFAULT_SETTINGS).sort(),
    );
  });

  it.each([
    ['describeSandbox', 200, 'GET', '/'],
    ['listControlEndpoints', 200, 'GET', '/_sandbox'],
    ['readState', 200, 'GET', '/_sandbox/state'],
    ['readState', 404, 'GET', '/_sandbox/state?athlete=x'],
    ['clearState', 204, 'DELETE', '/_sandbox/state'],
    ['readRecording', 404, 'GET', '/_sandbox/recordings/x'],
    ['listRequests', 200, 'GET', '/_sandbox/requests'],
    ['clearRequests', 204, 'DELETE', '/_sandbox/requests'],
    ['readRequest', 200, 'GET', '/_sandbox/requests/1'],
    ['readRequest', 404, 'GET', '/_sandbox/requests/99'],
    ['processRecordings', 204, 'POST', '/_sandbox/process', { outcome: 'none' }],
    ['processRecordings', 404, 'POST', '/_sandbox/process', { sha256: 'x' }],
    [
      'addFood',
      200,
      'POST',
      '/_sandbox/foods',
      { date: '2026-02-15', meal: 'lunch', item: { name: 'Soup', logged_at: '2026-02-15T12:00Z' } },
    ],
    ['addFood', 400, 'POST', '/_sandbox/foods', {}],
    ['editFood', 404, 'PATCH', '/_sandbox/foods/x', { name: 'Tea' }],
    ['removeFood', 404, 'DELETE', '/_sandbox/foods/x'],
    ['readSettings', 200, 'GET', '/_sandbox/settings'],
    ['changeSettings', 200, 'POST', '/_sandbox/settings', { platform: 'interface' }],
    ['changeSettings', 400, 'POST', '/_sandbox/settings', { colour: 'red' }],
    ['listFaults', 200, 'GET', '/_sandbox/faults'],
    ['addFaults', 200, 'POST', '/_sandbox/faults', { faults: ['any:503*inf'] }],
    ['addFaults', 400, 'POST', '/_sandbox/faults', { faults: ['x'] }],
    ['removeFaults', 204, 'DELETE', '/_sandbox/faults?spec=any:500*inf%2B9'],
    ['removeFaults', 404, 'DELETE', '/_sandbox/faults?spec=any:501'],
    ['issueTokens', 200, 'POST', '/_sandbox/tokens', {}],
    ['issueTokens', 404, 'POST', '/_sandbox/tokens', { clientId: 'x' }],
    ['expireTokens', 200, 'POST', '/_sandbox/expire', { kind: 'refresh' }],
    ['revokeLogins', 200, 'POST', '/_sandbox/revoke', { login: 'x' }],
    ['revokeLogins', 404, 'POST', '/_sandbox/revoke', { athlete: 'x' }],
  ])('describe %s %i', async (operationId, status, method, path, body?: object) => {
    const sandbox = openApp({ faults: ['any:500*inf+9'] });
    const form = multipart([{ name: 'file', fileName: 'a.fit', content: 'x' }]);
    const headers = { ...bearer(sandbox), ...form.headers };
    await sandbox.app.request('/api/workouts/upload-fit', { ...form, method: 'POST', headers });
    const response = await sandbox.app.request(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(status);
    expect(await sharedContract().controlViolations(operationId, response)).toEqual([]);
  });

  it('describe the refusal of other web sites', async () => {
    const { app } = openApp();
    const headers = { origin: 'https://evil.example' };
    for (const { operation, method, path } of controlOperations) {
      if (path === '/') continue;
      const response = await app.request(path, { method: method.toUpperCase(), headers });
      expect(response.status).toBe(403);
      expect(await sharedContract().controlViolations(operation.operationId, response)).toEqual([]);
    }
  });
});

describe('the check of exchanges', () => {
  const exchange = (
    changes: Partial<AnsweredRequest>,
    { body = [], platform = 'coach-watts' }: { body?: unknown; platform?: string } = {},
  ) =>
    ({
      ordinal: 1,
      receivedAt: '2026-02-15T12:00:00.000Z',
      method: 'GET',
      path: '/api/workouts',
      route: 'workouts',
      query: {},
      headers: { 'user-agent': 'athlete-sync/1' },
      size: 0,
      status: 200,
      athlete: null,
      faults: [],
      durationMs: 1,
      answer: {
        status: changes.status ?? 200,
        headers: { 'content-type': 'application/json', 'sandbox-run': `1 ${platform}` },
        body,
      },
      ...changes,
    }) satisfies AnsweredRequest;
  const wellness = {
    method: 'POST',
    path: '/api/wellness',
    route: 'wellness',
    status: 500,
  } as const;
  const json = { 'user-agent': 'athlete-sync/1', 'content-type': 'application/json' };
  const failed = {
    body: { error: true, url: 'u', statusCode: 500, statusMessage: 's', message: 'm' },
  };

  it.each([
    ['a good request', exchange({ query: { limit: '5', startDate: '2026-02-15' } }), []],
    ['an unknown parameter', exchange({ query: { since: 'x' } }), [/query: since is unknown/]],
    ['a wrong parameter', exchange({ query: { limit: 'x' } }), [/limit: must be integer/]],
    ['an undescribed status', exchange({ status: 418 }), [/no such status/]],
    [
      'an answer with a further field',
      exchange({ status: 401 }, { body: { ...failed.body, more: 1 } }),
      [/must NOT have additional properties/],
    ],
    [
      'a request with a wrong field',
      exchange(
        { ...wellness, headers: json, body: { date: '2026-02-15', restingHr: 50.5 } },
        failed,
      ),
      [/request\/restingHr: must be integer/],
    ],
    [
      'the same request of a test',
      exchange(
        {
          ...wellness,
          headers: { 'content-type': 'application/json' },
          body: { date: '2026-02-15', restingHr: 50.5 },
        },
        failed,
      ),
      [],
    ],
    [
      'a request of another type',
      exchange({ ...wellness, headers: { ...json, 'content-type': 'text/plain' } }, failed),
      [/request: type "text\/plain"/],
    ],
    ['an answer of a scripted fault', exchange({ faults: ['any:418'], status: 418 }), []],
    [
      'an answer that the interface does not show',
      exchange({ status: 418 }, { platform: 'interface' }),
      [],
    ],
    [
      'a token answer of the interface',
      exchange(
        { route: 'token', method: 'POST', headers: {} },
        { platform: 'interface', body: {} },
      ),
      [/must have required property 'access_token'/, /token_type/, /expires_in/, /scope/],
    ],
  ])('finds the error in %s', (_what, given, expected) => {
    const found = sharedContract().violations(given);
    expect(found).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
  });
});
