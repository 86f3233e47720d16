import { basename, join } from 'node:path';
import { Parser } from 'htmlparser2';
import { getFitGarminProductDisplayName, getFitManufacturerName } from 'fit-file-parser/profile';
import { type FileId, HEAD_BYTES, readFileId } from '../fit/file-id.ts';
import { printableWord } from '../base/printable.ts';
import { isRecordingName } from '../inputs/recording-names.ts';
import { APPS } from './apps.ts';
import { MAKERS, type Maker } from './makers.ts';
import { type MountReader, foldersAt } from './mount-reader.ts';
import type { Recognised } from './recognise.ts';
import type { Device } from './types.ts';
import { capital } from '../terminal/words.ts';

/** Number of recordings that are asked for a serial number. Over MTP, reading one copies it. */
const ASKED = { disk: 3, mtp: 1 };

export type DeviceIdentity = Pick<Device, 'key' | 'title' | 'maker' | 'model' | 'serial'>;

/**
 * Identifies a device by `GarminDevice.xml`, else by its latest recordings, else by its volume.
 *
 * @param volume ID of the volume, if it has one
 * @throws NoAnswer
 */
export async function identify(
  reader: MountReader,
  root: string,
  { maker: known, recordings }: Recognised,
  access: Device['access'],
  volume: string | undefined,
): Promise<DeviceIdentity> {
  const stated = known?.name === 'garmin' ? await readXml(reader, root) : {};
  const fileId =
    stated.serial === undefined
      ? await latestFileId(reader, recordings, known, ASKED[access])
      : undefined;
  const fitName = getFitManufacturerName(fileId?.manufacturer) ?? undefined;
  const isOther = fileId !== undefined && isForeign(fileId, known);
  const maker =
    (isOther ? undefined : known) ?? MAKERS.find(({ fit }) => fit !== undefined && fit === fitName);
  const name = maker?.name ?? fitName?.replaceAll('_', '-') ?? UNKNOWN;
  // An app may have recorded the files of a card.
  const app = APPS.find((each) => each.name === fitName);
  const words = fitName && capital(fitName.replaceAll('_', ' '));
  const model = stated.model ?? modelOf(fileId);
  const serial = stated.serial ?? serialOf(fileId)?.toString();
  return {
    key: keyOf(name, serial, volume, root),
    title: titleOf(maker?.title ?? app?.title ?? words, model, root),
    maker: name,
    ...(model === undefined ? {} : { model }),
    ...(serial === undefined ? {} : { serial }),
  };
}

const UNKNOWN = 'unknown';

function keyOf(
  maker: string,
  serial: string | undefined,
  volume: string | undefined,
  root: string,
): string {
  if (serial !== undefined && maker !== UNKNOWN) return `serial:${maker}:${serial}`;
  return volume === undefined ? `path:${root}` : `volume:${volume}`;
}

async function readXml(reader: MountReader, root: string): Promise<GarminDevice> {
  for (const folder of [...(await foldersAt(reader, root, 'Garmin')), root]) {
    const name = (await reader.names(folder))?.find(
      (each) => each.toLowerCase() === 'garmindevice.xml',
    );
    if (name === undefined) continue;
    const bytes = await reader.head(join(folder, name), GARMIN_DEVICE_BYTES);
    if (bytes !== undefined) return readGarminDevice(bytes);
  }
  return {};
}

interface GarminDevice {
  /** `Edge 840`. */
  readonly model?: string;
  /** The unit ID, which recordings state as the serial number. */
  readonly serial?: string;
}

/** Bytes read of the file. Model and ID are at its beginning. */
const GARMIN_DEVICE_BYTES = 64 * 1024;

const MAX_MODEL = 60;

/**
 * Reads the beginning of a `GarminDevice.xml`
 * (http://www.garmin.com/xmlschemas/GarminDevicev2.xsd). The parser knows no entities but those of XML
 * itself, and forgives: a fault leaves out a field.
 */
function readGarminDevice(bytes: Uint8Array): GarminDevice {
  const texts = new Map<string, string>();
  const path: string[] = [];
  const parser = new Parser(
    {
      onopentagname: (tag) => void path.push(tag),
      ontext(text) {
        const at = path.join('/');
        if (at !== MODEL && at !== ID) return;
        texts.set(at, ((texts.get(at) ?? '') + text).slice(0, MAX_MODEL));
      },
      onclosetag: () => void path.pop(),
    },
    { xmlMode: true },
  );
  parser.end(new TextDecoder().decode(bytes));
  const model = printableWord(texts.get(MODEL));
  const serial = texts.get(ID)?.trim() ?? '';
  return {
    ...(model === undefined ? {} : { model }),
    ...(/^[1-9]\d{0,9}$/.test(serial) ? { serial } : {}),
  };
}

const MODEL = 'Device/Model/Description';
const ID = 'Device/Id';

/**
 * Returns the `file_id` of the latest recording by name (most names begin with the date) that states a
 * serial number; else of a recording with a maker. Files of other makers count only if the name of a disk
 * stands for the known one: people name sticks as they like.
 */
async function latestFileId(
  reader: MountReader,
  folders: readonly string[],
  known: Maker | undefined,
  asked: number,
): Promise<FileId | undefined> {
  const paths: string[] = [];
  for (const folder of folders) {
    const names = (await reader.names(folder)) ?? [];
    paths.push(...names.filter(isPlainRecording).map((name) => join(folder, name)));
  }
  let best: FileId | undefined;
  let other: FileId | undefined;
  for (const path of paths.sort(byName).slice(-asked).reverse()) {
    const head = await reader.head(path, HEAD_BYTES);
    const fileId = head === undefined ? undefined : readFileId(head);
    if (fileId?.manufacturer === undefined) continue;
    if (isForeign(fileId, known)) {
      other ??= fileId;
      continue;
    }
    if (serialOf(fileId) !== undefined) return fileId;
    best ??= fileId;
  }
  return best ?? (known?.knownBy === 'volume' && asked === ASKED.disk ? other : undefined);
}

/** Numbers that some makers write in place of a serial number. */
const PLACEHOLDERS = new Set([1, 12_345, 123_456, 123_456_789, 1_234_567_890]);

function serialOf(fileId: FileId | undefined): number | undefined {
  return fileId?.serial === undefined || PLACEHOLDERS.has(fileId.serial)
    ? undefined
    : fileId.serial;
}

/** A compressed file would have to be unpacked. */
function isPlainRecording(name: string): boolean {
  return isRecordingName(name) && /\.fit$/i.test(name);
}

function byName(a: string, b: string): number {
  const [left, right] = [basename(a), basename(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function isForeign({ manufacturer }: FileId, known: Maker | undefined): boolean {
  return known?.fit !== undefined && getFitManufacturerName(manufacturer) !== known.fit;
}

function modelOf(fileId: FileId | undefined): string | undefined {
  if (fileId === undefined) return undefined;
  const garmin =
    getFitManufacturerName(fileId.manufacturer) === 'garmin'
      ? (getFitGarminProductDisplayName(fileId.product) ?? undefined)
      : undefined;
  return garmin ?? printableWord(fileId.productName);
}

/** Returns `Garmin Edge 840`; not `COROS COROS DURA`. A device without a maker is named by its volume. */
function titleOf(maker: string | undefined, model: string | undefined, root: string): string {
  if (maker === undefined) return model ?? `Recordings on ${basename(root) || root}`;
  if (model === undefined) return maker;
  return model.toLowerCase().startsWith(maker.toLowerCase()) ? model : `${maker} ${model}`;
}
