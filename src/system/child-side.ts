/** In a child process: takes the requests of the program (child-call.ts). */
export function onRequest(serve: (request: never) => Promise<void>): void {
  process.on('message', (request) => void serve(request as never));
}

/** Sends an answer to the program. @returns when it is written: a slow program limits the child */
export async function answer(message: object | string): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
