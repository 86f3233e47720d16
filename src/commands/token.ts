import { withIsoTimes } from '../base/time.ts';
import type { CommandModule } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { withHttp } from '../app/with-http.ts';
import { openSession } from '../auth/open-session.ts';
import { ExitCode } from '../base/errors.ts';

/** `sync token`: prints a valid access token, refreshed first if it is about to expire. */
export const token: CommandModule = {
  examples: ['curl -H "Authorization: Bearer $(sync token)" https://training.example.com/'],

  async run(context) {
    const { io, output, signal } = context;
    const config = configFor(context);
    return await withHttp(context, async (http) => {
      const options = { ...context, http, attended: io.interactive };
      const session = openSession(context, config, options);
      try {
        const accessToken = (await session.accessToken(signal)).reveal();
        const { tokens } = await session.credentials(signal);
        const { accessExpiresAt: expiresAt, scopes } = tokens;
        output.result(
          withIsoTimes({ type: 'token', accessToken, expiresAt, scopes }, 'expiresAt'),
          accessToken,
        );
        return ExitCode.ok;
      } finally {
        await session.close();
      }
    });
  },
};
