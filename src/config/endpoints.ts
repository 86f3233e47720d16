/**
 * Paths of the service's endpoints, relative to the base URL, with their sections of the interface. The
 * others are the paths of deployed services. The setting `endpoint.<name>` replaces a path.
 */
export const DEFAULT_ENDPOINTS = {
  /** 4.5 */
  authorize: '/api/oauth/authorize',
  /** 4.6 */
  token: '/api/oauth/token',
  /** Not in the interface. */
  revoke: '/api/oauth/revoke',
  /** Not in the interface. */
  userinfo: '/api/oauth/userinfo',
  /** 4.1 */
  uploadFit: '/api/workouts/upload-fit',
  /** 4.2 */
  wellness: '/api/wellness',
  /** 4.3 */
  nutrition: '/api/nutrition',
  /** 4.7 */
  workouts: '/api/workouts',
  /** Mentioned in 4.8 without its path. */
  profile: '/api/profile',
} as const;

/** Name of the file part of an upload, which the interface does not show (2.1). */
export const DEFAULT_FILE_PART = 'file';

export type EndpointName = keyof typeof DEFAULT_ENDPOINTS;
export type Endpoints = Readonly<Record<EndpointName, string>>;

/** The scopes that requests need (interface 5.2; it names none for reading days). The other endpoints need none. */
const SCOPES: Partial<Record<EndpointName, { readonly read?: string; readonly write: string }>> = {
  uploadFit: { write: 'workout:write' },
  wellness: { read: 'health:read', write: 'health:write' },
  nutrition: { read: 'nutrition:read', write: 'nutrition:write' },
  workouts: { read: 'workout:read', write: 'workout:write' },
  profile: { read: 'profile:read', write: 'profile:write' },
};

/** Returns the scope that a request needs; undefined if it needs none. */
export function scopeOf(name: EndpointName, method: string): string | undefined {
  return SCOPES[name]?.[method === 'GET' ? 'read' : 'write'];
}

/**
 * Returns the absolute URL of an endpoint. The base URL may have a path. The host is always the base
 * URL's, because tokens must go nowhere else.
 *
 * @param path of the setting `endpoint.<name>`, which names no host.
 */
export function endpointUrl(baseUrl: URL, path: string): URL {
  const url = new URL(baseUrl.origin);
  // As a path, not as a reference: `//v2/api` would be read as the host v2 (RFC 3986 section 4.2).
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + path;
  if (url.origin !== baseUrl.origin) throw new Error(`${path} leaves ${baseUrl.origin}`);
  return url;
}

/** Returns the same name for a service, however its address was typed. */
export function serviceId(baseUrl: URL): string {
  return baseUrl.origin + baseUrl.pathname.replace(/\/+$/, '');
}
