import { randomBytes } from 'node:crypto';
import type { FramedUpload } from '../api/client.ts';
import { sha256 } from '../system/this-process.ts';
import type { Whole } from './identify.ts';

/** Contents of the parts besides the file (interface 2.1). */
export interface UploadFields {
  /** Name of the file part. */
  readonly filePart: string;
  /** Must end in `.fit` for some services. */
  readonly fileName: string;
  readonly name: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Returns the text parts of the form, in the order on the wire. */
export function textParts(fields: UploadFields): { name: string; value: string }[] {
  return [
    ...(fields.name === undefined ? [] : [{ name: 'name', value: fields.name }]),
    { name: 'metadata', value: JSON.stringify(fields.metadata) },
  ];
}

/**
 * Boundary of the form: 144 random bits, which no recording contains by chance. Generated once per
 * process, because generating it takes time.
 */
let boundary: string | undefined;

/** Frames a recording as `multipart/form-data` (RFC 7578), without a copy of it. */
export function frameUpload(bytes: Uint8Array, fields: UploadFields): FramedUpload {
  boundary ??= `athlete-sync-${randomBytes(18).toString('base64url')}`;
  const parts = [
    ...textParts(fields).map(
      ({ name, value }) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
    ),
    `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(fields.filePart)}"; filename="${escapeName(fields.fileName)}"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  ];
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return { contentType, body: [Buffer.from(parts.join('')), bytes, tail] };
}

/** Escapes three characters, as browsers do (WHATWG HTML, multipart/form-data encoding). */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/**
 * Returns the file name on the wire: `2026-02-15-07-10-00-1234567890.fit`. Start and file name identify a
 * workout on deployed services, which misread some characters. The name depends only on what the
 * recording states: copies under other names, on other computers, or repaired become one workout.
 *
 * @param digest of a converted activity, which identifies it instead of the device
 */
export function wireFileName(
  startedAt: number | undefined,
  { sha256: hash, summary: { fileId } }: Whole,
  digest?: string,
): string {
  const { manufacturer, product, serial, timeCreated } = fileId ?? {};
  const device = [manufacturer, product, serial, timeCreated?.getTime()].join();
  const number = Number.parseInt(
    (startedAt === undefined ? hash : (digest ?? sha256(device))).slice(0, 8),
    16,
  );
  if (startedAt === undefined) return `${number}.fit`;
  return `${new Date(startedAt).toISOString().slice(0, 19).replace(/[T:]/g, '-')}-${number}.fit`;
}
