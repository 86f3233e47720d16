import { MARK, type ServiceDefinition } from './definition.ts';
import { xmlText } from './xml.ts';

type PlistValue =
  string | number | boolean | readonly string[] | { readonly [key: string]: PlistValue };

/**
 * A launch agent's property list (launchd.plist(5)) that keeps the watcher running.
 *
 * launchd only distinguishes zero from other exit codes. The watcher therefore ends with 0 if a restart
 * cannot help (`endsForGood`).
 *
 * @param label the agent's name in launchd
 * @throws Error if a path or a value holds a character that a property list cannot
 */
export function launchdPlist(label: string, definition: ServiceDefinition): string {
  const { command, env, crashFile } = definition;
  const properties: Record<string, PlistValue> = {
    Label: label,
    ProgramArguments: command,
    EnvironmentVariables: env,
    WorkingDirectory: '/',
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    // Seconds between two starts.
    ThrottleInterval: 30,
    ProcessType: 'Background',
    // The daemon ends its request within 5 s.
    ExitTimeOut: 15,
    Umask: 0o077,
    // A core dump would hold tokens.
    SoftResourceLimits: { Core: 0 },
    HardResourceLimits: { Core: 0 },
    StandardOutPath: crashFile,
    StandardErrorPath: crashFile,
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${MARK} -->`,
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    ...element(properties, ''),
    '</plist>',
    '',
  ].join('\n');
}

function element(value: PlistValue, indent: string): string[] {
  if (typeof value === 'string') return [`${indent}<string>${xmlText(value)}</string>`];
  if (typeof value === 'number') return [`${indent}<integer>${value}</integer>`];
  if (typeof value === 'boolean') return [`${indent}<${value ? 'true' : 'false'}/>`];
  return isList(value)
    ? block(
        'array',
        indent,
        value.flatMap((item) => element(item, `${indent}  `)),
      )
    : block(
        'dict',
        indent,
        Object.entries(value).flatMap(([key, item]) => [
          `${indent}  <key>${xmlText(key)}</key>`,
          ...element(item, `${indent}  `),
        ]),
      );
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value);
}

function block(name: string, indent: string, inside: readonly string[]): string[] {
  return inside.length === 0
    ? [`${indent}<${name}/>`]
    : [`${indent}<${name}>`, ...inside, `${indent}</${name}>`];
}
