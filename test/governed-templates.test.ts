/**
 * The hooks `harness init` writes pass the cases they carry in their own frontmatter.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isBuiltIn } from '../src/engine/layer.ts';
import { openPolicy } from '../src/policy/open-policy.ts';
import { runCase, testsOf } from '../src/policy/testing/run-tests.ts';

const templates = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli', 'init', 'templates');

const dir = mkdtempSync(join(tmpdir(), 'harness-templates-'));
cpSync(templates, join(dir, '.harness'), { recursive: true });
cpSync(new URL('governed-templates.cases.yaml', import.meta.url), join(dir, '.harness/tests/more.yaml'));
const policy = await openPolicy(dir);
const { cases, problems } = testsOf(policy);
rmSync(dir, { recursive: true });

describe('the hooks harness init writes', () => {
  it('stand word for word in examples/01-governed-agent, which has only a redaction of its own', () => {
    const example = join(templates, '../../../../examples/01-governed-agent/.harness/hooks');
    for (const file of readdirSync(join(templates, 'hooks')).filter((name) => !name.startsWith('redact_')))
      expect(readFileSync(join(example, file), 'utf8'), `copy ${file} from the templates`).toBe(
        readFileSync(join(templates, 'hooks', file), 'utf8'),
      );
  });

  it('load without a problem and carry cases each', () => {
    expect([...policy.problems, ...problems]).toEqual([]);
    const names = policy.hooks
      .filter((hook) => !isBuiltIn(hook) && hook.frontEnd.name !== 'packs')
      .map(({ name }) => name);
    const tested = new Set(cases.map((test) => test.hook));
    expect(names.filter((name) => !tested.has(name))).toEqual([]);
    expect(names).toHaveLength(policy.authored);
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

/** By what the commands are about. */
type Cases = Record<'destruction' | 'policy', Record<'block' | 'allow', string[]>>;
const CASES = parse(readFileSync(new URL('governed-templates.yaml', import.meta.url), 'utf8')) as Cases;

describe('the policy of harness init', () => {
  it.each(
    Object.entries(CASES).flatMap(([hook, by]) =>
      Object.entries(by).flatMap(([action, lines]) => lines.map((line) => [hook, action, line] as const)),
    ),
  )('%s: %s: %s', async (_about, action, command) => {
    const outcome = await policy.decide('tool.pre', { id: '1', name: 'run_command', args: { command } });
    expect(outcome.trace.filter((entry) => entry.failure !== null)).toEqual([]);
    expect(outcome.action).toBe(action);
  });
});
