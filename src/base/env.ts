export type Env = Readonly<Record<string, string | undefined>>;

export const SECRET_VARIABLES = [
  'SYNC_ACCESS_TOKEN',
  'SYNC_REFRESH_TOKEN',
  'SYNC_CLIENT_SECRET',
] as const;
export type SecretVariable = (typeof SECRET_VARIABLES)[number];
