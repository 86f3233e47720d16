import type { AppContext } from '../../app/context.ts';
import { linesOf, renderText } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { jsonLine } from '../../terminal/output.ts';
import { EventCommand } from '../../watch/hooks/event-command.ts';
import { notify } from '../../watch/hooks/notify.ts';
import type { WatchNotice } from '../../watch/report.ts';
import { Notifications } from './notifications.ts';
import { watchNoticeJson } from './words.ts';

/**
 * Opens what hears of the notices of a watcher beside its output: the desktop, and the user's command.
 *
 * @param print prints a notice that no hook hears of
 */
export function openHooks(
  context: AppContext,
  config: Config,
  print: (notice: WatchNotice) => void,
) {
  const { env, platform } = context;
  const { profile } = config;
  const notifications = new Notifications(context, {
    mode: config.get('notifications'),
    show: ({ title, text }) => notify(platform, env, { title, text: renderText(text, profile) }),
  });
  const command = eventCommand(context, config, print);
  return {
    /**
     * @param waiting recordings that are still to be sent
     * @param at the time of the notice
     */
    report(notice: WatchNotice, waiting: number, at: Date): void {
      notifications.report(notice, waiting);
      if (!isEvent(notice)) return;
      command?.pass(jsonLine(watchNoticeJson(notice, at), profile));
    },
    /** Passes on what is held back, and ends the user's command. */
    async close(): Promise<void> {
      notifications.flush();
      await command?.close();
    },
  };
}

function eventCommand(
  context: AppContext,
  config: Config,
  print: (notice: WatchNotice) => void,
): EventCommand | undefined {
  const { env, platform, homeDir, output } = context;
  const command = config.get('onEvent');
  if (command === undefined) return undefined;
  return new EventCommand(context, {
    command,
    platform,
    // As for cron: where the watcher was started says nothing.
    cwd: homeDir,
    // A `sync` in the command means the same account.
    env: { ...env, SYNC_PROFILE: config.profile },
    onOutput: (text) => output.say(linesOf(text.replace(/^/gm, 'onEvent: '))),
    // The command does not get its own failures: each would cause another.
    onFailure: (message) => print({ event: 'problem', message }),
  });
}

/** Returns whether something happened: a device may hold thousands of files that are no activities. */
function isEvent(notice: WatchNotice): boolean {
  return notice.event !== 'upload' || notice.item.outcome !== 'skipped';
}
