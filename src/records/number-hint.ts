import { readDuration } from './clock.ts';
import type { NumberRule } from './fields.ts';

/** A number with a decimal comma: `72,5`. Three decimals may be thousands. */
const DECIMAL_COMMA = /^(-?\d+),(\d+)$/;
/** A number and its unit: `72.5 kg`, `61ms`, `98 %`. */
const WITH_UNIT = /^(-?\d+(?:[.,]\d+)?)\s*([^\d\s.,:].*)$/;

/**
 * Returns what to write in place of a text that is not a number; undefined if that is unclear.
 *
 * @param rule the field's rule; its unit is one such as `kg` or `s (24 h)`
 * @param factor from the file's unit to the field's
 */
export function numberHint(
  text: string,
  { type, unit, max }: NumberRule,
  factor: number,
): string | undefined {
  const written = text.trim();
  const wanted = unit.replace(/ \(.*$/, '');
  const [, whole, decimals = ''] = DECIMAL_COMMA.exec(written) ?? [];
  if (whole !== undefined) {
    if (decimals.length !== 3) return `write ${whole}.${decimals}`;
    const thousands = `write ${whole}${decimals}`;
    return type === 'integer' ? thousands : `${thousands} or ${whole}.${decimals}`;
  }
  const seconds = wanted === 's' ? readDuration(written) : undefined;
  if (seconds !== undefined && seconds <= max) return `write ${seconds / factor}`;
  const [, number, ownUnit = ''] = WITH_UNIT.exec(written) ?? [];
  if (number !== undefined) {
    const isOwn = ownUnit.toLowerCase() === wanted.toLowerCase();
    return isOwn
      ? `write ${number.replace(',', '.')}, without the unit`
      : `write the number of ${wanted}, without a unit`;
  }
  return undefined;
}
