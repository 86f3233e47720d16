import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { DrawnFaults } from './script.ts';
import type { FaultKind } from './spec.ts';
import { ApiProblem } from '../http/problem.ts';
import type { RouteName } from '../http/routes.ts';
import { failedUpload } from '../resources/upload.ts';
import type { Call } from '../platform.ts';

/** Time for half a body to arrive before the connection is reset (ms). */
const HALF_ARRIVES_MS = 25;

/** Processes the request unless its fault prevents that, and returns the answer to send: the handler's, or the fault's. */
export async function answerTo(
  c: Call,
  route: RouteName | null,
  fault: DrawnFaults['fault'],
  process: () => Promise<Response>,
): Promise<Response> {
  const response = fault === null || fault.after ? await process() : new Response();
  switch (fault?.kind) {
    case undefined:
      return response;
    case 'success-false':
      return Response.json(refusedAnswer(c, route));
    case 'status':
      return statusAnswer(c, fault);
    case 'html':
      return htmlAnswer(fault.status);
    case 'truncate': {
      const body = await bodyOf(response);
      return new Response(firstHalf(body), response);
    }
    case 'reset':
    case 'reset-after':
      outgoingOf(c).socket?.resetAndDestroy();
      return RESPONSE_ALREADY_SENT;
    case 'hang':
    case 'hang-after': {
      const outgoing = outgoingOf(c);
      const { signal } = c.var.world.closing;
      if (!outgoing.destroyed) await once(outgoing, 'close', { signal });
      return RESPONSE_ALREADY_SENT;
    }
    case 'reset-mid':
    case 'close-mid':
      return await breakOff(c, response, fault.kind);
  }
}

/** Sends the head, with the whole Content-Length, and half of the body. */
async function breakOff(
  c: Call,
  response: Response,
  kind: 'reset-mid' | 'close-mid',
): Promise<Response> {
  const outgoing = outgoingOf(c);
  const { status, headers } = response;
  const body = await bodyOf(response);
  outgoing.writeHead(status, { ...Object.fromEntries(headers), 'content-length': body.length });
  await new Promise((resolve) => outgoing.write(firstHalf(body), resolve));
  if (kind === 'close-mid') {
    outgoing.socket?.end();
  } else {
    await sleep(HALF_ARRIVES_MS);
    outgoing.socket?.resetAndDestroy();
  }
  return RESPONSE_ALREADY_SENT;
}

function statusAnswer(c: Call, fault: Extract<FaultKind, { kind: 'status' }>): Response {
  const { status, retryAfter, error } = fault;
  const message = 'A scripted fault of the sandbox';
  const headers: Record<string, string> = {};
  if (retryAfter !== null) {
    headers['retry-after'] = fault.retryAfterAsDate
      ? new Date(c.var.world.now() + retryAfter * 1000).toUTCString()
      : String(retryAfter);
  }
  // 304 has no body by definition; the other statuses may have one.
  if (status === 304) return new Response(null, { status, headers });
  return error === null
    ? c.var.platform.error(new ApiProblem(status, message, { headers }), c.req.url)
    : Response.json({ error, error_description: message }, { status, headers });
}

/** Returns an answer that says that nothing was stored. */
function refusedAnswer(c: Call, route: RouteName | null): object {
  if (route === 'upload-fit') return failedUpload(c);
  return { success: false, message: 'The record could not be stored' };
}

function htmlAnswer(status: number): Response {
  return new Response(
    `<html>\r\n<head><title>${status} Bad Gateway</title></head>\r\n<body>\r\n<center><h1>${status} Bad Gateway</h1></center>\r\n<hr><center>proxy</center>\r\n</body>\r\n</html>\r\n`,
    { status, headers: { 'content-type': 'text/html' } },
  );
}

async function bodyOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

function firstHalf(body: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(body.subarray(0, Math.floor(body.length / 2)));
}

/** Returns the status of an answer; null if a fault let none be sent. */
export function sentStatus(c: Call, response: Response): number | null {
  if (response !== RESPONSE_ALREADY_SENT) return response.status;
  const { headersSent, statusCode } = outgoingOf(c);
  return headersSent ? statusCode : null;
}

/** @throws Problem if the app runs without a server, as with `app.request()` */
function outgoingOf(c: Call): ServerResponse {
  // Without a server `env` is undefined, despite Hono's type.
  const { outgoing } = (c.env as Call['env'] | undefined) ?? {};
  if (outgoing === undefined) throw new ApiProblem(500, 'This fault needs a real connection');
  return outgoing;
}
