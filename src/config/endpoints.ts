/**
 * Where the service's endpoints are, relative to the base URL: the one place that says so.
 * Sections of the interface stand beside them. Those that the interface does not show follow what
 * deployed services do; each can be replaced by the setting `endpoint.<name>`.
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
  /** 4.8 speaks of it and does not show it. */
  profile: '/api/profile',
} as const;

export type EndpointName = keyof typeof DEFAULT_ENDPOINTS;
export type Endpoints = Readonly<Record<EndpointName, string>>;

/** What each endpoint asks for (interface 5.2); the others need no scope of their own. */
export const REQUIRED_SCOPE = {
  uploadFit: 'workout:write',
  wellness: 'health:write',
  nutrition: 'nutrition:write',
  workouts: 'workout:read',
} as const;

/**
 * The absolute URL of an endpoint; the base URL may have a path of its own. Whatever stands in either
 * path, the host is the base URL's: tokens go there and nowhere else.
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
