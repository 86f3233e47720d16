// Writes a synthetic export.xml of Apple Health: a watch and a phone over years, the same for the same size.
// Usage: node bench/make-apple-export.mjs FILE [MEGABYTES]
import { closeSync, openSync, writeSync } from 'node:fs';

const [file, size = '1000'] = process.argv.slice(2);
if (file === undefined) throw new Error('Usage: node bench/make-apple-export.mjs FILE [MEGABYTES]');
const wanted = Number(size) * 1e6;

const DAY = 86_400;
const FIRST = Date.UTC(2015, 0, 1) / 1000;
const DEVICE =
  '&lt;&lt;HKDevice: 0x283ac1e00&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:10.1&gt;';

const out = openSync(file, 'w');
let written = 0;
let pending = '';

function write(text) {
  pending += text;
  if (pending.length < 1 << 20) return;
  written += writeSync(out, pending);
  pending = '';
}

/** Writes a time as Apple does, in a zone one hour east of UTC. */
function time(second) {
  return `${new Date((second + 3600) * 1000).toISOString().slice(0, 19).replace('T', ' ')} +0100`;
}

function record(type, source, unit, from, to, value) {
  const device = source === 'Watch' ? ` device="${DEVICE}"` : '';
  write(
    ` <Record type="${type}" sourceName="Ada’s ${source}" sourceVersion="10.1"${device} unit="${unit}" creationDate="${time(to)}" startDate="${time(from)}" endDate="${time(to)}" value="${value}"/>\n`,
  );
}

/** About 900 records a day: half of them heart rates, the rest what a watch and a phone count. */
function writeDay(day) {
  const start = FIRST + day * DAY;
  const quantity = 'HKQuantityTypeIdentifier';
  for (let at = 0; at < 430; at++) {
    const from = start + at * 200;
    record(`${quantity}HeartRate`, 'Watch', 'count/min', from, from, 50 + ((at * 7) % 60));
  }
  for (let at = 0; at < 90; at++) {
    const from = start + 7 * 3600 + at * 600;
    const steps = 20 + ((at * 13 + day) % 90);
    record(`${quantity}StepCount`, 'Watch', 'count', from, from + 540, steps);
    if (at % 2 === 0)
      record(`${quantity}StepCount`, 'iPhone', 'count', from + 60, from + 600, steps + 5);
    record(
      `${quantity}ActiveEnergyBurned`,
      'Watch',
      'Cal',
      from,
      from + 600,
      (steps / 17).toFixed(3),
    );
    record(`${quantity}BasalEnergyBurned`, 'Watch', 'Cal', from, from + 600, '11.25');
    record(
      `${quantity}DistanceWalkingRunning`,
      'Watch',
      'km',
      from,
      from + 600,
      (steps / 1300).toFixed(5),
    );
  }
  record(
    `${quantity}RestingHeartRate`,
    'Watch',
    'count/min',
    start + 60,
    start + 80_000,
    45 + (day % 9),
  );
  record(
    `${quantity}BodyMass`,
    'Scale',
    'kg',
    start + 25_200,
    start + 25_200,
    (70 + (day % 30) / 10).toFixed(1),
  );
  const stages = ['AsleepCore', 'AsleepDeep', 'AsleepREM', 'Awake'];
  for (let at = 0; at < 32; at++) {
    const from = start - 2 * 3600 + at * 900;
    write(
      ` <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Ada’s Watch" startDate="${time(from)}" endDate="${time(from + 900)}" value="HKCategoryValueSleepAnalysis${stages[at % 4]}"/>\n`,
    );
  }
}

write(
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData ANY>\n]>\n<HealthData locale="en_GB">\n',
);
for (let day = 0; written + pending.length < wanted; day++) writeDay(day);
write('</HealthData>\n');
written += writeSync(out, pending);
closeSync(out);
console.log(`${file}: ${(written / 1e6).toFixed(0)} MB`);
