// Runs when npm installs the checkout. `npm ci` builds it. npx installs the checkout too, as a link in its cache, the first time
// somebody types `npx harness` in it: nothing is built then, because the command in use may be the one that is rebuilt. A failure
// there would leave a broken entry in npx's cache, which fails until it is deleted, even after `npm ci`. So where nothing is
// built yet, npx gets a command that says what to type.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const NOT_BUILT = `#!/usr/bin/env node
console.error('Harness is not built in this checkout. Run \`npm ci\` here, then the same command again.');
process.exitCode = 1;
`;

if (process.env.npm_command !== 'exec')
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' });
else {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const file of new Set(Object.values(bin).map((path) => join(root, path)))) {
    if (existsSync(file)) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, NOT_BUILT, { mode: 0o755 });
  }
}
