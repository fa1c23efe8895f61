// The library out of the chunks of the command line: both are the same code, and shipped once. Each entry point is a module that names
// what a chunk exports; declarations that no entry point leads to are not shipped.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** `harness-hooks/pure` is a file of its own, for places without Node. */
const targets = Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports)
  .filter(([, target]) => typeof target !== 'string')
  .map(([path, target]) => ({ path, ...target }));
const LIBRARY = targets
  .filter(({ path }) => path !== './pure')
  .map(({ path, types, default: file }) => ({
    chunk: `lib-${path === '.' ? 'index' : path.slice(2)}.cjs`,
    source: types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'),
    file: join(root, file),
  }));

/** For esbuild, beside the entries of the command line. */
export const LIBRARY_ENTRIES = Object.fromEntries(
  LIBRARY.map(({ chunk, source }) => [`chunks/${chunk.replace(/\.cjs$/, '')}`, source]),
);

/** `loaded(chunk)`: the text that loads one, seen from the folder of chunks. */
export function writeLibrary(outputs, chunks, loaded) {
  for (const { chunk, source, file } of LIBRARY) {
    const names = Object.values(outputs).find(({ entryPoint }) => entryPoint === source).exports;
    const from = `./${posix.join(relative(dirname(file), chunks).split(sep).join('/'), chunk)}`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `import library from ${JSON.stringify(from)};\nexport const { ${names.sort().join(', ')} } = library;\n`,
    );
    if (loaded(chunk) !== null) writeFileSync(join(chunks, chunk), `module.exports=${loaded(chunk)};\n`);
  }
}

/** What no compiler needs and no editor shows: how a file opens, comments on what only its own class reaches, indentation. */
const OPENING = /^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?=import |export (?:type )?[{*])/;
const PRIVATE_COMMENT = /\n *\/\*\*(?:(?!\*\/)[\s\S])*\*\/(\n *private )/g;
const slim = (text) => text.replace(OPENING, '').replace(PRIVATE_COMMENT, '$1').replace(/^ +/gm, '');

/** Removes what no entry point's types lead to; the rest says what a compiler and its user want to know. */
export function slimDeclarations() {
  const dist = join(root, 'dist');
  const used = new Set();
  const follow = (file) => {
    if (used.has(file)) return;
    used.add(file);
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:from|import)\s*\(?["'](\.[^"']+)\.(?:js|ts)["']/g,
    ))
      follow(join(dirname(file), `${path}.d.ts`));
  };
  for (const { types } of targets) follow(join(root, types));
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.d.ts') && !used.has(join(dist, path))) rmSync(join(dist, path));
    else if (path.endsWith('.d.ts'))
      writeFileSync(join(dist, path), slim(readFileSync(join(dist, path), 'utf8')));
  }
}
