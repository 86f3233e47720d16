import type { Handler } from 'hono';
import * as v from 'valibot';
import { isInstantWithZone, isPlainDate } from './dates.ts';
import { objectOf } from './request-body.ts';
import { checked, finiteNumber, integer, jsonObject } from './validate.ts';
import { mergedRaw, NOT_STORED } from './wellness.ts';
import type { SandboxEnv, World } from './world.ts';

const number = v.optional(finiteNumber);

const itemSchema = v.object({
  logged_at: v.pipe(
    v.string(),
    v.check(isInstantWithZone, 'Expected an ISO 8601 date and time with Z or an offset'),
  ),
  name: v.optional(v.string()),
  calories: number,
  carbs: number,
  protein: number,
  fat: number,
  fiber: number,
  sugar: number,
  quantity: v.optional(v.string()),
  meal: v.optional(v.picklist(['BREAKFAST', 'LUNCH', 'DINNER', 'SNACK', 'OTHER'])),
  absorptionType: v.optional(
    v.picklist(['RAPID', 'FAST', 'BALANCED', 'DENSE', 'HYPER_LOAD']),
    'BALANCED',
  ),
});

const nutritionSchema = v.object({
  date: v.pipe(v.string(), v.check(isPlainDate, 'Expected YYYY-MM-DD, a day that exists')),
  items: v.array(itemSchema),
  calories: v.optional(integer),
  carbs: number,
  protein: number,
  fat: number,
  waterMl: v.optional(integer),
  rawJson: v.optional(jsonObject),
});

type Item = v.InferOutput<typeof itemSchema>;

/** The totals that are sums of the items where the day does not state them. */
const SUMMED = ['calories', 'carbs', 'protein', 'fat'] as const;

/**
 * `POST /api/nutrition` (interface section 4.3): upserts by date. The contract is that the day is
 * replaced; with the knob `nutrition: append` the items sent are added to those of the day.
 */
export function postNutrition(world: World): Handler<SandboxEnv> {
  return (c) => {
    const input = checked(nutritionSchema, objectOf(c.get('body')), 'nutrition record');
    if (c.get('successFalse')) return c.json(NOT_STORED);
    const { athleteId } = c.get('bearer');
    const { date, items: sent, rawJson, ...totals } = input;
    const append = world.settings.current.nutrition === 'append';
    const before = world.daily.find(athleteId, 'nutrition', date)?.record;
    const items = append ? [...((before?.['items'] as Item[] | undefined) ?? []), ...sent] : sent;
    const raw = append ? mergedRaw(before?.['rawJson'], rawJson) : rawJson;
    const stored = world.daily.put(athleteId, 'nutrition', date, {
      ...sums(items),
      ...totals,
      items,
      ...(raw === undefined ? {} : { rawJson: raw }),
    });
    return c.json({ success: true, data: { id: stored.id, date, ...stored.record } });
  };
}

function sums(items: readonly Item[]): Record<string, number> {
  return Object.fromEntries(
    SUMMED.map((field) => [field, items.reduce((sum, item) => sum + (item[field] ?? 0), 0)]),
  );
}
