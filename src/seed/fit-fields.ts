import { FitBaseType, FitEncoder, type FitEncoderField } from 'fit-file-parser/encoder';

import type { Position } from './recording.ts';

/** Fields of a FIT message by number. Values are scaled as in the file. */

/** FIT counts seconds from 1989-12-31T00:00:00Z. */
export const FIT_EPOCH = 631_065_600;

/** Returns the two fields of a position; none for null. */
export function position(
  [latitude, longitude]: readonly [number, number],
  place: Position | null,
): FitEncoderField[] {
  return place === null
    ? []
    : [sint32(latitude, place.latitude), sint32(longitude, place.longitude)];
}

/** Returns the field; none for null. */
export function optional(
  field: (number: number, value: number) => FitEncoderField,
  number: number,
  value: number | null,
): FitEncoderField[] {
  return value === null ? [] : [field(number, value)];
}

/** @param instant seconds since 1970-01-01T00:00:00Z */
export function time(number: number, instant: number): FitEncoderField {
  return uint32(number, instant - FIT_EPOCH);
}

export function enumeration(number: number, value: number): FitEncoderField {
  return { number, size: 1, baseType: FitBaseType.Enum, value };
}

export function uint8(number: number, value: number): FitEncoderField {
  return { number, size: 1, baseType: FitBaseType.Uint8, value };
}

export function sint8(number: number, value: number): FitEncoderField {
  return { number, size: 1, baseType: FitBaseType.Sint8, value };
}

export function uint16(number: number, value: number): FitEncoderField {
  return { number, size: 2, baseType: FitBaseType.Uint16, value };
}

export function uint32(number: number, value: number): FitEncoderField {
  return { number, size: 4, baseType: FitBaseType.Uint32, value };
}

export function sint32(number: number, value: number): FitEncoderField {
  return { number, size: 4, baseType: FitBaseType.Sint32, value };
}

export function text(number: number, value: string): FitEncoderField {
  const bytes = FitEncoder.string(value);
  return { number, size: bytes.length, baseType: FitBaseType.String, value: bytes };
}
