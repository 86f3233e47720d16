import { crc32, deflateRawSync } from 'node:zlib';

/** A member of {@link makeZip}. */
export interface ZipMember {
  /** UTF-8 with the flag for it, or raw bytes without the flag. */
  readonly name: string | Uint8Array;
  readonly bytes?: Uint8Array | string;
  /** Default: deflated. */
  readonly stored?: boolean;
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

/** Makes a zip archive (APPNOTE 4.3) without ZIP64. */
export function makeZip(members: readonly ZipMember[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, bytes = '', stored = false, lies = {} } of members) {
    const content = Buffer.from(bytes);
    const packed = stored ? content : deflateRawSync(content);
    const nameBytes = Buffer.from(name);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(lies.flags ?? (typeof name === 'string' ? UTF8_FLAG : 0), 2);
    fixed.writeUInt16LE(lies.method ?? (stored ? 0 : 8), 4);
    fixed.writeUInt32LE(lies.crc ?? crc32(content), 10);
    fixed.writeUInt32LE(packed.length, 14);
    fixed.writeUInt32LE(lies.size ?? content.length, 18);
    fixed.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([signature('PK\x03\x04'), fixed, nameBytes, packed]);
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
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, directory, signature('PK\x05\x06'), end]);
}

function signature(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
