// Bundles what runs TypeScript hooks on a Node that cannot: two files, with the library that takes out types inside.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export async function buildTypeScriptRunner(outdir = join(root, 'dist/machine/typescript')) {
  const { metafile } = await build({
    metafile: true,
    entryPoints: ['register', 'hooks'].map((name) => join(root, `src/machine/typescript/${name}.ts`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The modules of the library, and not its build for `require`.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
  });
  return Object.keys(metafile.inputs);
}
