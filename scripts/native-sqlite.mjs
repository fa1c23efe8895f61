// Runs the cases of a hub's store on the SQLite of Node itself, which the Node of the other tests may not have: Node 22 is installed into a
// scratch folder.     node scripts/native-sqlite.mjs
// Where that is not possible, a loud line says that nothing was tested.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const CASES = ['test/fleet/archive.test.ts', 'test/fleet/queries.test.ts'];
const INSTALL_MS = 120_000;

/** The exit code; 0 where Node 22 cannot be installed. */
export function testNativeSqlite() {
  if (process.getBuiltinModule?.('node:sqlite') !== undefined) {
    console.error('This Node has SQLite: the quick tests have run on it');
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'harness-node-'));
  try {
    const install = ['install', '--no-save', '--silent', '--prefix', folder, 'node@22'];
    spawnSync('npm', install, { cwd: folder, stdio: 'ignore', timeout: INSTALL_MS });
    const node = join(folder, 'node_modules/node/bin/node');
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (status !== 0) {
      console.error('SKIPPED: Node 22 cannot be installed here, so its SQLite was NOT TESTED');
      return 0;
    }
    console.error(`SQLite of Node ${stdout.trim()}`);
    const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...CASES];
    return spawnSync(node, argv, { cwd: root, stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = testNativeSqlite();
