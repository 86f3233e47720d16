import type { HttpResponse } from '../api/http.ts';
import { MAX_MESSAGE, messageInJson } from '../api/service-message.ts';
import { sanitize } from '../base/printable.ts';

/** Upper bound for the part of a page that is read (characters). */
const MAX_PAGE = 100_000;
/** Upper bound for a line of a page (characters): searching a longer one takes quadratic time. */
const MAX_LINE = 1_000;

/** Matches a reason that names the redirect URI. A page of a bot wall may say "redirected". */
export const NAMES_REDIRECT_URI = /\b(?:redirect|redirection|callback)[ _-]?ur[il]/i;
/** Matches a reason that names the client. "Your client" in an error page of a web server is the browser. */
export const NAMES_CLIENT =
  /client[ _-]?id|(?:invalid|unauthorized|unknown|unregistered|no such)[ _](?:client|app)|(?:client|app|application)\b.* (?:not found|unknown|not registered|not exist)/i;
/** Matches a reason that names the scopes. */
export const NAMES_SCOPE = /\b(?:invalid|unknown|unsupported)[ _]scopes?\b/i;
const REASONS = [NAMES_REDIRECT_URI, NAMES_CLIENT, NAMES_SCOPE];

/** Elements that hold no text for people. */
const HIDDEN = new Set(['head', 'script', 'style', 'svg', 'template']);
const INLINE = new Set(['a', 'b', 'code', 'em', 'i', 'span', 'strong', 'small', 'q']);

/**
 * Returns the reason in a refusal of the authorize endpoint, which is JSON or a page for people; '' if
 * it states none. Of a page, this is the line that names the client, the redirect URI or the scopes.
 */
export async function refusalReason({ text }: HttpResponse): Promise<string> {
  return sanitize(messageInJson(text) ?? (await reasonInPage(text)), MAX_MESSAGE);
}

async function reasonInPage(text: string): Promise<string> {
  const lines = await linesOfPage(text.slice(0, MAX_PAGE));
  return lines.find((line) => REASONS.some((reason) => reason.test(line))) ?? '';
}

async function linesOfPage(html: string): Promise<string[]> {
  const { Parser } = await import('htmlparser2');
  const lines: string[] = [''];
  let hidden = 0;
  const boundary = (name: string) => {
    if (!INLINE.has(name)) lines.push('');
  };
  const parser = new Parser({
    onopentagname(name) {
      if (HIDDEN.has(name)) hidden++;
      boundary(name);
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden--;
      boundary(name);
    },
    ontext(text) {
      if (hidden === 0) lines.push((lines.pop() ?? '') + text);
    },
  });
  parser.end(html);
  return lines
    .map((line) => line.replace(/\s+/g, ' ').trim().slice(0, MAX_LINE))
    .filter((line) => line !== '');
}
