import { MARK, type ServiceDefinition, describe } from './definition.ts';
import { xmlText } from './xml.ts';

/**
 * A task for Windows' Task Scheduler (schema 1.2) that starts the watcher when its user logs on.
 *
 * It runs in the user's own session, because the credential manager is closed to any other, and it
 * starts the daemon and ends: the daemon then runs without a console window, and the task's last
 * result is the daemon's answer.
 *
 * @param user the account, as `DOMAIN\name`
 * @throws Error if a path or a value cannot be written: control characters, or something that the
 *   Task Scheduler would take for a variable
 */
export function windowsTask(user: string, definition: ServiceDefinition): string {
  const [program, ...args] = definition.command;
  for (const word of definition.command) refuseVariables(word);
  const line = args.map(quoteWindowsArgument).join(' ');
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    `<!-- ${MARK} -->`,
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo>',
    `    <Description>${xmlText(describe(definition))}</Description>`,
    '  </RegistrationInfo>',
    '  <Triggers>',
    '    <LogonTrigger>',
    '      <Enabled>true</Enabled>',
    `      <UserId>${xmlText(user)}</UserId>`,
    '    </LogonTrigger>',
    '  </Triggers>',
    '  <Principals>',
    '    <Principal id="Author">',
    `      <UserId>${xmlText(user)}</UserId>`,
    '      <LogonType>InteractiveToken</LogonType>',
    '      <RunLevel>LeastPrivilege</RunLevel>',
    '    </Principal>',
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <StartWhenAvailable>true</StartWhenAvailable>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure>',
    '      <Interval>PT1M</Interval>',
    '      <Count>3</Count>',
    '    </RestartOnFailure>',
    '    <Enabled>true</Enabled>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    <Exec>',
    `      <Command>${xmlText(program)}</Command>`,
    `      <Arguments>${xmlText(line)}</Arguments>`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n');
}

/**
 * One argument as CommandLineToArgvW and the C runtime read it back: backslashes count double in
 * front of a quote, and nowhere else.
 */
export function quoteWindowsArgument(text: string): string {
  if (text !== '' && !/[\s"]/.test(text)) return text;
  return `"${text.replace(/(\\*)("|$)/g, (_all, slashes: string, end: string) =>
    end === '"' ? `${slashes}${slashes}\\"` : `${slashes}${slashes}`,
  )}"`;
}

/** `%NAME%` is replaced by the Task Scheduler, and nothing can be written to prevent it. */
function refuseVariables(word: string): void {
  if (/%[^%]+%/.test(word)) {
    throw new Error(`${word} holds %...%, which Windows would take for a variable`);
  }
}

/**
 * Generates a file for Node's `--env-file`, since a task cannot set variables. Values are in quotes of a
 * kind that they do not contain, in which no character is special.
 *
 * @throws Error for a value that no quotes can hold
 */
export function environmentFile(env: Readonly<Record<string, string>>): string {
  const lines = Object.entries(env).map(([name, value]) => {
    // Not double quotes: \n in them would be a line break, and C:\new is a path.
    const quote = ["'", '`'].find((mark) => !value.includes(mark));
    if (quote === undefined || /[\r\n]/.test(value)) {
      throw new Error(`${name}: ${value} cannot be written into a file of variables`);
    }
    return `${name}=${quote}${value}${quote}`;
  });
  return `# ${MARK}\n${lines.map((line) => `${line}\n`).join('')}`;
}
