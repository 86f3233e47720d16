/**
 * Returns a 64-bit ELF program without the sections that are not loaded (symbols, debug information),
 * as `strip` does, for every architecture: 18 MB of Node.js.
 *
 * Linkers write loaded sections first, in the file and in the section table: the rest is cut off, and the table
 * of names, which is not loaded either, is appended again. (System V ABI, chapters 4 and 5.)
 */
export function withoutUnloadedSections(program) {
  if (program.readUInt32BE(0) !== 0x7f454c46 || program[4] !== 2 || program[5] !== 1) {
    throw new Error('Not a 64-bit little-endian ELF file.');
  }
  const sections = readSections(program);
  const firstUnloaded = sections.findIndex(
    ({ type, flags }) => type !== SHT_NULL && !(flags & SHF_ALLOC),
  );
  if (firstUnloaded === -1) return program;
  if (sections.slice(firstUnloaded).some(({ flags }) => flags & SHF_ALLOC)) {
    throw new Error('A loaded section follows one that is not loaded.');
  }
  const kept = sections.slice(0, firstUnloaded);
  const names = sections[program.readUInt16LE(SHSTRNDX)];
  const loadedEnd = Math.max(
    ...kept.map(({ type, offset, size }) => (type === SHT_NOBITS ? 0 : offset + size)),
  );
  const loaded = Buffer.from(program.subarray(0, loadedEnd));
  const namesAt = aligned(loadedEnd);
  const tableAt = aligned(namesAt + names.size);

  const stripped = Buffer.alloc(tableAt + (kept.length + 1) * HEADER_SIZE);
  loaded.copy(stripped);
  program.copy(stripped, namesAt, names.offset, names.offset + names.size);
  for (const [index, { header }] of [...kept, names].entries()) {
    header.copy(stripped, tableAt + index * HEADER_SIZE);
  }
  stripped.writeBigUInt64LE(BigInt(namesAt), tableAt + kept.length * HEADER_SIZE + SH_OFFSET);
  stripped.writeBigUInt64LE(BigInt(tableAt), SHOFF);
  stripped.writeUInt16LE(kept.length + 1, SHNUM);
  stripped.writeUInt16LE(kept.length, SHSTRNDX);
  return stripped;
}

/** Fields of the file's header. */
const SHOFF = 0x28;
const SHNUM = 0x3c;
const SHSTRNDX = 0x3e;
/** A section's header: its size (bytes), and the place of the section's offset in it. */
const HEADER_SIZE = 64;
const SH_OFFSET = 0x18;
const SHT_NULL = 0;
const SHT_NOBITS = 8;
const SHF_ALLOC = 2;

function readSections(program) {
  const tableAt = Number(program.readBigUInt64LE(SHOFF));
  return Array.from({ length: program.readUInt16LE(SHNUM) }, (_, index) => {
    const header = program.subarray(
      tableAt + index * HEADER_SIZE,
      tableAt + (index + 1) * HEADER_SIZE,
    );
    return {
      header,
      type: header.readUInt32LE(0x04),
      flags: Number(header.readBigUInt64LE(0x08)),
      offset: Number(header.readBigUInt64LE(SH_OFFSET)),
      size: Number(header.readBigUInt64LE(0x20)),
    };
  });
}

function aligned(offset) {
  return Math.ceil(offset / 8) * 8;
}
