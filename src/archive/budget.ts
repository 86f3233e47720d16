import { cpuTimeMs } from '../system/this-process.ts';
import { ArchiveFault } from './fault.ts';

const MB = 1024 * 1024;

/**
 * Limits of one archive on the disk, with all archives inside it, so that a zip bomb ends early. An account
 * export has up to 20 GB and 100,000 members. JSON and XML shrink to a twentieth, and to a few thousandths if
 * their records are alike.
 */
export const UNPACK_LIMITS = {
  members: 1_000_000,
  /** Archives in one another, the outermost included. */
  depth: 4,
  /** Archives inside, at any depth. */
  inner: 10_000,
  /** Unpacked bytes, as a multiple of the size. */
  ratio: 2_000,
  /** Size of an archive inside another one, as a multiple of its packed size. */
  innerRatio: 50,
  /** Every archive may unpack to this, even a tiny one (bytes). */
  small: 64 * MB,
  /** CPU time of this process, the use of the contents included: in all, and for each packed MB (ms). */
  cpu: { least: 3_000, perMB: 40_000 },
};
export type UnpackLimits = Readonly<typeof UNPACK_LIMITS>;

/** What an archive on the disk has used of its limits. */
export class ArchiveShare {
  readonly #limits: UnpackLimits;
  readonly #mostBytes: number;
  /** CPU time of this process at which the archive has used its own (ms). */
  readonly #cpuEnd: number;
  #bytes = 0;
  #members = 0;
  #inner = 0;
  /** Nothing more of the archive on the disk can be read, wherever the limit was met. */
  isSpent = false;

  /** @param packed size of the archive (bytes) */
  constructor(limits: UnpackLimits, packed: number) {
    const { small, ratio, cpu } = limits;
    this.#limits = limits;
    this.#mostBytes = small + packed * ratio;
    this.#cpuEnd = cpuTimeMs() + cpu.least + (packed / MB) * cpu.perMB;
  }

  /** Counts unpacked bytes. @throws ArchiveFault */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes) {
      this.#end(`The archive unpacks to more than ${this.#limits.ratio} times its size`);
    }
    this.#checkTime();
  }

  /** Counts a member. @throws ArchiveFault */
  addMember(): void {
    if (++this.#members > this.#limits.members) {
      this.#end(`The archive holds more than ${shown(this.#limits.members)} files`);
    }
    this.#checkTime();
  }

  /**
   * Counts an archive inside another one, and checks its stated sizes, before it is unpacked.
   *
   * @throws ArchiveFault
   */
  addInner(depth: number, packed: number, unpacked: number): void {
    const { inner, depth: most, small, innerRatio } = this.#limits;
    if (++this.#inner > inner) this.#end(`The archive holds more than ${shown(inner)} archives`);
    if (depth > most) {
      throw bomb(`It lies inside ${depth - 1} other archives, and ${most - 1} are the limit`);
    }
    if (unpacked > small + packed * innerRatio) {
      throw bomb(`It unpacks to more than ${innerRatio} times its size`);
    }
  }

  #checkTime(): void {
    if (cpuTimeMs() > this.#cpuEnd) this.#end('The archive takes more time than its size allows');
  }

  #end(what: string): never {
    this.isSpent = true;
    throw bomb(what);
  }
}

function shown(count: number): string {
  return count.toLocaleString('en-US');
}

function bomb(what: string): ArchiveFault {
  return new ArchiveFault('unreadable', `${what}, as a zip bomb does: no more of it is read.`);
}
