/** `requires` in harness.md. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPolicy } from './open-policy.ts';
import { unmetVersion } from './required-version.ts';

const at = (version: string | null) => [{ file: 'harness.md', line: 2, version }];

describe('requires', () => {
  it.each([
    ['>=0.3', '0.3.0'],
    ['>=0.3', '0.10.0'],
    ['>= 0.3.1', '0.3.1'],
    ['>=1', '1.0.0'],
    ['>=0.3', '0.4.0-rc.1'],
    ['>=9', 'source'],
  ])('%s is met by %s', (wanted, version) => {
    expect(unmetVersion(at(wanted), version)).toBeNull();
  });

  it.each([
    ['>=0.3', '0.2.9'],
    ['>=0.10', '0.9.9'],
    ['>=1', '0.99.0'],
  ])('%s is not met by %s, and the fix is said', (wanted, version) => {
    const { code, message, position } = unmetVersion(at(wanted), version)!;
    expect({ code, position }).toMatchObject({ code: 'VERSION_TOO_OLD', position: { line: 2 } });
    expect(message).toContain(`requires Harness ${wanted}, and this is ${version}. Run: npm install`);
  });

  it.each(['0.3', '<1', '>=x', '', null])('%j is no requirement, and is not met', (wanted) => {
    expect(unmetVersion(at(wanted), '9.0.0')?.message).toContain('want a version such as ">=0.3"');
  });

  it('that is not met blocks every call, with the reason', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'harness-requires-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, 'harness.md'), '---\nrequires: later\n---\n');
    const policy = await openPolicy(dir);
    const outcome = await policy.decide('tool.pre', {
      id: '1',
      name: 'run_command',
      args: { command: 'ls' },
    });
    expect(outcome).toMatchObject({ action: 'block', hook: 'outdated_engine' });
    expect(policy.problems.map(({ code }) => code)).toContain('VERSION_TOO_OLD');
  });
});
