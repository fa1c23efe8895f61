// Builds the browser's part of the page: one file to begin with, and chunks that are fetched when a page needs them.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export const WEB_FOLDER = join(root, 'dist/web');

export async function buildWeb() {
  mkdirSync(WEB_FOLDER, { recursive: true });
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: { page: 'web/main.tsx' },
    outdir: WEB_FOLDER,
    bundle: true,
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    minify: true,
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const name of ['index.html', 'icon.svg'])
    copyFileSync(join(root, 'web', name), join(WEB_FOLDER, name));
  return Object.keys(metafile.inputs);
}
