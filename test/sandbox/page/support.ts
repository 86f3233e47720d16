import { Parser } from 'htmlparser2';
import type { SandboxApp } from '../../../src/sandbox/app.ts';
import { bearer, postJson, upload } from '../support.ts';

export const HTML = { accept: 'text/html,application/xhtml+xml' };

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text in it and in its descendants. */
  text: string;
  readonly parents: readonly string[];
}

/** Returns the elements of a page in the order of their start tags. */
function elementsOf(html: string): Element[] {
  const found: Element[] = [];
  const open: Element[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      const element = { name, attributes, text: '', parents: open.map((each) => each.name) };
      found.push(element);
      open.push(element);
    },
    ontext(text) {
      for (const each of open) each.text += text;
    },
    onclosetag() {
      open.pop();
    },
  });
  parser.end(html);
  return found;
}

/** Reads the page. */
export async function readPage({ app }: Pick<SandboxApp, 'app'>, address = '/') {
  const response = await app.request(address, { headers: HTML });
  const html = await response.text();
  return { response, html, elements: elementsOf(html) };
}

/** Sends a recording, a day of wellness and a day of nutrition of the first athlete. */
export async function fill(
  sandbox: SandboxApp,
  recording: Uint8Array,
  name = 'Ride',
): Promise<void> {
  await upload(sandbox, [
    { name: 'file', fileName: 'ride.fit', content: recording },
    { name: 'name', content: name },
  ]);
  const headers = bearer(sandbox);
  await postJson(sandbox, '/api/wellness', { date: '2026-02-15', restingHr: 48, hrv: 62 }, headers);
  await postJson(
    sandbox,
    '/api/nutrition',
    {
      date: '2026-02-15',
      items: [
        { name, logged_at: '2026-02-15T06:10:00Z', carbs: 62, absorptionType: 'FAST' },
        { name: 'Late', logged_at: '2026-02-16T03:00:00Z', carbs: 10, absorptionType: 'DENSE' },
      ],
    },
    headers,
  );
}
