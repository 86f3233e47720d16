/**
 * Measures against what a user would use instead. `npm run bench` runs everything that is quick;
 * `npm run bench -- start upload` runs parts; `npm run bench -- --full` adds the large sizes.
 */
import { missed } from './support.mjs';

const PARTS = ['start', 'known', 'hash', 'upload', 'watch', 'memory', 'import'];
const args = process.argv.slice(2);
const full = args.includes('--full');
const chosen = args.filter((arg) => !arg.startsWith('--'));
const unknown = chosen.filter((part) => !PARTS.includes(part));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. There are: ${PARTS.join(', ')}.`);
  process.exit(2);
}
for (const part of chosen.length > 0 ? chosen : PARTS) {
  console.log(`\n${part}`);
  const { bench } = await import(`./${part}.mjs`);
  await bench({ full });
}
console.log(
  `\n${missed()} targets missed. The machine's other work moves single figures; run it twice.`,
);
