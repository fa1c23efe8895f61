// The library out of the bundle of the command line: both are the same code, and shipped once. Each entry point is a module that names
// what the bundle exports for it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** `harness-hooks/pure` is a file of its own, for places without Node. */
const targets = Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports)
  .filter(([, target]) => typeof target !== 'string')
  .map(([path, target]) => ({ path, ...target }));
/** `name` is that of the entry point in the exports of the bundle, `source` its file seen from the root. */
export const LIBRARY = targets
  .filter(({ path }) => path !== './pure')
  .map(({ path, types, default: file }) => ({
    name: path,
    source: types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'),
    file: join(root, file),
  }));

/** A module for each entry point, which names what the function that the CommonJS file exports gives for it. */
export function writeLibrary(library) {
  const entry = createRequire(import.meta.url)(library);
  for (const { name, file } of LIBRARY) {
    const from = `./${relative(dirname(file), library).split(sep).join('/')}`.replace('./..', '..');
    const names = Object.keys(entry(name)).sort().join(', ');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `import entry from ${JSON.stringify(from)};\nexport const { ${names} } = entry(${JSON.stringify(name)});\n`,
    );
  }
}

/** The declarations of each entry point. */
export const DECLARATIONS = targets.map(({ types }) => join(root, types));
