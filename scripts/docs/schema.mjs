// Writes docs/json.schema.json from the tables in scripts/json-schema/.
import { keep, load } from './document.mjs';

const { LINES } = await load('scripts/json-schema/lines.ts');
const { jsonSchema } = await load('scripts/json-schema/schema.ts');

await keep('docs/json.schema.json', JSON.stringify(jsonSchema(LINES)));
