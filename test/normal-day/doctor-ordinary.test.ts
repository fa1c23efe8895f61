/**
 * What `doctor` says of ordinary work: it passes under the policy of `init` in every agent; a guard of ours that stops it, and a hook
 * that fails at it, are problems; a person's own hook that stops it is a note.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AGENTS as RECORDS } from '../../src/agents/all-agents.ts';
import { ADAPTERS, loadAdapter } from '../../src/agents/load-adapter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { machineHost } from '../../src/machine/host.ts';
import { judgeOrdinary, ordinaryWords } from '../../src/project/doctor/ordinary.ts';
import { remove } from '../support/remove.ts';
import { PLACES, shapesOf } from './shapes.ts';

const TEMPLATES = fileURLToPath(new URL('../../src/cli/init/templates', import.meta.url));
const PATH_GUARD = '.harness/hooks/path_guard.md';
const SHIPPED = new Set(readdirSync(join(TEMPLATES, 'hooks')).map((name) => `.harness/hooks/${name}`));
const AGENTS = Object.keys(ADAPTERS);

const OWN = '.harness/hooks/own.md';
const own = (...script: readonly string[]) =>
  `---\nevent: tool.pre\npriority: 5\nscript: |\n  def handle(event, payload):\n${script.map((line) => `      ${line}\n`).join('')}---\n`;

/** A project with what `init` writes, and more or other files. */
function project(files: Readonly<Record<string, string>> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'harness-ordinary-')));
  onTestFinished(() => remove(dir));
  cpSync(TEMPLATES, join(dir, '.harness'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text, { mode: 0o755 });
  }
  return dir;
}

async function judged(dir: string, agent = 'claude-code') {
  const env: Readonly<Record<string, string>> = {
    HOME: join(dir, 'home'),
    HARNESS_TRUST: 'all',
    PATH: '/usr/bin:/bin',
  };
  const report = await judgeOrdinary({
    adapter: (await loadAdapter(agent))!,
    scope: { dir, user: null },
    cwd: dir,
    host: { ...machineHost, env: (name) => env[name], variables: () => env },
    shipped: SHIPPED,
  });
  return { ...report, ...ordinaryWords(report) };
}

