/** The program's environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;
