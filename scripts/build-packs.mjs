// Writes `src/packs/shipped-text.ts` from `packs/*.yaml`; see packs-text.ts. It is not tracked: the build makes it, and so does
// every run of the tests.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const FILE = join(root, 'src/packs/shipped-text.ts');

export async function buildPacks() {
  // Beside the sources, so that the bundle finds the packages it leaves outside.
  const scratch = mkdtempSync(join(root, 'node_modules', '.packs-'));
  try {
    const outfile = join(scratch, 'packs-text.mjs');
    await build({
      entryPoints: [join(root, 'scripts/packs-text.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    });
    const { shippedText } = await import(pathToFileURL(outfile).href);
    const text = shippedText(join(root, 'packs'));
    // A file with a new time would have everything built anew.
    if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) writeFileSync(FILE, text);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