describe('doctor on ordinary work', () => {
  it.each(AGENTS)('passes every ordinary call of %s under the policy of init', async (agent) => {
    const { calls, problems, notes } = await judged(project(), agent);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(calls.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed', 'passed']);
  });

  it('finds a policy in which one line of path_guard is wrong', async () => {
    const text = readFileSync(join(TEMPLATES, 'hooks/path_guard.md'), 'utf8');
    const lines = text.split('\n');
    const mutants = lines.flatMap((line, at) => {
      const condition = /^( +)if (.*):$/.exec(line);
      if (condition === null || !lines[at + 1]?.includes('return')) return [];
      return [lines.with(at, `${condition[1]}if not (${condition[2]}):`).join('\n')];
    });
    const found: (readonly string[])[] = [];
    for (const mutant of mutants) found.push((await judged(project({ [PATH_GUARD]: mutant }))).problems);
    const red = found.filter((problems) => problems.length > 0);
    expect([mutants.length, red.length]).toEqual([1, 1]);
    for (const [problem] of red) {
      expect(problem).toMatch(
        /^ordinary work, write a file in the project: hook "path_guard" \(\.harness\/hooks\/path_guard\.md/,
      );
    }
  });

  it('is red for a guard of ours that cannot be read', async () => {
    const { problems } = await judged(project({ [PATH_GUARD]: 'this is no hook\n' }));
    expect(problems.length).toBeGreaterThan(0);
  });

  it('is red for a hook that fails at an ordinary call', async () => {
    const { problems, notes } = await judged(
      project({ [OWN]: own('return allow() if payload["gone"] else allow()') }),
    );
    expect(problems).toHaveLength(4);
    expect(problems[0]).toContain('hook "own" (.harness/hooks/own.md');
    expect(problems[0]).toContain('failed');
    expect(notes).toEqual([]);
  });

  it('is red for a hook that fails at an ordinary call and lets it pass: that guard is off', async () => {
    const failing = own('return block("x") if payload["gone"] else allow()');
    const { calls, problems } = await judged(
      project({ [OWN]: failing.replace('priority: 5', 'priority: 5\non_error: allow') }),
    );
    expect(calls.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed', 'passed']);
    expect(problems).toHaveLength(4);
    expect(problems[0]).toMatch(/hook "own" \(\.harness\/hooks\/own\.md(?::\d+)?\) failed and let it pass: /);
  });

  it('notes with its line that a hook of the person stops an ordinary call', async () => {
    const stops = own('return block("not on Fridays") if "git" in str(payload["args"]) else allow()');
    const { problems, notes } = await judged(project({ [OWN]: stops }));
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^ordinary work, commit: hook "own" \(\.harness\/hooks\/own\.md:\d+\) blocks it: not on Fridays$/,
      ),
    ]);
  });

  it('neither starts a program of a hook nor judges by it, and names the hook', async () => {
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './mark.sh' }] }] } };
    const dir = project({
      '.harness/settings.json': JSON.stringify(settings),
      'mark.sh': '#!/bin/sh\ntouch ran\nexit 2\n',
    });
    const { calls, problems, notes } = await judged(dir);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed', 'passed']);
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/^not tried: hook ".*" \(.*settings\.json.*\) starts programs/),
    ]);
    expect(existsSync(join(dir, 'ran'))).toBe(false);
  });

  it('speaks to no address for a hook: the call is not tried', async () => {
    const asks = own('return block(http.get("https://policy.example/")["body"])');
    const settings = readFileSync(join(TEMPLATES, 'harness.md'), 'utf8');
    const reaching = settings.replace('---\n', '---\nnetwork: {allowed_domains: [policy.example]}\n');
    const { calls, problems, notes } = await judged(
      project({ [OWN]: asks, '.harness/harness.md': reaching }),
    );
    expect(problems).toEqual([]);
    expect(calls.map(({ outcome }) => outcome)).toEqual(Array(4).fill('not tried'));
    expect(notes[0]).toContain('hook "own"');
    expect(notes[0]).toContain('speaks to an address');
  });

  it('leaves nothing behind', async () => {
    const dir = project();
    const before = readdirSync(dir, { recursive: true }).sort();
    await judged(dir);
    expect(readdirSync(dir, { recursive: true }).sort()).toEqual(before);
  });
});

describe('the ordinary calls of doctor', () => {
  const documented = (agent: string, kind: string) =>
    agent === 'cursor' || shapesOf(agent).calls[kind] === undefined;

  it.each(AGENTS)('have the tools and arguments that %s was seen to send', (agent) => {
    const tools = RECORDS.get(agent)!.ordinary;
    const file = { absolute: join(PLACES.workspace, 'a.ts'), relative: 'a.ts' };
    const made = { run: tools.run('ls'), write: tools.write(file, 'x'), read: tools.read(file) };
    for (const [kind, { name, input }] of Object.entries(made)) {
      if (documented(agent, kind)) continue;
      const captured = toolIn(shapesOf(agent).calls[kind]!.pre.payload);
      expect({ kind, name }).toEqual({ kind, name: captured.name });
      expect(Object.keys(captured.input)).toEqual(expect.arrayContaining(Object.keys(input)));
    }
  });
});

/** The tool in a payload of any agent. */
function toolIn(payload: JsonObject): { readonly name: Json; readonly input: JsonObject } {
  const { tool_name, tool_input, toolName, toolArgs, tool_call, input, output, event } = payload;
  const inner = (value: Json | undefined) => (isJsonObject(value) ? value : {});
  const [name, args] = [
    [tool_name, tool_input],
    [toolName, toolArgs],
    [inner(tool_call).name, inner(tool_call).input],
    [inner(input).tool, inner(output).args],
    [inner(event).toolName, inner(event).input],
  ].find(([found]) => typeof found === 'string')!;
  return { name: name!, input: inner(args) };
}
