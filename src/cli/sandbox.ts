import { type SandboxCommandOptions, runSandbox } from '../commands/sandbox.ts';
import { ExitCode } from '../base/errors.ts';
import { sandboxReadyText, sandboxStoppedText } from '../render/sandbox.ts';
import { type Invocation, warnOfDistrust, wholeNumber } from '../app/invocation.ts';

export interface SandboxFlags extends Omit<
  SandboxCommandOptions,
  'port' | 'accessTtl' | 'refreshTtl' | 'rateLimit' | 'addressRateLimit'
> {
  readonly port?: string;
  readonly accessTtl?: string;
  readonly refreshTtl?: string;
  readonly rateLimit?: string;
  readonly addressRateLimit?: string;
}

/** Longest lifetime that makes sense to try, in s: ten years. */
const MAX_TTL = 315_360_000;

export async function sandbox(invocation: Invocation, flags: SandboxFlags): Promise<ExitCode> {
  const { deps, output } = invocation;
  const number = (flag: string, text: string | undefined, least: number, most: number) =>
    text === undefined ? undefined : wholeNumber(flag, text, least, most);
  if (flags.data !== undefined) warnOfDistrust(invocation, flags.data);
  const report = await runSandbox(
    {
      ...flags,
      port: number('--port', flags.port, 0, 65_535),
      accessTtl: number('--access-ttl', flags.accessTtl, 1, MAX_TTL),
      refreshTtl: number('--refresh-ttl', flags.refreshTtl, 1, MAX_TTL),
      rateLimit: number('--rate-limit', flags.rateLimit, 1, 1_000_000),
      addressRateLimit: number('--address-rate-limit', flags.addressRateLimit, 1, 1_000_000),
    },
    {
      signal: deps.signal,
      onReady: (info) => output.result({ ...info }, sandboxReadyText(info)),
    },
  );
  output.result({ ...report }, sandboxStoppedText(report));
  return ExitCode.ok;
}
