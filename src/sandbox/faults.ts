import { parseFault, type Fault, type FaultKind, type FaultRoute } from './fault-spec.ts';

/** What one request has drawn: how long to wait first, then what to do instead of answering. */
export interface DrawnFaults {
  readonly delayMs: number;
  readonly fault: Exclude<FaultKind, { kind: 'delay' }> | null;
  readonly specs: readonly string[];
}

interface Scripted {
  readonly fault: Fault;
  skipLeft: number;
  hitsLeft: number;
}

/** The script: faults in the order they were added, each with what is left of it. */
export class FaultScript {
  #entries: Scripted[] = [];

  constructor(specs: readonly string[] = []) {
    this.add(specs);
  }

  /** @throws FaultSpecError, and then none of them was added */
  add(specs: readonly string[]): void {
    const faults = specs.map(parseFault);
    this.#entries.push(
      ...faults.map((fault) => ({ fault, skipLeft: fault.skip, hitsLeft: fault.count })),
    );
  }

  clear(): void {
    this.#entries = [];
  }

  /** Each fault with the number of requests it will still hit; null stands for `*inf`. */
  list(): { spec: string; skipLeft: number; hitsLeft: number | null }[] {
    return this.#entries.map(({ fault, skipLeft, hitsLeft }) => ({
      spec: fault.spec,
      skipLeft,
      hitsLeft: hitsLeft === Infinity ? null : hitsLeft,
    }));
  }

  /**
   * What happens to a request that goes by these names. All delays that are due add up; of the
   * others the first that is due takes it, and those behind it do not see the request.
   */
  draw(names: readonly FaultRoute[]): DrawnFaults {
    const specs: string[] = [];
    let delayMs = 0;
    let drawn: DrawnFaults['fault'] = null;
    for (const entry of this.#entries) {
      const { what, route } = entry.fault;
      if (route !== 'any' && !names.includes(route)) continue;
      if (entry.hitsLeft === 0 || (drawn !== null && what.kind !== 'delay')) continue;
      if (entry.skipLeft > 0) {
        entry.skipLeft -= 1;
        continue;
      }
      entry.hitsLeft -= 1;
      specs.push(entry.fault.spec);
      if (what.kind === 'delay') delayMs += what.ms;
      else drawn = what;
    }
    return { delayMs, fault: drawn, specs };
  }
}
