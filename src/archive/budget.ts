import { cpuTimeMs } from '../system/this-process.ts';
import { ArchiveFault } from './fault.ts';

const MB = 1024 * 1024;

/**
 * An account export has up to 20 GB and 100,000 members. JSON and XML shrink to a twentieth, and to a
 * few thousandths if their records are alike. Files of records are read twice.
 */
export const UNPACK_LIMITS = {
  /** All bytes that are unpacked in the run, read twice counted twice. */
  bytes: 512 * 1024 * MB,
  members: 1_000_000,
  /** Archives in one another, the outermost included. */
  depth: 4,
  /** Archives inside one archive on the disk, at any depth. */
  inner: 10_000,
  /** Bytes unpacked from one archive on the disk, as a multiple of its size. */
  ratio: 2_000,
  /** Size of an archive inside another one, as a multiple of its packed size. */
  innerRatio: 50,
  /** Every archive may unpack to this, even a tiny one (bytes). */
  small: 64 * MB,
  /** CPU time of this process for one archive on the disk, its contents included: in all, and for each packed MB (ms). */
  cpu: { least: 3_000, perMB: 40_000 },
};
export type UnpackLimits = Readonly<typeof UNPACK_LIMITS>;

/** What the archives of one run have unpacked to, so that a zip bomb ends early. */
export class UnpackBudget {
  readonly limits: UnpackLimits;
  bytes = 0;
  members = 0;

  constructor(limits: UnpackLimits = UNPACK_LIMITS) {
    this.limits = limits;
  }
}

/** The share of one archive on the disk, with all archives inside it. */
export class ArchiveShare {
  readonly #budget: UnpackBudget;
  readonly #limit: number;
  /** CPU time of this process at which the archive has used its own (ms). */
  readonly #cpuEnd: number;
  #bytes = 0;
  #inner = 0;
  /** Nothing more of the archive on the disk can be read, wherever the limit was met. */
  isSpent = false;

  /** @param packed size of the archive (bytes) */
  constructor(budget: UnpackBudget, packed: number) {
    this.#budget = budget;
    const { small, ratio, cpu } = budget.limits;
    this.#limit = small + packed * ratio;
    this.#cpuEnd = cpuTimeMs() + cpu.least + (packed / MB) * cpu.perMB;
  }

  /** Counts unpacked bytes. @throws ArchiveFault */
  addBytes(bytes: number): void {
    const { limits } = this.#budget;
    this.#checkTime();
    this.#bytes += bytes;
    this.#budget.bytes += bytes;
    if (this.#bytes > this.#limit) {
      this.#end(bomb(`The archive unpacks to more than ${limits.ratio} times its size`));
    }
    if (this.#budget.bytes > limits.bytes) {
      this.#end(tooMuch('The archives of this run unpack to'));
    }
  }

  /** Counts a member. @throws ArchiveFault */
  addMember(): void {
    const { limits } = this.#budget;
    this.#checkTime();
    if (++this.#budget.members > limits.members) {
      this.#end(tooMuch('The archives of this run hold'));
    }
  }

  /**
   * Counts an archive inside another one, and checks its stated sizes, before it is unpacked.
   *
   * @throws ArchiveFault
   */
  addInner(depth: number, packed: number, unpacked: number): void {
    const { limits } = this.#budget;
    if (++this.#inner > limits.inner) {
      const limit = limits.inner.toLocaleString('en-US');
      this.#end(bomb(`The archive holds more than ${limit} archives`));
    }
    if (depth > limits.depth) {
      throw bomb(
        `It lies inside ${depth - 1} other archives, and ${limits.depth - 1} are the limit`,
      );
    }
    if (unpacked > limits.small + packed * limits.innerRatio) {
      throw bomb(`It unpacks to more than ${limits.innerRatio} times its size`);
    }
  }

  #checkTime(): void {
    if (cpuTimeMs() > this.#cpuEnd) {
      this.#end(bomb('The archive takes more time than its size allows'));
    }
  }

  #end(fault: ArchiveFault): never {
    this.isSpent = true;
    throw fault;
  }
}

function bomb(what: string): ArchiveFault {
  return new ArchiveFault('unreadable', `${what}, as a zip bomb does: no more of it is read.`);
}

function tooMuch(what: string): ArchiveFault {
  return new ArchiveFault(
    'unreadable',
    `${what} more than sync reads in one run. Pass the archives one by one.`,
  );
}
