/** Environment variables, as the program received them. */
export type Env = Readonly<Record<string, string | undefined>>;
