import { ApiProblem } from '../http/problem.ts';
import { ROUTE_NAMES, type RouteName } from '../http/routes.ts';

export type FaultKind = Readonly<ReturnType<typeof parseKind>>;

/**
 * Names of `token` requests by their grant type. `any` is every endpoint of the platform; the
 * control endpoints never fail.
 */
const TOKEN_ALIASES = ['exchange', 'refresh'] as const;
export type FaultRoute = RouteName | (typeof TOKEN_ALIASES)[number] | 'any';
export const FAULT_ROUTES: readonly FaultRoute[] = [...ROUTE_NAMES, ...TOKEN_ALIASES, 'any'];

/** A fault, with the requests that it still lets pass and those that it then hits. */
export type ScriptedFault = ReturnType<typeof parseFault>;

/** An invalid fault spec. The message names the part that is wrong and the allowed values. */
export class FaultSpecError extends ApiProblem {
  override readonly name = 'FaultSpecError';

  constructor(spec: string, problem: string) {
    const message = `Fault "${spec}": ${problem}. The form is ROUTE:KIND[*COUNT][+SKIP], such as upload-fit:503*2.`;
    super(400, message, { statusMessage: message });
  }
}

type Params = Readonly<Partial<Record<string, string>>>;

/** The parameters of statuses and of pages, in brackets, with the form of their value. */
const OF_STATUS: Params = {
  'retry-after': '=SECONDS',
  'retry-after-date': '=SECONDS',
  error: '=CODE',
  after: '',
};
const OF_PAGE: Params = { status: '=N', after: '' };
export const FAULT_PARAMS = `of an HTTP status: ${listed(OF_STATUS)} (the request is processed first); of html: ${listed(OF_PAGE)}`;

/** The kinds beside statuses and delays, and whether the request is processed. A page has `after`, too. */
const KINDS = {
  reset: false,
  'reset-after': true,
  'reset-mid': true,
  'close-mid': true,
  truncate: true,
  html: false,
  hang: false,
  'hang-after': true,
  'success-false': false,
} as const;
export const FAULT_KINDS = `an HTTP status from 300 to 599, delay=TIME, ${Object.keys(KINDS).join(', ')}`;

const SHAPE =
  /^(?<route>[a-z-]+):(?<kind>[a-z0-9-]+)(?:=(?<value>[a-z0-9.]+))?(?:\((?<params>[^()]*)\))?(?:\*(?<count>inf|\d+))?(?:\+(?<skip>\d+))?$/;

/**
 * Parses `ROUTE:KIND[(PARAM,...)][*COUNT][+SKIP]`; docs/sandbox.md is the reference.
 * @throws FaultSpecError
 */
export function parseFault(spec: string) {
  const fail = (problem: string): never => {
    throw new FaultSpecError(spec, problem);
  };
  const groups = SHAPE.exec(spec.trim())?.groups;
  if (groups === undefined) return fail('cannot be read');
  const { kind = '', value, params = '', count = '1', skip = '0' } = groups;
  const route = FAULT_ROUTES.find((name) => name === groups['route']);
  if (route === undefined) {
    return fail(`no route "${groups['route'] ?? ''}": ${FAULT_ROUTES.join(', ')}`);
  }
  const what = parseKind(kind, value, params, fail);
  const hitsLeft = count === 'inf' ? Infinity : Number(count);
  if (hitsLeft < 1) return fail('a count is 1 or more, or inf');
  return { spec: spec.trim(), route, what, skipLeft: Number(skip), hitsLeft };
}

type Fail = (problem: string) => never;

function parseKind(kind: string, value: string | undefined, text: string, fail: Fail) {
  const isStatus = /^\d+$/.test(kind);
  const allowed = isStatus ? OF_STATUS : kind === 'html' ? OF_PAGE : {};
  const params = parseParams(kind, text, allowed, fail);
  // Another fault may apply to the same request.
  if (kind === 'delay') return { kind: 'delay', ms: parseTime(value, fail) } as const;
  if (value !== undefined) return fail(`"${kind}" takes no =value`);
  const after = params['after'] !== undefined;
  if (isStatus) {
    const status = Number(kind);
    if (status < 300 || status > 599) return fail(`no kind "${kind}": ${FAULT_KINDS}`);
    const { 'retry-after': seconds, 'retry-after-date': date, error = null } = params;
    const wait = date ?? seconds;
    const retryAfter = wait === undefined ? null : Number(wait);
    // The platform's format of an error or, with `error`, that of RFC 6749 section 5.2.
    const answer = { status, retryAfter, retryAfterAsDate: date !== undefined, error };
    return { kind: 'status', ...answer, after } as const;
  }
  if (kind === 'html') {
    const status = Number(params['status'] ?? 502);
    if (status < 200 || status > 599 || WITHOUT_BODY.includes(status)) {
      return fail(`a page has a status from 200 to 599 that allows a body, not ${status}`);
    }
    return { kind: 'html', status, after } as const;
  }
  if (!Object.hasOwn(KINDS, kind)) return fail(`no kind "${kind}": ${FAULT_KINDS}`);
  const name = kind as Exclude<keyof typeof KINDS, 'html'>;
  return { kind: name, after: KINDS[name] };
}

const WITHOUT_BODY = [204, 205, 304];

function parseTime(value: string | undefined, fail: Fail): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(value ?? '');
  if (match === null) return fail('a delay is delay=200ms or delay=1.5s');
  return Number(match[1]) * (match[2] === 's' ? 1000 : 1);
}

function listed(params: Params): string {
  return Object.entries(params)
    .map((pair) => pair.join(''))
    .join(', ');
}

/** Parses parameters such as `retry-after=1, after`. */
function parseParams(kind: string, text: string, allowed: Params, fail: Fail): Params {
  const given: Record<string, string> = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [, name = part, value] = /^(.*?)=(.*)$/.exec(part) ?? [];
    const form = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (form === undefined) {
      return fail(`"${kind}" takes no "${name}"; it takes ${listed(allowed) || 'nothing'}`);
    }
    if (form === '' && value !== undefined) return fail(`"${name}" takes no value`);
    if (form !== '' && value === undefined) return fail(`"${name}" needs a value`);
    const isNumber = form === '' || form === '=CODE' || /^\d+$/.test(value ?? '');
    if (!isNumber) return fail(`"${name}" is a whole number`);
    given[name] = value ?? '';
  }
  return given;
}
