/** A food of a nutrition day: its name and instant identify it. */
export interface Food {
  readonly name: string;
  readonly logged_at: string;
  readonly calories: number;
}

/** What the platform has to hold after everything arrived. Rounds know it; nothing reads it back. */
export interface Cargo {
  /** By name. */
  readonly recordings: Map<string, Uint8Array>;
  /** By day. */
  readonly wellness: Map<string, Readonly<Record<string, number>>>;
  /** By day, then by {@link foodKey}: foods of `sync` and of the athlete. */
  readonly foods: Map<string, Map<string, Food>>;
  /** Keys of foods that the athlete removed in the platform. */
  readonly removed: Set<string>;
  profile: { readonly weight?: number; readonly ftp?: number };
}

export function emptyCargo(): Cargo {
  return {
    recordings: new Map(),
    wellness: new Map(),
    foods: new Map(),
    removed: new Set(),
    profile: {},
  };
}

/** Returns the foods of a day, which may be added to. */
export function foodsOn(cargo: Cargo, date: string): Map<string, Food> {
  const day = cargo.foods.get(date) ?? new Map<string, Food>();
  cargo.foods.set(date, day);
  return day;
}

export function foodKey(food: {
  readonly name?: string | undefined;
  readonly logged_at?: string | undefined;
}): string {
  return `${food.name ?? ''} at ${food.logged_at ?? ''}`;
}
