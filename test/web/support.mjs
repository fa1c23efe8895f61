// What the tests of the page share: servers of their own in a scratch folder, the run of the demo, and what a person does everywhere.
import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser, openPage } from '../../scripts/browser.mjs';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { smallPng } from '../../scripts/small-png.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const PICTURES = join(root, 'docs/ui');
const LARGEST_PICTURE = 100 * 1024;
const update = process.argv.includes('--update');

export const browser = await openBrowser('The page');
export const scratch = mkdtempSync(join(tmpdir(), 'harness-web-'));
const servers = [];
const pids = new Map();
export const env = { PATH: process.env.PATH, HOME: join(scratch, 'home'), LANG: 'C.UTF-8', TZ: 'UTC' };
mkdirSync(env.HOME);

export function serve(...args) {
  return served(
    spawn(process.execPath, [CLI_FILE, 'ui', '--json', ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
}

/** The same as a person at a terminal starts it: what loosens the policy and answers questions needs one. */
export function servePerson(own, ...args) {
  const line = [process.execPath, CLI_FILE, 'ui', '--json', ...args];
  const quoted = line.map((word) => `'${word}'`).join(' ');
  return served(
    spawn('script', ['-qec', quoted, '/dev/null'], { env: own, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
}

/** The link that a server prints. */
export async function served(child) {
  servers.push(child);
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', (code) => reject(new Error(`harness ui ended with ${code}`)));
  });
  const { link } = JSON.parse(line);
  pids.set(link, child.pid);
  return link;
}

/** The most memory that the server of a link has had, in megabytes. */
export function servedBy(link) {
  const status = readFileSync(`/proc/${pids.get(link)}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024);
}

/** The demo's run, in a folder of its own. */
function demo() {
  const { stdout, status } = spawnSync(process.execPath, [CLI_FILE, 'demo', join(scratch, 'demo')], {
    env: { ...env, TMPDIR: scratch },
    encoding: 'utf8',
  });
  assert.equal(status, 0);
  assert.match(stdout, /blocked +5: command_guard, path_guard, prefer_named_tools, meta_tool_guard,/);
  const dir = /harness ui --dir (\S+)/.exec(stdout)?.[1];
  assert.ok(dir, 'the demo names the line that opens the page');
  return dir;
}

export const open = (link, options) =>
  openPage(browser, link, (url) => new URL(url).host === new URL(link).host, options);

/** Inside the page, without loading it anew. */
export async function visit(page, path) {
  await page.evaluate((to) => {
    const link = document.createElement('a');
    link.href = to;
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
  await page.waitForSelector('main');
}

/** The newest run, from the list of runs. */
export async function firstRun(page) {
  if ((await page.$('[aria-label="Runs"]')) === null) await visit(page, '/runs');
  await page.waitForSelector('[aria-label="Runs"] a');
  return page.getAttribute('[aria-label="Runs"] a', 'href');
}

export async function picture(page, name) {
  const path = join(PICTURES, `${name}.png`);
  if (!update && existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  await page.waitForTimeout(400);
  writeFileSync(path, smallPng(await page.screenshot()));
  const { size } = statSync(path);
  assert.ok(size < LARGEST_PICTURE, `${path} has ${size} bytes, want fewer than ${LARGEST_PICTURE}`);
}

export const dir = demo();
export const link = await serve('--dir', dir);

export async function endAll() {
  await browser.close();
  for (const server of servers) server.kill();
  rmSync(scratch, { recursive: true, force: true });
}
