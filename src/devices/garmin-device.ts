import { Parser } from 'htmlparser2';
import { printableWord } from '../base/printable.ts';

export interface GarminDevice {
  /** `Edge 840`. */
  readonly model?: string;
  /** The unit ID, which recordings state as the serial number. */
  readonly serial?: string;
}

/** Bytes read of the file. Model and ID are at its beginning. */
export const GARMIN_DEVICE_BYTES = 64 * 1024;

const MAX_MODEL = 60;

/**
 * Reads the beginning of a `GarminDevice.xml`
 * (http://www.garmin.com/xmlschemas/GarminDevicev2.xsd). The parser knows no entities but those of XML
 * itself, and forgives: a fault leaves out a field.
 */
export function readGarminDevice(bytes: Uint8Array): GarminDevice {
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
