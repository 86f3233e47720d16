import { ArchiveFault } from './fault.ts';

export interface UnpackLimits {
  /** All bytes that are unpacked in the run, read twice counted twice. */
  readonly bytes: number;
  readonly members: number;
  /** Archives in one another, the outermost included. */
  readonly depth: number;
  /** Archives inside one archive on the disk, at any depth. */
  readonly inner: number;
  /** Bytes unpacked from one archive on the disk, as a multiple of its size. */
  readonly ratio: number;
  /** Size of an archive inside another one, as a multiple of its packed size. */
  readonly innerRatio: number;
  /** Every archive may unpack to this, even a tiny one (bytes). */
  readonly small: number;
}

const MB = 1024 * 1024;

/**
 * An account export has up to 20 GB and 100,000 members. JSON and XML shrink to a twentieth, and to a
 * few thousandths if their records are alike. Files of records are read twice.
 */
export const UNPACK_LIMITS: UnpackLimits = {
  bytes: 512 * 1024 * MB,
  members: 1_000_000,
  depth: 4,
  inner: 10_000,
  ratio: 2_000,
  innerRatio: 50,
  small: 64 * MB,
};

/** Counts what the archives of one run unpack to, so that a zip bomb ends early. */
export class UnpackBudget {
  readonly limits: UnpackLimits;
  #bytes = 0;
  #members = 0;

  constructor(limits: UnpackLimits = UNPACK_LIMITS) {
    this.limits = limits;
  }

  /** Counts unpacked bytes. @throws ArchiveFault */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limits.bytes) throw tooMuch('The archives of this run unpack to');
  }

  /** Counts a member. @throws ArchiveFault */
  addMember(): void {
    this.#members++;
    if (this.#members > this.limits.members) throw tooMuch('The archives of this run hold');
  }
}

/** The share of one archive on the disk, with all archives inside it. */
export class ArchiveShare {
  readonly #budget: UnpackBudget;
  readonly #limit: number;
  #bytes = 0;
  #inner = 0;
  #isSpent = false;

  /** @param packed size of the archive (bytes) */
  constructor(budget: UnpackBudget, packed: number) {
    this.#budget = budget;
    this.#limit = budget.limits.small + packed * budget.limits.ratio;
  }

  /** Nothing more of the archive on the disk can be read, wherever the limit was met. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Counts unpacked bytes. @throws ArchiveFault */
  addBytes(bytes: number): void {
    this.#count(() => {
      this.#bytes += bytes;
      if (this.#bytes > this.#limit) {
        const { ratio } = this.#budget.limits;
        throw bomb(`The archive unpacks to more than ${ratio} times its size`);
      }
      this.#budget.addBytes(bytes);
    });
  }

  /** Counts a member. @throws ArchiveFault */
  addMember(): void {
    this.#count(() => this.#budget.addMember());
  }

  /**
   * Counts an archive inside another one, and checks its stated sizes, before it is unpacked.
   *
   * @throws ArchiveFault
   */
  addInner(depth: number, packed: number, unpacked: number): void {
    const { limits } = this.#budget;
    this.#count(() => {
      const limit = limits.inner.toLocaleString('en-US');
      if (++this.#inner > limits.inner) throw bomb(`The archive holds more than ${limit} archives`);
    });
    if (depth > limits.depth) {
      throw bomb(
        `It lies inside ${depth - 1} other archives, and ${limits.depth - 1} are the limit`,
      );
    }
    if (unpacked > limits.small + packed * limits.innerRatio) {
      throw bomb(`It unpacks to more than ${limits.innerRatio} times its size`);
    }
  }

  #count(count: () => void): void {
    try {
      count();
    } catch (error) {
      this.#isSpent = true;
      throw error;
    }
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
