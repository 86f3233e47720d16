import type { Ora } from 'ora';
import { glyphsFor } from './glyphs.ts';
import type { TerminalFeatures } from './features.ts';

/** Columns before the text: the spinner and a space. */
export const SPINNER_COLUMNS = 2;

/**
 * Returns a function that shows a text beside a spinner on the current line of a terminal; '' erases
 * the line. The library is loaded with the first text: a short command shows none.
 */
export function spinnerOn(
  stream: () => NodeJS.WriteStream,
  { unicode, colour }: TerminalFeatures,
): (text: string) => void {
  let shown = '';
  let loading: Promise<Ora> | undefined;
  let spinner: Ora | undefined;
  const show = () => {
    if (spinner === undefined) return;
    spinner.text = shown;
    if (shown === '') spinner.stop();
    else if (!spinner.isSpinning) spinner.start();
  };
  const load = async () => {
    const { default: ora } = await import('ora');
    return ora({
      stream: stream(),
      isEnabled: true,
      discardStdin: false,
      color: colour ? 'cyan' : false,
      spinner: { frames: [...glyphsFor(unicode).spinner], interval: 100 },
    });
  };
  return (text) => {
    shown = text;
    if (text !== '') {
      loading ??= load().then((loaded) => {
        spinner = loaded;
        show();
        return loaded;
      });
    }
    show();
  };
}
