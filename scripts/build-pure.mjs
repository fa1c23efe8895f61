// Bundles `harness-hooks/pure` into one file that imports nothing, so that every bundler, a browser and an edge function take
// it as it is. Its declarations are those that tsc has written.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const PURE_BUILD = {
  entryPoints: [join(root, 'src/pure.ts')],
  absWorkingDir: root,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  // Node's own way of loading: without it, what is taken only on Node goes.
  define: { 'process.getBuiltinModule': 'undefined' },
  // Doors name modules that need Node; none of them is used, and the build fails below if one is.
  external: ['node:*'],
  logOverride: { 'empty-import-meta': 'silent' },
};

export async function buildPure() {
  const { metafile } = await build({
    ...PURE_BUILD,
    metafile: true,
    format: 'esm',
    outfile: join(root, 'dist/pure.js'),
    allowOverwrite: true,
    // A line that shows at a glance, to tools too, that this is a module: packages of the older format are inside.
    footer: { js: 'export {};' },
  });
  const [{ imports }] = Object.values(metafile.outputs);
  if (imports.length > 0)
    throw new Error(`dist/pure.js imports ${imports.map(({ path }) => path).join(', ')}`);
  return Object.keys(metafile.inputs);
}
