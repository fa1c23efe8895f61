/**
 * README's first two commands, typed in a fresh clone of HEAD by somebody who has Node and git: an empty home, an empty cache of
 * npm, no other variable than PATH. The packages come from the registry; without one the tests are skipped, and say so.
 */
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { finish } from '../cli/harness.ts';
import { remove } from '../support/remove.ts';
import { ROOT } from './entry-points.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const firstBlock = /^```\n([\s\S]*?)^```$/m.exec(readme)!;
const [demoLine = '', testLine = '', ...moreLines] = firstBlock[1]!.trimEnd().split('\n');
const withoutComment = (line: string) => line.replace(/ +#.*/, '');

const scratch = mkdtempSync(join(tmpdir(), 'harness-clone-'));
const clone = join(scratch, 'clone');
const homes = { first: join(scratch, 'home'), hasty: join(scratch, 'home-of-the-hasty') };
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
/** Not `finish`'s own variables: `env -i` leaves three. */
const type = (line: string, HOME: string, cwd = clone) =>
  finish(['env', '-i', `PATH=${PATH}`, `HOME=${HOME}`, 'HARNESS_DAEMON=off', 'sh', '-c', line], {
    cwd,
    limitMs: 600_000,
  });

let unreachable: string | null = null;
const needsRegistry = (test: TestContext) => {
  if (unreachable === null) return;
  console.error(`SKIPPED, no registry to install from: ${test.task.name}\n${unreachable}`);
  test.skip(unreachable);
};

beforeAll(async () => {
  for (const home of Object.values(homes)) mkdirSync(home);
  const cloned = await finish(['git', 'clone', '--quiet', ROOT, clone]);
  expect(cloned).toMatchObject({ code: 0 });
  const ping = await type('npm ping', homes.hasty);
  if (ping.code !== 0) unreachable = ping.stderr;
});
afterAll(() => remove(scratch));

/** From the central directory of a ZIP file, which its last record leads to. */
function namesInZip(zip: Buffer): string[] {
  const end = zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field));
    const start = at + 46;
    at = start + name + extra + comment;
    return zip.toString('utf8', start, start + name);
  });
}

describe('README.md in a fresh clone', () => {
  it('shows two commands on the first screen: one installs and plays the demo, one runs the tests', () => {
    expect([demoLine, testLine].map(withoutComment)).toEqual(['npm ci && npx harness demo', 'npm cit']);
    expect(moreLines).toEqual([]);
    expect(readme.slice(0, firstBlock.index).split('\n').length).toBeLessThan(16);
  });

  it('`npx harness` before anything is built says what to type', async (test) => {
    needsRegistry(test);
    const early = await type('npx harness demo', homes.hasty);
    expect(early).toMatchObject({ code: 1, stdout: '' });
    expect(early.stderr).toContain('Run `npm ci`');
  });

  it('the first command installs, builds and plays the demo to its end', async (test) => {
    needsRegistry(test);
    const { code, stdout, stderr } = await type(demoLine, homes.first);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('sudo rm -rf /');
    expect(stdout.trimEnd().split('\n').slice(-6)).toEqual([
      'Try next',
      ...['demo', 'hooks', 'replay', 'ui', 'init'].map((name) =>
        expect.stringMatching(`^  npx harness ${name} `),
      ),
    ]);
    expect(stderr).not.toContain('install scripts');
  });

  it('`npx harness` works after `npm ci`, also where it was typed too early', async (test) => {
    needsRegistry(test);
    expect(await type('npx harness demo', homes.hasty)).toMatchObject({ code: 0 });
  });

  it('`npx harness` works in a folder below, where `init` has written a policy', async (test) => {
    needsRegistry(test);
    expect(await type('npx harness init my-agent', homes.first)).toMatchObject({ code: 0 });
    const checked = await type('npx harness validate --strict', homes.first, join(clone, 'my-agent'));
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('0 errors, 0 warnings') });
  });

  it('`npm run vsix` packs the extension for VS Code, with its client bundled in', async (test) => {
    needsRegistry(test);
    expect(await type('npm run vsix', homes.first)).toMatchObject({ code: 0 });
    const names = namesInZip(readFileSync(join(clone, 'editors/vscode/harness-hooks.vsix')));
    expect(names.filter((name) => name.startsWith('extension/')).sort()).toEqual([
      'extension/LICENSE.txt',
      'extension/dist/extension.js',
      'extension/language-configuration.json',
      'extension/package.json',
      'extension/readme.md',
      'extension/syntaxes/harness-markdown.tmLanguage.json',
      'extension/syntaxes/starlark.tmLanguage.json',
    ]);
    expect(names).toContain('extension.vsixmanifest');
  });

  it('the tests run: `npm cit` is `npm ci`, which ran, and `npm test`', async (test) => {
    needsRegistry(test);
    const { code, stdout } = await type('npm test -- src/base/spelling.test.ts', homes.first);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('passed') });
  });
});
