import { readFileSync } from 'node:fs';
import ajv, { type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import type { AnsweredRequest, PartRecord } from '../../src/sandbox/types.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface Content {
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, (Content & { readonly $ref?: string }) | undefined>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

const METHODS = ['get', 'post', 'patch', 'delete'] as const;

export interface OpenApi {
  readonly paths: Readonly<
    Record<string, Partial<Record<(typeof METHODS)[number], Operation>> | undefined>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, object | undefined>>;
    readonly securitySchemes: {
      readonly oauth: {
        readonly flows: {
          readonly authorizationCode: {
            readonly scopes: Readonly<Record<string, string>>;
            readonly 'x-platform-scopes': { readonly 'coach-watts': readonly string[] };
          };
        };
      };
    };
  };
}

/** An operation and the JSON pointer to it. */
export interface Located {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly pointer: string;
}

/** The parsed `docs/openapi.yaml`. */
export function readContract(): OpenApi {
  const file = new URL('../../docs/openapi.yaml', import.meta.url);
  return parse(readFileSync(file, 'utf8')) as OpenApi;
}

export function operationsOf(contract: OpenApi): Located[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      const pointer = `/paths/${escaped(path)}/${method}`;
      return operation === undefined ? [] : [{ operation, method, path, pointer }];
    }),
  );
}

/** What the client calls itself; other requests are a test's own. */
const CLIENT = /^athlete-sync\//;

/** Checks exchanges with a sandbox against `docs/openapi.yaml`. */
export class Contract {
  readonly #operations: ReadonlyMap<string, Located>;
  readonly #bodies: ajv.Ajv2020;
  readonly #queries: ajv.Ajv2020;
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor() {
    const contract = readContract();
    this.#operations = new Map(
      operationsOf(contract).map((each) => [each.operation.operationId, each]),
    );
    // To optimise the code takes longer than to run it.
    const code = { optimize: false };
    const options = { strict: false, validateSchema: false, allErrors: true, code } as const;
    this.#bodies = new ajv.Ajv2020(options);
    this.#bodies.addSchema(closed(contract), 'contract');
    this.#queries = new ajv.Ajv2020({ ...options, coerceTypes: true });
    this.#queries.addSchema(contract, 'contract');
  }

  /**
   * Lists what breaks the contract: in the client's request unless the sandbox refused it by 400, and
   * in the answer unless a scripted fault made it, or the kind `interface`, whose document shows no answers but
   * the token's.
   */
  violations({ answer, ...request }: AnsweredRequest): string[] {
    const { route, method, path, status, headers, query, faults } = request;
    const located = route === null ? undefined : this.#operations.get(route);
    if (route !== null && located === undefined) return [`${route}: no such operation`];
    if (located === undefined) return [];
    const found: string[] = [];
    if (CLIENT.test(headers['user-agent'] ?? '') && status !== 400) {
      found.push(...this.#query(located, query), ...this.#request(located, request));
    }
    const { 'content-type': type, 'sandbox-run': run = '' } = answer?.headers ?? {};
    const isShown = run.endsWith(' coach-watts') || (route === 'token' && status === 200);
    if (faults.length === 0 && isShown) {
      found.push(...this.#answer(located, String(status), answer?.body, mediaType(type)));
    }
    return found.map((each) => `${method} ${path} ${String(status)}: ${each}`);
  }

  /** Lists what breaks the contract in an answer of a control endpoint. */
  async controlViolations(operationId: string, response: Response): Promise<string[]> {
    const located = this.#operations.get(operationId);
    if (located === undefined) return [`${operationId}: no such operation`];
    const type = mediaType(response.headers.get('content-type'));
    const answer: unknown = type === 'application/json' ? await response.json() : null;
    return this.#answer(located, String(response.status), answer, type);
  }

  #query({ operation, pointer }: Located, query: AnsweredRequest['query']): string[] {
    const known = (operation.parameters ?? []).filter((each) => each.in === 'query');
    const missing = known.filter(({ name, required }) => required === true && !(name in query));
    return [
      ...missing.map(({ name }) => `query: ${name} is missing`),
      ...Object.entries(query).flatMap(([name, value]) => {
        const index = (operation.parameters ?? []).findIndex((each) => each.name === name);
        return index < 0
          ? [`query: ${name} is unknown`]
          : this.#check(this.#queries, `${pointer}/parameters/${index}/schema`, value, name);
      }),
    ];
  }

  #request(
    { operation, pointer }: Located,
    { headers, body, parts }: Omit<AnsweredRequest, 'answer'>,
  ): string[] {
    if (operation.requestBody === undefined) return [];
    const type = mediaType(headers['content-type']);
    if (operation.requestBody.content?.[type] === undefined) return [`request: type "${type}"`];
    const schema = `${pointer}/requestBody/content/${escaped(type)}/schema`;
    return this.#check(this.#bodies, schema, parts === undefined ? body : byName(parts), 'request');
  }

  #answer(
    { operation, pointer }: Located,
    status: string,
    answer: unknown,
    type: string,
  ): string[] {
    const described = operation.responses[status];
    if (described === undefined) return ['answer: no such status'];
    if (type !== 'application/json') return [];
    const at = described.$ref?.slice(1) ?? `${pointer}/responses/${status}`;
    return this.#check(this.#bodies, `${at}/content/application~1json/schema`, answer, 'answer');
  }

  #check(schemas: ajv.Ajv2020, pointer: string, value: unknown, what: string): string[] {
    const key = `${schemas === this.#queries ? 'query' : 'body'} ${pointer}`;
    let validate = this.#compiled.get(key);
    if (validate === undefined) {
      validate = schemas.compile({ $ref: `contract#${pointer}` });
      this.#compiled.set(key, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message = '', params }) =>
        `${what}${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  }
}

function mediaType(header: string | null | undefined): string {
  return header?.split(';', 1)[0] ?? '';
}

/** Returns the texts and the file names of parts by the parts' names. */
function byName(parts: readonly PartRecord[]): Record<string, string[]> {
  const named: Record<string, string[]> = {};
  for (const { name, fileName, text = '' } of parts) (named[name] ??= []).push(fileName ?? text);
  return named;
}

/** What may hold further fields: requests whose unknown fields are dropped, and items of other sources. */
const OPEN = ['WellnessRecord', 'NutritionRecord', 'SentItem', 'StoredItem'];

/** The schemas of the control endpoints are exact as they are. */
const isOpen = (name: string) => OPEN.includes(name) || name.startsWith('Sandbox');

/** Returns a copy in which objects have no further fields: the sandbox sends what the contract names. */
function closed<T>(node: T): T {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(closed) as T;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, isOpen(key) ? value : closed(value)]),
  );
  const isObject = 'properties' in copy && copy['type'] === 'object';
  return (isObject ? { additionalProperties: false, ...copy } : copy) as T;
}

function escaped(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

let shared: Contract | undefined;

/** Returns the contract, which is compiled once a process. */
export function sharedContract(): Contract {
  return (shared ??= new Contract());
}
