// Prints the manual page. The build bundles this script as dist/manual.cjs.
import { NAME_VARIABLE, chooseProgramName, setProgramName } from '../../src/base/phrase.ts';
import { VERSION } from '../../src/base/version.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { createTree } from '../../src/cli/tree.ts';
import { manualPage } from './page.ts';

setProgramName(chooseProgramName(process.env[NAME_VARIABLE]));
void createTree(COMMANDS).then((root) => {
  console.log(manualPage(root, VERSION));
});
