/**
 * Builds the command line before its tests when a source is newer than what was built, so that the tests never judge an
 * old build.
 */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCli, CLI_FILE, DEMO_FOLDER } from '../../scripts/build-cli.mjs';
import { buildWeb } from '../../scripts/build-web.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export default async function setup(): Promise<void> {
  const built = statSync(CLI_FILE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = Math.max(
    ...[
      join(root, 'package.json'),
      join(root, 'scripts/build-cli.mjs'),
      ...filesBelow(join(root, 'src')),
      ...filesBelow(DEMO_FOLDER),
      ...filesBelow(join(root, 'web')),
    ].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
  if (newest <= built) return;
  await buildWeb();
  await buildCli();
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}
