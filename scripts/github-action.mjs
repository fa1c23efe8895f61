// What `action.yml` runs in a workflow: validate, test, and in a pull request a backtest of recorded sessions, as a summary and as
// one comment that each push renews. It exits with 1 where one of them finds something. No input reaches a shell.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const env = process.env;
const action = join(dirname(fileURLToPath(import.meta.url)), '..');
const input = (name, otherwise) => env[`INPUT_${name}`]?.trim() || otherwise;
const dir = input('DIR', '.');
const command = findHarness();
const results = [validate(), test(), await backtest()];
process.exitCode = results.every(Boolean) ? 0 : 1;

/** The project's own version, the one on PATH, or this checkout, which is built first. */
function findHarness() {
  const own = join('node_modules', 'harness-hooks', 'dist/cli/harness.cjs');
  if (existsSync(own)) return [process.execPath, own];
  const installed = (env.PATH ?? '')
    .split(delimiter)
    .find((folder) => existsSync(join(folder, 'harness-hooks')));
  if (installed !== undefined) return [join(installed, 'harness-hooks')];
  const built = join(action, 'dist/cli/harness.cjs');
  if (!existsSync(built)) {
    const { status } = spawnSync('npm', ['ci'], { cwd: action, stdio: 'inherit' });
    if (status !== 0) throw new Error('Harness cannot be built: npm ci failed');
  }
  return [process.execPath, built];
}

function harness(...args) {
  const [program, ...first] = command;
  const done = spawnSync(program, [...first, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (done.error) throw done.error;
  process.stderr.write(done.stderr);
  return done;
}

function validate() {
  const file = input('SARIF', 'harness.sarif');
  writeFileSync(file, harness('validate', '--strict', '--format', 'sarif', dir).stdout);
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `sarif=${file}\n`);
  const { status, stdout } = harness('validate', '--strict', '--format', 'github', dir);
  console.log(stdout.trimEnd());
  return status === 0;
}

function test() {
  const { status, stdout } = harness('test', dir);
  console.log(stdout.trimEnd());
  return status === 0;
}

async function backtest() {
  const tapes = join(dir, input('TAPES', '.harness/runs'));
  const event = env.GITHUB_EVENT_PATH ? JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8')) : {};
  const pull = event.pull_request?.number;
  if (pull === undefined) return true;
  if (!existsSync(tapes)) {
    console.log(`No tapes in ${tapes}: nothing to backtest.`);
    return true;
  }
  const failOn = input('FAIL_ON', '');
  const { status, stdout, stderr } = harness(
    'backtest',
    tapes,
    '--policy',
    dir,
    '--markdown',
    ...(failOn === '' ? [] : ['--fail-on', failOn]),
  );
  const text = stdout || `The backtest failed:\n\n\`\`\`\n${stderr.trim()}\n\`\`\`\n`;
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, text);
  if (input('COMMENT', 'true') === 'true') await comment(event.repository.full_name, pull, text);
  return status === 0;
}

/** A comment that cannot be written, as in a pull request from a fork, is a warning: the summary has the same text. */
async function comment(repository, pull, text) {
  const mark = '<!-- harness-backtest -->';
  const body = JSON.stringify({ body: `${mark}\n${text}`.slice(0, 65_000) });
  const issues = `/repos/${repository}/issues`;
  try {
    const before = await find(`${issues}/${pull}/comments`, mark);
    if (before === undefined) await ask('POST', `${issues}/${pull}/comments`, body);
    else await ask('PATCH', `${issues}/comments/${before.id}`, body);
  } catch (error) {
    console.log(`::warning::The comment cannot be written: ${error.message}`);
  }
}

async function find(path, mark) {
  for (let page = 1; ; page++) {
    const comments = await ask('GET', `${path}?per_page=100&page=${page}`);
    const found = comments.find((each) => each.body?.startsWith(mark));
    if (found !== undefined || comments.length < 100) return found;
  }
}

async function ask(method, path, body) {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${env.GITHUB_TOKEN}`,
    'content-type': 'application/json',
  };
  const response = await fetch(`${env.GITHUB_API_URL ?? 'https://api.github.com'}${path}`, {
    method,
    headers,
    body,
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return response.json();
}
