/** The factors between units that more than one part of the program converts. */

export const KG_PER_POUND = 0.45359237;
export const KCAL_PER_KJ = 1 / 4.184;
/** Of a decilitre, and of a litre. */
export const MMOL_PER_MG_OF_LACTATE = 0.111;
export const METRES_PER_MILE = 1_609.344;
/** Millilitres of a fluid ounce of the United States. */
export const ML_PER_FLUID_OUNCE = 29.5735295625;

/** A value of another unit or scale becomes `value * factor + plus`, and at least `least`. */
export interface Conversion {
  readonly factor: number;
  readonly plus?: number;
  readonly least?: number;
}

export function convert(
  value: number,
  { factor = 1, plus = 0, least = -Infinity }: Partial<Conversion>,
): number {
  return Math.max(value * factor + plus, least);
}

/** Units that people write, by the platform's: the factor of each. */
export const UNIT_FACTORS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  kg: { kg: 1, lb: KG_PER_POUND, st: 14 * KG_PER_POUND, kgs: 1, lbs: KG_PER_POUND },
  s: { s: 1, min: 60, h: 3_600, hrs: 3_600, hours: 3_600 },
  min: { min: 1, s: 1 / 60, h: 60 },
  m: { m: 1, km: 1_000, mi: METRES_PER_MILE },
  cm: { cm: 1, in: 2.54 },
  kcal: { kcal: 1, kJ: KCAL_PER_KJ },
  ml: { ml: 1, l: 1_000, 'fl oz': ML_PER_FLUID_OUNCE },
  ms: { ms: 1 },
  g: { g: 1, mg: 0.001 },
  'mmol/l': { 'mmol/l': 1, 'mg/dl': MMOL_PER_MG_OF_LACTATE },
};
