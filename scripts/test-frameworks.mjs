// Runs the framework adapters inside the real frameworks, offline, against the scripted model server (test/frameworks/).
//   npm run test:frameworks [-- NAME...] [--manifest FILE]
// FILE is a package.json with other versions of them.
// The frameworks are installed once into a cache outside the checkout. Where there is no registry that is a loud line; a version
// that the registry does not have, and a wrong answer, are failures.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tests = join(root, 'test/frameworks');
const INSTALL_MS = 600_000;
const TEST_MS = 480_000;
const NO_REGISTRY = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT)\b/;
/** Those that start a program of somebody else: only in a network of its own. */
const CONFINED = [
  'claude-agent-sdk.test.mjs',
  'claude-agent-sdk.kinds.test.mjs',
  'claude-agent-sdk.modes.test.mjs',
  'conformance.test.mjs',
  'conformance-clients.test.mjs',
  'examples.test.mjs',
];

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { manifest: { type: 'string' } },
});
const manifestFile = options.manifest ?? join(tests, 'package.json');
const files = readdirSync(tests)
  .filter((name) => name.endsWith('.test.mjs'))
  .filter((name) => wanted.length === 0 || wanted.includes(name.replace('.test.mjs', '')));
if (!existsSync(join(root, 'dist/testing.js'))) {
  console.error('the build is missing: npm run build');
  process.exit(2);
}
const modules = install();

const place = mkdtempSync(join(tmpdir(), 'harness-frameworks-'));
cpSync(tests, place, { recursive: true });
cpSync(join(root, 'examples/17-frameworks'), join(place, 'example'), { recursive: true });
mkdirSync(join(place, 'node_modules'));
for (const name of readdirSync(modules)) symlinkSync(join(modules, name), join(place, 'node_modules', name));
symlinkSync(root, join(place, 'node_modules/harness-hooks'));
const isolated = [
  'unshare',
  ...(process.getuid() === 0 ? [] : ['--map-root-user']),
  ...['--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ...['sh', '-c', 'ip link set lo up && exec "$0" "$@"'],
];
const canIsolate = spawnSync(isolated[0], [...isolated.slice(1), 'true'], { timeout: 10_000 }).status === 0;
let failed = false;
for (const file of files) {
  const confined = CONFINED.includes(file);
  if (confined && !canIsolate) {
    console.error(`SKIPPED: ${file}, since namespaces cannot be had here`);
    continue;
  }
  const env = { PATH: process.env.PATH, HOME: place, OPENAI_API_KEY: 'dummy', HARNESS_TRUST: 'all' };
  const [command, ...args] = [...(confined ? isolated : []), process.execPath, '--test', file];
  const run = spawnSync(command, args, {
    cwd: place,
    env,
    stdio: 'inherit',
    timeout: TEST_MS,
  });
  if (run.status !== 0) console.log(`FAILED: ${file}`);
  failed ||= run.status !== 0;
}
rmSync(place, { recursive: true, force: true });
process.exit(failed ? 1 : 0);

/** The folder of packages, installed once; ends the process if that fails. */
function install() {
  const manifest = readFileSync(manifestFile);
  const key = createHash('sha256').update(manifest).digest('hex').slice(0, 16);
  const home = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const cache = process.env.HARNESS_FRAMEWORKS_CACHE || join(home, 'harness', 'frameworks');
  const kept = join(cache, key);
  if (existsSync(join(kept, 'node_modules'))) return join(kept, 'node_modules');
  console.error('installing the frameworks');
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, '.installing-'));
  cpSync(manifestFile, join(scratch, 'package.json'));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  const npm = spawnSync('npm', args, { cwd: scratch, encoding: 'utf8', timeout: INSTALL_MS });
  if (npm.status !== 0) {
    const why = npm.error?.message ?? npm.stderr;
    console.error(`NOT INSTALLED, so not tested: the frameworks\n${why}`);
    rmSync(scratch, { recursive: true, force: true });
    process.exit(NO_REGISTRY.test(why) ? 0 : 1);
  }
  renameSync(scratch, kept);
  return join(kept, 'node_modules');
}
