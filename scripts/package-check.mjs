// Packs the package, checks the tarball with publint and attw, installs it into an empty folder and uses it there: the
// command line, and each entry point of the library.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { name, version, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const scratch = mkdtempSync(join(tmpdir(), 'harness-package-'));

try {
  step('pack');
  call('npm', ['pack', '--silent', '--pack-destination', scratch], root);
  const tarball = join(
    scratch,
    readdirSync(scratch).find((file) => file.endsWith('.tgz')),
  );

  step('publint');
  call('npx', ['--no-install', 'publint', 'run', tarball, '--strict'], root);
  step('attw');
  // The library is ESM only, which every Node it supports can require.
  call('npx', ['--no-install', 'attw', tarball, '--profile', 'esm-only', '--no-emoji'], root);

  step('install into an empty folder');
  const user = join(scratch, 'user');
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), '{"private":true,"type":"module"}\n');
  call('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', tarball], user);

  step('the command works there');
  equal(call('npx', ['--no-install', 'harness', '--version'], user).trim(), version);
  call('npx', ['--no-install', 'harness', 'init'], user);
  call('npx', ['--no-install', 'harness', 'validate', '--strict'], user);
  const payload = JSON.stringify({ id: '1', name: 'run_command', args: { command: 'sudo rm -rf /' } });
  const outcome = JSON.parse(
    call('npx', ['--no-install', 'harness', 'decide', 'tool.pre', '--json'], user, payload),
  );
  equal(`${outcome.action} by ${outcome.hook}`, 'block by command_guard');

  const story = call('npx', ['--no-install', 'harness', 'demo', '--json'], user);
  const told = story
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  equal(told.filter(({ outcome }) => outcome !== undefined).length, 7);

  step('every entry point can be imported and required');
  for (const entry of Object.keys(exports)) {
    if (entry.endsWith('.json')) continue;
    const specifier = name + entry.slice(1);
    call(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(specifier)})`], user);
    call(process.execPath, ['--input-type=commonjs', '-e', `require(${JSON.stringify(specifier)})`], user);
  }
  console.log('package: fine');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function step(title) {
  console.log(`package: ${title}`);
}

function call(command, args, cwd, input = '') {
  try {
    return execFileSync(command, args, { cwd, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    console.error(error.stdout);
    console.error(error.stderr);
    throw new Error(`${command} ${args.join(' ')} failed`);
  }
}

function equal(got, wanted) {
  if (got !== wanted) throw new Error(`wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
}
