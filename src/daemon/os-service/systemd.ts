import { KEEP_ALIVE_MS } from '../keep-alive.ts';
import { MARK, type ServiceDefinition, describe } from './definition.ts';

/**
 * Hardening that works in a user's own service manager: it needs no privilege and no namespace
 * (`PrivateTmp`, `ProtectSystem` and their like would hide folders, or fail where user namespaces
 * are forbidden), and leaves alone what the daemon lives on: any folder the user names, the
 * keychain over D-Bus, the network. Not `MemoryDenyWriteExecute`: V8 makes code as it runs.
 */
const HARDENING = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictNamespaces=yes',
  // Netlink: the C library asks it which addresses this machine has.
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
  'UMask=0077',
  // A core dump would hold tokens.
  'LimitCORE=0',
];

/** The watcher notifies systemd when it starts, and about every minute; a watcher that stops that is restarted. */
const NOTIFYING = ['Type=notify', 'NotifyAccess=all', `WatchdogSec=${(5 * KEEP_ALIVE_MS) / 1000}`];

/**
 * A user unit that keeps the watcher running.
 *
 * It is restarted after a crash, but not if a restart cannot help: after exit code 2 (a wrong setting,
 * or another watcher for these folders) and 4 (no login). systemd skips a unit if Node or the program was
 * uninstalled.
 *
 * @param notifies the system has {@link NOTIFY_TOOL}
 */
export function systemdUnit(definition: ServiceDefinition, notifies = true): string {
  const { command, env } = definition;
  const [program, ...args] = command;
  const [script] = args;
  const lines = [
    `# ${MARK}`,
    '[Unit]',
    `Description=${describe(definition).replaceAll('%', '%%')}`,
    // These directives take a path without quotes. npm uninstalls the script and leaves Node.
    `ConditionFileIsExecutable=${quoteInside(program)}`,
    `ConditionPathExists=${quoteInside(script)}`,
    // However often it fails: RestartSec keeps it from turning in circles.
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...(notifies ? NOTIFYING : ['Type=exec']),
    // The program's own path knows no variables.
    `ExecStart=${[quoteWord(program), ...args.map(quoteArgument)].join(' ')}`,
    ...Object.entries(env).map(([name, value]) => `Environment=${quoteWord(`${name}=${value}`)}`),
    'WorkingDirectory=/',
    'Restart=on-failure',
    'RestartSec=30',
    'RestartPreventExitStatus=2 4',
    // Interrupted before it was up.
    'SuccessExitStatus=130',
    // The daemon ends its request within 5 s.
    'TimeoutStopSec=15',
    'KillMode=mixed',
    ...HARDENING,
    '',
    '[Install]',
    'WantedBy=default.target',
  ];
  return `${lines.join('\n')}\n`;
}

/** systemd.service(5), "Command lines": `$` starts a variable, `%` a specifier. */
function quoteArgument(text: string): string {
  return quoteWord(text).replaceAll('$', '$$$$');
}

/** systemd.syntax(7), "Quoting": a word in double quotes, with C-style escapes. */
function quoteWord(text: string): string {
  return `"${quoteInside(text.replaceAll('\\', '\\\\').replaceAll('"', '\\"'))}"`;
}

function quoteInside(text: string): string {
  return text.replaceAll('%', '%%').replace(
    // eslint-disable-next-line no-control-regex
    /[\x00-\x1f\x7f-\x9f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
