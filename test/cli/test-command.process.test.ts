/**
 * `harness test` as a person and as CI use it.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { hasTmux, openTerminal } from '../support/terminal.ts';
import { harness, hookFile, project } from './harness.ts';

const GUARD = hookFile(`event: tool.pre
priority: 10
script: |
  def handle(event, payload):
      if payload["name"] == "delete":
          return block("keep it <&>")
      return allow()
tests:
  - {name: a delete, payload: {name: delete}, expect: block}`);

const FAILING = 'cases:\n  - {name: a delete passes, payload: {name: delete}, expect: allow}\n';

describe('harness test', () => {
  it('says what holds and exits 0', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD });
    const { code, stdout } = await harness(['test', dir]);
    expect(stdout).toContain('✓ guard: a delete');
    expect(stdout).toContain('1 passed of 1 test');
    expect(code).toBe(0);
  });

  it('shows what was wanted, what came out and where, and exits 1', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD, '.harness/tests/a.yaml': FAILING });
    const { code, stdout } = await harness(['test', dir]);
    expect(stdout).toContain('✗ a delete passes');
    expect(stdout).toMatch(/action {2}\.harness\/tests\/a\.yaml:2\n\s+wanted {2}allow\n\s+got {5}block/);
    expect(stdout).toContain('by      guard  .harness/hooks/guard.md');
    expect(code).toBe(1);
  });

  it('prints data with --json', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD, '.harness/tests/a.yaml': FAILING });
    const { code, stdout } = await harness(['test', dir, '--json', '--coverage']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      passed: 1,
      failed: 1,
      tests: [
        { hook: 'guard', status: 'passed' },
        { hook: null, status: 'failed', steps: [{ mismatches: [{ what: 'action', wanted: 'allow' }] }] },
      ],
      coverage: { decisions: { hit: 1, all: 2, percent: 50 } },
    });
  });

  it('runs only what --filter names', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD, '.harness/tests/a.yaml': FAILING });
    expect((await harness(['test', dir, '--filter', 'GUARD'])).code).toBe(0);
  });

  it('never passes because there is nothing to run', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD });
    const { code, stdout } = await harness(['test', dir, '--filter', 'nosuch']);
    expect(stdout).toContain('no tests found with "nosuch" in their name, hook or file');
    expect(code).toBe(1);
  });

  it('does not pass a policy that has a broken file', async () => {
    const dir = project({
      '.harness/hooks/guard.md': GUARD,
      '.harness/hooks/broken.md': '---\nevent: [\n---\n',
    });
    const { code, stdout } = await harness(['test', dir]);
    expect(stdout).toContain('broken.md');
    expect(code).toBe(1);
  });

  it('writes JUnit, lcov and a page, in which nothing of a payload is markup', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD, '.harness/tests/a.yaml': FAILING });
    const at = (name: string) => join(dir, 'out', name);
    await harness(['test', dir, '--junit', at('j.xml'), '--lcov', at('l.info'), '--html', at('c.html')]);
    const junit = readFileSync(at('j.xml'), 'utf8');
    expect(junit).toContain('tests="2" failures="1" errors="0" skipped="0"');
    expect(junit).not.toContain('<&>');
    expect(readFileSync(at('l.info'), 'utf8')).toMatch(
      /SF:.*guard\.md\nBRDA:7,0,0,\d+\n[\s\S]*LF:\d+\nLH:\d+\nend_of_record/,
    );
    const page = readFileSync(at('c.html'), 'utf8');
    expect(page).toContain('class="hit"');
    expect(page).toContain('keep it &#60;&#38;&#62;');
  });

  it('keeps answers in golden files, which only --update writes', async () => {
    const dir = project({
      '.harness/hooks/guard.md': GUARD,
      '.harness/tests/a.yaml':
        'cases:\n  - {name: a delete, payload: {name: delete}, expect: {golden: golden/delete.json}}\n',
    });
    const file = join(dir, '.harness/tests/golden/delete.json');
    expect((await harness(['test', dir])).code).toBe(1);
    expect(existsSync(file)).toBe(false);
    const updated = await harness(['test', dir, '--update']);
    expect(updated.stdout).toContain('tests/golden/delete.json');
    expect(updated.code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ action: 'block', hook: 'guard' });
    expect((await harness(['test', dir])).code).toBe(0);
    writeFileSync(file, readFileSync(file, 'utf8').replace('keep', 'leave'));
    const failed = await harness(['test', dir]);
    expect(failed.stdout).toContain('golden file golden/delete.json: reason');
    expect(failed.code).toBe(1);
  });

  it('refuses a golden file outside the tests', async () => {
    const dir = project({
      '.harness/hooks/guard.md': GUARD,
      '.harness/tests/a.yaml':
        'cases:\n  - {name: a, payload: {name: delete}, expect: {golden: ../hooks/guard.md}}\n',
    });
    const { code, stderr } = await harness(['test', dir, '--update']);
    expect(stderr).toContain('outside');
    expect(code).toBe(2);
    expect(readFileSync(join(dir, '.harness/hooks/guard.md'), 'utf8')).toBe(GUARD);
  });

  it('shows where a hook crashed, with the line', async () => {
    const crashing = GUARD.replace(/script: \|\n[\s\S]*?(?=tests:)/, () =>
      ['script: |', '  def handle(event, payload):', '      return block(payload["gone"])', ''].join('\n'),
    );
    const dir = project({ '.harness/hooks/guard.md': crashing });
    const { stdout, code } = await harness(['test', dir]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/guard crashed at \.harness\/hooks\/guard\.md:\d+: /);
    expect(stdout).toMatch(/^ +\d+ \| +return block\(payload\["gone"\]\)$/m);
    expect(stdout).not.toContain('wanted  null');
  });

  it('runs again when a file changes, with --watch', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD });
    const report = join(dir, 'report.xml');
    const child = spawn(process.execPath, [CLI_FILE, 'test', dir, '--watch', '--junit', report], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    const until = (words: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (text.includes(words)) resolve();
        };
        child.stdout.on('data', (chunk) => {
          text += chunk;
          look();
        });
      });
    await until('waiting for changes');
    // Neither its own report nor what a run leaves is a change of the policy.
    mkdirSync(join(dir, '.harness/runs'));
    writeFileSync(join(dir, '.harness/runs/a.jsonl'), '');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(text.match(/waiting for changes/g)).toHaveLength(1);
    text = '';
    writeFileSync(join(dir, '.harness/hooks/guard.md'), GUARD.replace('expect: block', 'expect: allow'));
    await until('1 failed');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('goes on watching where an editor replaces the file, or the whole folder, and hears keys', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD });
    const child = spawn(process.execPath, [CLI_FILE, 'test', dir, '--watch'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let text = '';
    let heard = () => {};
    child.stdout.on('data', (chunk) => {
      text += chunk;
      heard();
    });
    const run = (words: string) =>
      new Promise<string>((resolve) => {
        heard = () => {
          const runs = text.split('waiting for changes');
          // A run in between may have seen the folder half changed.
          const at = runs.findIndex((each, i) => i < runs.length - 1 && each.includes(words));
          if (at === -1) return;
          text = runs.slice(at + 1).join('waiting for changes');
          heard = () => {};
          resolve(runs[at]!);
        };
        heard();
      });
    const hooks = join(dir, '.harness/hooks');
    const replace = (from: string, to: string) => {
      writeFileSync(join(hooks, 'guard.md.new'), GUARD.replace(from, to));
      renameSync(join(hooks, 'guard.md.new'), join(hooks, 'guard.md'));
    };
    const whole = await run('passed');
    replace('expect: block', 'expect: allow');
    await run('1 failed');
    child.stdin.write('f');
    const failed = await run('1 failed');
    expect(failed).not.toMatch(/[2-9] tests?/);
    replace('expect: block', 'expect: block');
    await run('passed');
    replace('expect: block', 'expect: allow');
    await run('1 failed');
    // A checkout replaces folders.
    cpSync(join(dir, '.harness'), join(dir, 'next'), { recursive: true });
    renameSync(join(dir, '.harness'), join(dir, 'before'));
    writeFileSync(join(dir, 'next/hooks/guard.md'), GUARD);
    renameSync(join(dir, 'next'), join(dir, '.harness'));
    await run('passed');
    replace('expect: block', 'expect: allow');
    await run('1 failed');
    child.stdin.write('a');
    await run('1 failed');
    expect(whole).toContain('passed');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin.write('q');
    expect(await ended).toBe(0);
  });

  it.skipIf(!hasTmux)('--watch clears the screen of a terminal before each run', async () => {
    const dir = project({ '.harness/hooks/guard.md': GUARD });
    const window = openTerminal(['test', '--watch'], { cwd: dir });
    try {
      await window.until(/passed[\s\S]*waiting for changes; .*q quit/);
      const file = join(dir, '.harness/hooks/guard.md');
      writeFileSync(file, GUARD.replace('expect: block', 'expect: allow'));
      await window.until(() => window.screen().includes('1 failed'));
      expect(window.screen().match(/waiting for changes|— \d/g)?.length).toBeLessThanOrEqual(2);
      window.press('q');
      await window.until(/\[exit 0\]/);
    } finally {
      window.close();
    }
  });
});
