import { channel } from 'node:diagnostics_channel';
import type { RequestBody } from './request-body.ts';
import type { RequestRecord } from './request-log.ts';

/** One request and its answer, as tools see them that check both against a contract. */
export interface Exchange {
  readonly record: RequestRecord;
  /** Decoded JSON, the fields of a form, or the names of multipart parts; secrets are in clear. */
  readonly body: unknown;
  /** Decoded JSON; null for an answer of another type. */
  readonly answer: unknown;
  /** Of the answer, without parameters. */
  readonly answerType: string | null;
}

/** The name of the diagnostics channel that every sandbox of this process publishes on. */
export const EXCHANGES = 'athlete-sync:sandbox:exchange';

const exchanges = channel(EXCHANGES);

/** Publishes an exchange if a tool listens. The answer is read from a copy. */
export async function publishExchange(
  record: RequestRecord,
  body: RequestBody,
  answer: Response,
): Promise<void> {
  if (!exchanges.hasSubscribers || record.status === null) return;
  const answerType = answer.headers.get('content-type')?.split(';', 1)[0] ?? null;
  const json = answerType === 'application/json' && record.faults.length === 0;
  exchanges.publish({
    record,
    body: contentOf(body),
    answer: json ? await answer.clone().json() : null,
    answerType,
  } satisfies Exchange);
}

function contentOf(body: RequestBody): unknown {
  switch (body.kind) {
    case 'json':
      return body.value;
    case 'form':
      return Object.fromEntries(body.fields);
    case 'multipart': {
      const parts: Record<string, string[]> = {};
      for (const { name, fileName, bytes } of body.parts) {
        (parts[name] ??= []).push(fileName ?? bytes.toString('utf8'));
      }
      return parts;
    }
    case 'none':
    case 'other':
    case 'malformed':
      return null;
  }
}
