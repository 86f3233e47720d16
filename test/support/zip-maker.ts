import { crc32, deflateRawSync } from 'node:zlib';

/** A member of {@link makeZip}. */
export interface ZipMember {
  /** UTF-8 with the flag for it, or raw bytes without the flag. */
  readonly name: string | Uint8Array;
  readonly bytes?: Uint8Array | string;
  /** Default: deflated. */
  readonly stored?: boolean;
  /** The sizes and the CRC follow the data. */
  readonly descriptor?: boolean;
  /** Extra field of the member; the directory's entry has none. */
  readonly extra?: Uint8Array;
  /** The directory's entry differs from the member. */
  readonly lies?: {
    readonly size?: number;
    readonly crc?: number;
    readonly method?: number;
    readonly flags?: number;
    /** Offset of the local header, to make members overlap. */
    readonly offset?: number;
  };
}

const UTF8_FLAG = 0x800;
const DESCRIPTOR_FLAG = 8;

/** Makes a zip archive (APPNOTE 4.3) without ZIP64. */
export function makeZip(members: readonly ZipMember[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const member of members) {
    const { name, bytes = '', stored = false, descriptor = false, lies = {} } = member;
    const { extra = new Uint8Array() } = member;
    const content = Buffer.from(bytes);
    const packed = stored ? content : deflateRawSync(content);
    const nameBytes = Buffer.from(name);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    const flags = (typeof name === 'string' ? UTF8_FLAG : 0) | (descriptor ? DESCRIPTOR_FLAG : 0);
    fixed.writeUInt16LE(lies.flags ?? flags, 2);
    fixed.writeUInt16LE(lies.method ?? (stored ? 0 : 8), 4);
    fixed.writeUInt32LE(lies.crc ?? crc32(content), 10);
    fixed.writeUInt32LE(packed.length, 14);
    fixed.writeUInt32LE(lies.size ?? content.length, 18);
    fixed.writeUInt16LE(nameBytes.length, 22);
    const head = Buffer.from(fixed);
    head.writeUInt16LE(extra.length, 24);
    if (descriptor) head.fill(0, 10, 22);
    const sizes = descriptor ? [signature('PK\x07\x08'), fixed.subarray(10, 22)] : [];
    const local = Buffer.concat([
      signature('PK\x03\x04'),
      ...[head, nameBytes, extra, packed, ...sizes],
    ]);
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(lies.offset ?? at, 12);
    central.push(
      Buffer.concat([
        signature('PK\x01\x02'),
        signature('\x14\0'),
        fixed,
        entry.subarray(2),
        nameBytes,
      ]),
    );
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const trailer = signature(comment);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  end.writeUInt16LE(trailer.length, 16);
  return Buffer.concat([...locals, directory, signature('PK\x05\x06'), end, trailer]);
}

function signature(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
