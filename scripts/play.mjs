// What scripts share that play a user of the program: a sandbox, the browser of a login, a device.
import { once } from 'node:events';

/** Arguments of a sandbox on a free port that approves each login. */
export const SANDBOX = [
  ...['sandbox', '--port', '0', '--auto-approve'],
  ...['--set', 'exactRedirectUris=false', '--json'],
];

/** Arguments of a login whose browser is {@link playBrowser}. */
export const LOGIN = ['login', '--no-browser', '--port', '0'];

/** The description that a bike computer of Garmin holds. */
export const GARMIN_DEVICE = `<?xml version="1.0" encoding="UTF-8"?>
<Device xmlns="http://www.garmin.com/xmlschemas/GarminDevice/v2">
  <Model><PartNumber>006-B4062-00</PartNumber><Description>Edge 840</Description></Model>
  <Id>3412345678</Id>
</Device>
`;

/** Waits for a sandbox. @returns its `url` and `clientId` */
export async function addressOf(sandbox) {
  const early = once(sandbox, 'close').then(() => {
    throw new Error('The sandbox ended at once.');
  });
  const [line] = await Promise.race([once(sandbox.stdout, 'data'), early]);
  return JSON.parse(String(line).split('\n')[0]);
}

/** Opens the address that a login prints, once. */
export function playBrowser(login) {
  let text = '';
  let isAsked = false;
  login.stderr.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    const address = /^\s+(http\S+authorize\S+)$/m.exec(text)?.[1];
    if (address === undefined || isAsked) return;
    isAsked = true;
    fetch(address).catch(() => login.kill());
  });
}
