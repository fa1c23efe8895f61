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
import { openPolicy } from '../../src/policy/open-policy.ts';
import { judgeOrdinary, ordinaryWords } from '../../src/project/doctor/ordinary.ts';
import { shippedTestProblems } from '../../src/project/doctor/shipped-tests.ts';
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

/**
 * A hook with one line of its condition or script changed so that it decides otherwise, by what was done. Comments, counters and
 * the words of a reason decide nothing.
 */
function mutantsOf(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n');
  const [first, last] = [lines.findIndex((line) => line.startsWith('when:')), lines.indexOf('tests:')];
  const mutants = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    if (at < first || at >= last || /^ *(?:#.*)?$|metrics\.|^script: /.test(line)) continue;
    const put = (what: string, ...changed: readonly string[]) =>
      mutants.set(`line ${at + 1}, ${what}: ${line.trim()}`, lines.toSpliced(at, 1, ...changed).join('\n'));
    put('gone');
    if (line.includes(' if ')) put('turned round', line.replace(/ if (.*):$/, ' if not ($1):'));
    if (line.includes('return ')) {
      for (const other of ['allow()', 'block("x")']) {
        if (!line.includes(other.slice(0, 5))) put(other, line.replace(/return .*/, `return ${other}`));
      }
      continue;
    }
    for (const { 0: literal, index } of line.matchAll(/"[^"]+"/g)) {
      put(`without ${literal}`, `${line.slice(0, index)}"no-such-name"${line.slice(index + literal.length)}`);
    }
    for (const { 0: term, index } of line.matchAll(/[+] OWN/g)) {
      put(`without ${term}`, line.slice(0, index) + line.slice(index + term.length));
    }
  }
  return mutants;
}

describe('doctor on ordinary work', () => {
  it.each(AGENTS)('passes every ordinary call of %s under the policy of init', async (agent) => {
    const { calls, problems, notes } = await judged(project(), agent);
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(calls.map(({ outcome }) => outcome)).toEqual(['passed', 'passed', 'passed', 'passed']);
  });

  describe('of a policy in which one line of path_guard is wrong', () => {
    const text = readFileSync(join(TEMPLATES, 'hooks/path_guard.md'), 'utf8');
    /** What `doctor` has to say about the folder with this path_guard. */
    const problemsWith = async (guard: string): Promise<readonly string[]> => {
      const dir = project({ [PATH_GUARD]: guard });
      const policy = await openPolicy(dir, { places: { managed: null, user: null } });
      return [...(await judged(dir)).problems, ...(await shippedTestProblems(policy, SHIPPED))];
    };

    it.each([
      ['that lets every write pass', 'return block(', 'return allow() or ('],
      ['that lets a write outside pass', /return block\(.*\)/, 'return allow()'],
      ['that asks about no tool for files', /"Write", "Edit"/, '"Wrte", "Edt"'],
    ])(
      'is red for one %s: names the hook, the line of its test and what came out',
      async (_which, from, to) => {
        const mutant = text.replace(from, to);
        expect(mutant).not.toBe(text);
        const problems = await problemsWith(mutant);
        expect(problems[0]).toMatch(
          /^hook "path_guard" \(\.harness\/hooks\/path_guard\.md:\d+\) does not decide as its test ".+" says: action: want "block", got "(?:allow|unmatched)"; see `harness test`$/,
        );
      },
    );

    it('is red for each line of its condition and script that is gone, turned round or misspelt', async () => {
      expect(await problemsWith(text)).toEqual([]);
      const missed: string[] = [];
      const mutants = mutantsOf(text);
      for (const [what, mutant] of mutants) {
        if ((await problemsWith(mutant)).length === 0) missed.push(what);
      }
      expect(missed).toEqual([]);
      expect(mutants.size).toBeGreaterThan(35);
    });
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
