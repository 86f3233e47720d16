import { ApiProblem } from '../http/problem.ts';
import type { Store, Table } from '../store.ts';
import type { AthleteProfile } from '../types.ts';

/** Three time zones and one athlete in pounds: both have exposed client bugs. */
export const DEFAULT_ATHLETES: readonly [AthleteProfile, ...AthleteProfile[]] = [
  {
    id: 'athlete-1',
    name: 'Ada Lindqvist',
    email: 'ada@sandbox.example',
    timezone: 'Europe/Stockholm',
    weight: 62.5,
    weightUnits: 'Kilograms',
    ftp: 245,
    maxHr: 186,
    lthr: 168,
  },
  {
    id: 'athlete-2',
    name: 'Ben Okafor',
    email: 'ben@sandbox.example',
    timezone: 'America/New_York',
    weight: 81.2,
    weightUnits: 'Pounds',
    ftp: 292,
    maxHr: 191,
    lthr: 172,
  },
  {
    id: 'athlete-3',
    name: 'Meera Rao',
    email: 'meera@sandbox.example',
    timezone: 'Asia/Kolkata',
    weight: 55.4,
    weightUnits: 'Kilograms',
    ftp: 201,
    maxHr: 194,
    lthr: 176,
  },
];

export class Athletes {
  readonly ids: readonly string[];
  readonly #table: Table<AthleteProfile>;

  /** Adds the athletes that the store lacks; the others keep their stored profile. */
  constructor(store: Store, athletes: readonly AthleteProfile[]) {
    this.ids = athletes.map((athlete) => athlete.id);
    if (athletes.length === 0) throw new ApiProblem(400, 'A sandbox needs at least one athlete');
    const twice = this.ids.find((id, at) => this.ids.indexOf(id) !== at);
    if (twice !== undefined) throw new ApiProblem(400, `Two athletes have the id "${twice}"`);
    this.#table = store.table('athletes');
    for (const athlete of athletes) {
      if (!this.#table.has(athlete.id)) this.#table.put(athlete.id, athlete);
    }
  }

  has(id: string): boolean {
    return this.ids.includes(id);
  }

  get(id: string): AthleteProfile {
    const athlete = this.#table.get(id);
    if (athlete === undefined) throw new Error(`No athlete ${id}`);
    return athlete;
  }

  first(): AthleteProfile {
    return this.get(this.ids[0] ?? '');
  }

  all(): AthleteProfile[] {
    return this.ids.map((id) => this.get(id));
  }

  change(id: string, change: Partial<AthleteProfile>): AthleteProfile {
    return this.#table.put(id, { ...this.get(id), ...change });
  }
}
