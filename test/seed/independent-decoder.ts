/**
 * A reader of FIT files written from the protocol alone. It shares no code and no table with the
 * encoder, the program or fit-file-parser, so that a mistake cannot hide on both sides. It knows no
 * profile: messages and fields are numbers, values are as in the file.
 */
export interface RawMessage {
  readonly global: number;
  /** By field number; absent if marked invalid. */
  readonly fields: ReadonlyMap<number, number | string>;
}

interface Definition {
  readonly global: number;
  readonly littleEndian: boolean;
  readonly fields: readonly { number: number; size: number; baseType: number }[];
}

/** Reads one whole segment. Throws if it is not whole. */
export function decodeIndependently(file: Uint8Array): RawMessage[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerSize = view.getUint8(0);
  const dataSize = view.getUint32(4, true);
  if (new TextDecoder().decode(file.subarray(8, 12)) !== '.FIT') throw new Error('not FIT');
  if (file.length !== headerSize + dataSize + 2) throw new Error('wrong length');
  if (view.getUint16(12, true) !== crcBitByBit(file.subarray(0, 12))) throw new Error('header CRC');
  const end = headerSize + dataSize;
  if (view.getUint16(end, true) !== crcBitByBit(file.subarray(0, end))) throw new Error('CRC');

  const definitions = new Map<number, Definition>();
  const messages: RawMessage[] = [];
  let at = headerSize;
  while (at < end) {
    const header = view.getUint8(at++);
    if ((header & 0x80) !== 0) throw new Error('compressed timestamps are not expected');
    const local = header & 0x0f;
    if ((header & 0x40) !== 0) {
      if ((header & 0x20) !== 0) throw new Error('developer fields are not expected');
      const littleEndian = view.getUint8(at + 1) === 0;
      const global = view.getUint16(at + 2, littleEndian);
      const count = view.getUint8(at + 4);
      at += 5;
      const fields = Array.from({ length: count }, (_, field) => ({
        number: view.getUint8(at + field * 3),
        size: view.getUint8(at + field * 3 + 1),
        baseType: view.getUint8(at + field * 3 + 2),
      }));
      at += count * 3;
      definitions.set(local, { global, littleEndian, fields });
      continue;
    }
    const definition = definitions.get(local);
    if (definition === undefined) throw new Error('data without a definition');
    const fields = new Map<number, number | string>();
    for (const { number, size, baseType } of definition.fields) {
      const value = read(view, at, size, baseType, definition.littleEndian);
      if (value !== undefined) fields.set(number, value);
      at += size;
    }
    messages.push({ global: definition.global, fields });
  }
  if (at !== end) throw new Error('the last message runs past the data');
  return messages;
}

function read(
  view: DataView,
  at: number,
  size: number,
  baseType: number,
  littleEndian: boolean,
): number | string | undefined {
  const number = (width: number, value: number, invalid: number) => {
    if (size !== width) throw new Error('arrays are not expected');
    return value === invalid ? undefined : value;
  };
  switch (baseType) {
    case 0x00: // enum
    case 0x02: // uint8
      return number(1, view.getUint8(at), 0xff);
    case 0x01: // sint8
      return number(1, view.getInt8(at), 0x7f);
    case 0x84: // uint16
      return number(2, view.getUint16(at, littleEndian), 0xffff);
    case 0x85: // sint32
      return number(4, view.getInt32(at, littleEndian), 0x7fffffff);
    case 0x86: // uint32
      return number(4, view.getUint32(at, littleEndian), 0xffffffff);
    case 0x8c: // uint32z
      return number(4, view.getUint32(at, littleEndian), 0);
    case 0x07: {
      const text = new TextDecoder().decode(
        new Uint8Array(view.buffer, view.byteOffset + at, size),
      );
      return text.slice(0, text.indexOf('\0'));
    }
    default:
      throw new Error(`base type ${baseType.toString(16)} is not expected`);
  }
}

function crcBitByBit(bytes: Uint8Array): number {
  let register = 0;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const carry = (register ^ (byte >> bit)) & 1;
      register >>= 1;
      if (carry === 1) register ^= 0xa001;
    }
  }
  return register;
}
