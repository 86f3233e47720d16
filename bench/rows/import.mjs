import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pair } from '../pair.mjs';
import { filesBelow, makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { forget, logIn, program, scratch } from '../world.mjs';
import { curlOf } from './upload.mjs';

/** Writes an archive as Garmin's account export is: archives of up to 400 recordings inside it. */
const NEST = `
import io, os, sys, zipfile
archive, *files = sys.argv[1:]
with zipfile.ZipFile(archive, 'w') as outer:
    for start in range(0, len(files), 400):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED) as inner:
            for file in files[start:start + 400]:
                inner.write(file, os.path.basename(file))
        outer.writestr(f'Part{start // 400}.zip', packed.getvalue())
`;

/** The first import of an account export, beside what a user would type: unzip twice, one curl for all. */
export function firstImport(count, sizeBytes, line) {
  return async ({ rounds, compared }) => {
    const files = filesBelow(await makeFolder(count, sizeBytes));
    const archive = join(scratch, 'export.zip');
    execFileSync('python3', ['-c', NEST, archive, ...files]);
    const sink = await startSink(line);
    const env = await logIn(sink.url);
    const command = [process.execPath, program, 'import', archive, '--yes', '--quiet'];
    const unpacked = join(scratch, 'unpacked');
    const curl = curlOf(
      files.map((file) => join(unpacked, basename(file))),
      sink.url,
    );
    const script = `unzip -q "$1" -d "$2" && for part in "$2"/*.zip; do unzip -q "$part" -d "$2"; done && shift 2 && "$@"`;
    const rival = {
      command: ['sh', '-c', script, 'unzip', archive, unpacked, ...curl],
      before: () => rmSync(unpacked, { recursive: true, force: true }),
    };
    const ours = { command, env, before: () => forget(env) };
    const figures = await pair(ours, compared && rival, rounds);
    sink.close();
    return figures;
  };
}
