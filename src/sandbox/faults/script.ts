import type { ActiveFault } from '../types.ts';
import { parseFault, type ScriptedFault, type FaultKind, type FaultRoute } from './spec.ts';

/** The faults that hit one request: first a delay, then a fault. */
export type DrawnFaults = Readonly<ReturnType<FaultScript['draw']>>;

/** The scripted faults in the order they were added, with their remaining skips and hits. */
export class FaultScript {
  #faults: ScriptedFault[] = [];

  constructor(specs: readonly string[] = []) {
    this.add(specs);
  }

  /** @throws FaultSpecError; then no fault was added */
  add(specs: readonly string[]): void {
    this.#faults.push(...specs.map(parseFault));
  }

  /** Removes all faults, or the first with a spec. @returns false if there is none with it */
  clear(spec?: string): boolean {
    const index = this.#faults.findIndex((fault) => fault.spec === spec);
    this.#faults = this.#faults.filter((_, at) => spec !== undefined && at !== index);
    return spec === undefined || index !== -1;
  }

  /** Lists the faults with their remaining hits; null stands for `*inf`. */
  list(): ActiveFault[] {
    return this.#faults.map(({ spec, skipLeft, hitsLeft }) => ({
      spec,
      skipLeft,
      hitsLeft: hitsLeft === Infinity ? null : hitsLeft,
    }));
  }

  /**
   * Draws the faults for a request with these names. All due delays add up. Of the other faults the
   * first that is due applies; the later ones do not count this request.
   */
  draw(names: readonly FaultRoute[]) {
    const specs: string[] = [];
    let delayMs = 0;
    let drawn: Exclude<FaultKind, { kind: 'delay' }> | null = null;
    for (const fault of this.#faults) {
      const { what, route } = fault;
      if (route !== 'any' && !names.includes(route)) continue;
      if (fault.hitsLeft === 0 || (drawn !== null && what.kind !== 'delay')) continue;
      if (fault.skipLeft > 0) {
        fault.skipLeft -= 1;
        continue;
      }
      fault.hitsLeft -= 1;
      specs.push(fault.spec);
      if (what.kind === 'delay') delayMs += what.ms;
      else drawn = what;
    }
    return { delayMs, fault: drawn, specs };
  }
}
