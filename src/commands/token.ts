import { withIsoTimes } from '../base/time.ts';
import type { CommandModule } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { withSession } from '../app/with-http.ts';
import { ExitCode } from '../base/errors.ts';

/** `sync token`: prints a valid access token, refreshed first if it is about to expire. */
export const token: CommandModule = {
  examples: ['curl -H "Authorization: Bearer $(sync token)" https://training.example.com/'],

  async run(context) {
    const { output, signal } = context;
    const config = configFor(context);
    return await withSession(context, config, async (session) => {
      const accessToken = (await session.accessToken(signal)).reveal();
      const { accessExpiresAt: expiresAt, scopes } = (await session.credentials(signal)).tokens;
      output.result(
        withIsoTimes({ type: 'token', accessToken, expiresAt, scopes }, 'expiresAt'),
        accessToken,
      );
      return ExitCode.ok;
    });
  },
};
