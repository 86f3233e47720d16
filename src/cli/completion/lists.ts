/** Lists that change, so that completion scripts ask the program: `sync complete LIST`. */
export const LISTS = ['profiles', 'zones', 'setting-values'] as const;
export type List = (typeof LISTS)[number];
