// Writes the reference pages and schemas that come from tables in the code; see reference-pages.ts.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** The table of commands names their code without needing it: what is imported on demand stays out. */
const tablesOnly = {
  name: 'tables-only',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
};

// Beside the sources, so that the bundle finds the packages it leaves outside.
const scratch = mkdtempSync(join(root, 'node_modules', '.reference-'));
try {
  const outfile = join(scratch, 'reference-pages.mjs');
  await build({
    entryPoints: [join(root, 'scripts/reference-pages.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    plugins: [tablesOnly],
    logLevel: 'warning',
  });
  const { referencePages } = await import(pathToFileURL(outfile).href);
  const pages = referencePages();
  removeStale(pages);
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  console.log(`wrote ${pages.size} files`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Pages of events that are gone. */
function removeStale(pages) {
  const folder = 'docs/reference/events';
  mkdirSync(join(root, folder), { recursive: true });
  for (const name of readdirSync(join(root, folder))) {
    if (!pages.has(`${folder}/${name}`)) rmSync(join(root, folder, name));
  }
}
