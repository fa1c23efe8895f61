/**
 * The hooks `harness init` writes pass the cases they carry in their own frontmatter.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openPolicy } from '../src/policy/open-policy.ts';
import { runCase, testsOf } from '../src/policy/testing/run-tests.ts';

const templates = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli', 'init', 'templates');

const dir = mkdtempSync(join(tmpdir(), 'harness-templates-'));
cpSync(templates, join(dir, '.harness'), { recursive: true });
const policy = await openPolicy(dir);
const { cases, problems } = testsOf(policy);
rmSync(dir, { recursive: true });

describe('the hooks harness init writes', () => {
  it('load without a problem and carry cases each', () => {
    expect([...policy.problems, ...problems]).toEqual([]);
    expect(new Set(cases.map((test) => test.hook)).size).toBe(policy.authored);
  });

  it.each(cases.map((test) => [test.hook, test.name, test] as const))(
    '%s: %s',
    async (_hook, _title, test) => {
      const { status, steps } = await runCase(policy, test, { read: () => null });
      expect({ status, mismatches: steps.flatMap((step) => step.mismatches) }).toEqual({
        status: 'passed',
        mismatches: [],
      });
    },
  );
});
