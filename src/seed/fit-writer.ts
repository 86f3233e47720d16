import { FitBaseType, type FitEncoderField } from 'fit-file-parser/encoder';

import { crc16 } from '../fit/crc16.ts';

/** Encodes messages: fit-file-parser's `FitEncoder` or {@link FitWriter}. */
export interface MessageWriter {
  writeMessage(global: number, fields: FitEncoderField[], local: number): unknown;
  close(): Uint8Array;
}

/** Protocol 1.0, which every reader accepts. */
export const FIT_OPTIONS = { protocolVersion: 0x10, profileVersion: 21_188 };

const HEADER_BYTES = 14;
const CRC_BYTES = 2;

/**
 * Writes the same bytes as `FitEncoder` with {@link FIT_OPTIONS}, which a test checks. It exists for
 * speed: FitEncoder serializes the definition of every message to JSON and stores each byte as an
 * array element. For a year of recordings, a million records, that takes two thirds of time and memory.
 *
 * Assumes that a field array passed again has the same definition: only its values may change.
 */
export class FitWriter implements MessageWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #at = HEADER_BYTES;
  /** The last fields and their definition by local number. */
  readonly #defined: ({ fields: FitEncoderField[]; signature: string } | undefined)[] = [];

  /** @param size expected bytes; the buffer grows beyond it */
  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
  }

  writeMessage(global: number, fields: FitEncoderField[], local: number): this {
    this.#makeRoom(7 + fields.length * 258);
    if (this.#defined[local]?.fields !== fields) this.#define(global, fields, local);
    this.#view.setUint8(this.#at++, local);
    for (const field of fields) this.#value(field);
    return this;
  }

  close(): Uint8Array {
    this.#makeRoom(CRC_BYTES);
    const view = this.#view;
    view.setUint8(0, HEADER_BYTES);
    view.setUint8(1, FIT_OPTIONS.protocolVersion);
    view.setUint16(2, FIT_OPTIONS.profileVersion, true);
    view.setUint32(4, this.#at - HEADER_BYTES, true);
    view.setUint32(8, 0x2e464954); // ".FIT"
    view.setUint16(12, crc16(this.#bytes.subarray(0, 12)), true);
    view.setUint16(this.#at, crc16(this.#bytes.subarray(0, this.#at)), true);
    return this.#bytes.slice(0, this.#at + CRC_BYTES);
  }

  #define(global: number, fields: FitEncoderField[], local: number): void {
    const signature = [
      global,
      ...fields.map(({ number, size, baseType }) => `${number}:${size}:${baseType}`),
    ].join();
    const same = this.#defined[local]?.signature === signature;
    this.#defined[local] = { fields, signature };
    if (same) return;
    const view = this.#view;
    view.setUint8(this.#at, 0x40 | local);
    view.setUint16(this.#at + 1, 0); // reserved, and little-endian
    view.setUint16(this.#at + 3, global, true);
    view.setUint8(this.#at + 5, fields.length);
    this.#at += 6;
    for (const { number, size, baseType } of fields) {
      view.setUint8(this.#at++, number);
      view.setUint8(this.#at++, size);
      view.setUint8(this.#at++, baseType);
    }
  }

  #value({ number, baseType, value }: FitEncoderField): void {
    if (value instanceof Uint8Array) {
      this.#bytes.set(value, this.#at);
      this.#at += value.length;
      return;
    }
    const range = RANGES.get(baseType);
    if (range === undefined || typeof value !== 'number') {
      throw new TypeError(`Field ${number} has an unsupported base type: ${baseType}.`);
    }
    if (!Number.isInteger(value) || value < range.least || value > range.most) {
      throw new RangeError(`Field ${number} cannot hold ${value}.`);
    }
    // Two's complement: the unsigned setters also write negative numbers.
    if (range.size === 1) this.#view.setUint8(this.#at, value);
    else if (range.size === 2) this.#view.setUint16(this.#at, value, true);
    else this.#view.setUint32(this.#at, value, true);
    this.#at += range.size;
  }

  #makeRoom(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const bytes = new Uint8Array(this.#bytes.length * 2 + size);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

interface Range {
  readonly size: 1 | 2 | 4;
  readonly least: number;
  readonly most: number;
}

const RANGES: ReadonlyMap<number, Range> = new Map<number, Range>([
  [FitBaseType.Enum, { size: 1, least: 0, most: 0xff }],
  [FitBaseType.Uint8, { size: 1, least: 0, most: 0xff }],
  [FitBaseType.Sint8, { size: 1, least: -0x80, most: 0x7f }],
  [FitBaseType.Uint16, { size: 2, least: 0, most: 0xffff }],
  [FitBaseType.Uint32, { size: 4, least: 0, most: 0xffff_ffff }],
  [FitBaseType.Uint32z, { size: 4, least: 0, most: 0xffff_ffff }],
  [FitBaseType.Sint32, { size: 4, least: -0x8000_0000, most: 0x7fff_ffff }],
]);
