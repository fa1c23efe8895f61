/**
 * The hooks `harness init` writes pass the cases they carry in their own frontmatter.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { machineHost } from '../src/base/host.ts';
import { loadProject } from '../src/frontends/project.ts';
import { Engine } from '../src/hooks/engine.ts';
import { RunState } from '../src/hooks/run-state.ts';

const templates = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli', 'init', 'templates');

const dir = mkdtempSync(join(tmpdir(), 'harness-templates-'));
cpSync(templates, join(dir, '.harness'), { recursive: true });
const project = await loadProject(dir);
rmSync(dir, { recursive: true });

describe('the hooks harness init writes', () => {
  it('load without a problem and carry cases each', () => {
    expect(project.problems).toEqual([]);
    expect(new Set(project.tests.map((test) => test.hook)).size).toBe(project.hooks.length);
  });

  it.each(project.tests.map((test) => [test.hook, test.name, test] as const))(
    '%s: %s',
    async (name, _title, test) => {
      const hooks = project.hooks.filter((hook) => hook.name === name);
      const engine = new Engine({ hooks, host: machineHost, run: new RunState() });
      const outcome = await engine.decide(test.event, test.payload);
      expect(outcome.trace.map((entry) => entry.failure)).toEqual([null]);
      expect(outcome.action).toBe(test.expect.action);
      if (test.expect.reason !== undefined) expect(outcome.reason).toContain(test.expect.reason);
    },
  );
});

type Cases = Record<'command_guard' | 'meta_tool_guard', Record<'block' | 'allow', string[]>>;
const CASES = parse(readFileSync(new URL('governed-templates.yaml', import.meta.url), 'utf8')) as Cases;

describe('what the guards of harness init stop and let pass', () => {
  it.each(
    Object.entries(CASES).flatMap(([hook, by]) =>
      Object.entries(by).flatMap(([action, lines]) => lines.map((line) => [hook, action, line] as const)),
    ),
  )('%s: %s: %s', async (name, action, command) => {
    const hooks = project.hooks.filter((hook) => hook.name === name);
    const engine = new Engine({ hooks, host: machineHost, run: new RunState() });
    const outcome = await engine.decide('tool.pre', { id: '1', name: 'run_command', args: { command } });
    expect(outcome.trace.map((entry) => entry.failure)).toEqual([null]);
    expect(outcome.action).toBe(action);
  });
});
