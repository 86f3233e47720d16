/*
 * Platforms with the interface of this program. Nothing else here knows an address: the interface is the
 * contract, and any other address works as well.
 */
import type { Config } from './config.ts';
import type { EndpointName } from './endpoints.ts';
import { DEFAULT_SCOPES } from './scopes.ts';
import type { PlatformKind } from './settings.ts';

/**
 * What an answer can show of a platform. `results`: it counts or names the items of the request. `plain`: it is a
 * success without that. Of nutrition, `meal-lists`: a day in four lists; `no-meal-lists`: none, although
 * the platform had seemed to be Coach Watts; `adds`: it holds more of an item than were sent. `own-workouts`: a list
 * with workouts of this account's recordings. `further-fields`: it took a record with fields that the interface does
 * not name.
 */
export type AnswerFact =
  'results' | 'plain' | 'meal-lists' | 'no-meal-lists' | 'adds' | 'own-workouts' | 'further-fields';

/** What the answers of one platform have shown so far, by endpoint. */
export interface PlatformFacts {
  /**
   * Says which run of `sync sandbox` gave an answer: what another run showed does not hold for it, so nothing is
   * known before its first answer. Undefined: another platform.
   */
  answeredBy(run: string | undefined): void;
  /** Returns whether `sync sandbox` has answered at this address before. */
  knowsSandbox(): boolean;
  has(endpoint: EndpointName, fact: AnswerFact): boolean;
  note(endpoint: EndpointName, fact: AnswerFact): void;
  /** Records that a day was taken only without the fields that the interface does not name. */
  noteDocumentOnly(endpoint: EndpointName, date: string): void;
  /** Returns whether that was so on two days, the last time within a week. */
  isDocumentOnly(endpoint: EndpointName): boolean;
}

/**
 * Returns whether no success of a platform counted or named the items of the request: they are accepted, and no
 * more is known.
 */
export function onlyAccepts(endpoint: EndpointName, facts: PlatformFacts): boolean {
  return facts.has(endpoint, 'plain') && !facts.has(endpoint, 'results');
}

export interface Platform {
  /** As in `sync login NAME`. */
  readonly name: string;
  readonly title: string;
  readonly baseUrl: string;
  /** Further addresses of the same platform, by which its metadata may name it. */
  readonly otherUrls?: readonly string[];
  /** Follows the address in the list of platforms. */
  readonly remark?: string;
  /** Page on which an athlete registers an application and gets its client ID. */
  readonly portal?: string;
  /** The client ID that all athletes share; undefined if each athlete registers a client. */
  readonly clientId?: string;
  readonly moreScopes: readonly string[];
  /** Absent: its answers show it. */
  readonly kind?: PlatformKind;
}

/** Default port of `sync sandbox`, which shares no code with the client. */
export const SANDBOX_PORT = 8918;

export const PLATFORMS: readonly Platform[] = [
  {
    name: 'coach-watts',
    title: 'Coach Watts',
    baseUrl: 'https://app.coachwatts.com',
    otherUrls: ['https://coachwatts.com'],
    portal: 'https://app.coachwatts.com/developer',
    moreScopes: ['nutrition:read'],
    kind: 'coach-watts',
  },
  {
    name: 'sandbox',
    title: 'Sandbox',
    baseUrl: `http://127.0.0.1:${SANDBOX_PORT}`,
    remark: ' (`sync sandbox` starts it)',
    clientId: 'sandbox-client',
    moreScopes: ['nutrition:read'],
  },
];

/** Returns the platform of a name, in any letter case and with any or no hyphens. */
export function platformNamed(name: string): Platform | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]/g, '');
  return PLATFORMS.find((platform) => plain(platform.name) === plain(name));
}

export function platformAt(baseUrl: URL | undefined): Platform | undefined {
  return PLATFORMS.find(({ baseUrl: first, otherUrls = [] }) =>
    [first, ...otherUrls].some((address) => new URL(address).href === baseUrl?.href),
  );
}

/** Returns all addresses of the platform at an address, the given one first. */
export function addressesOf(baseUrl: URL): readonly [URL, ...URL[]] {
  const { baseUrl: first, otherUrls = [] } = platformAt(baseUrl) ?? {};
  const known = first === undefined ? [] : [first, ...otherUrls];
  return [baseUrl, ...known.map((address) => new URL(address))];
}

/** Returns the kind of a platform that the setting states, or the table of platforms. */
export function statedKind(config: Config): PlatformKind | undefined {
  return config.get('platform.kind') ?? platformAt(config.get('baseUrl'))?.kind;
}

/** Returns the scopes that a login at a platform asks for, if no setting names others. */
export function defaultScopes(baseUrl: URL | undefined): readonly string[] {
  return [...DEFAULT_SCOPES, ...(platformAt(baseUrl)?.moreScopes ?? [])];
}

/** Returns the scopes that a login asks for: those of the setting, else those of the platform. */
export function askedScopes(config: Config, baseUrl = config.get('baseUrl')): readonly string[] {
  return config.originOf('scope') === 'default' ? defaultScopes(baseUrl) : config.get('scope');
}
