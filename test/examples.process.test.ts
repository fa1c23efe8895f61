/**
 * The numbered examples: each loads without a problem, passes the cases its hooks carry, runs, and shows its one idea.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { delegationOptions, loadAgentProject, offeredTools } from '../src/agent/config/index.ts';
import { scriptedProvider } from '../src/agent/providers/scripted.ts';
import { parseScript } from '../src/agent/providers/scripted-file.ts';
import { Session } from '../src/agent/session.ts';
import type { EndReason, SessionEvent } from '../src/agent/session-event.ts';
import { checkPolicy } from '../src/policy/check-policy.ts';
import { runCase, testsOf } from '../src/policy/testing/run-tests.ts';
import { remove } from './support/remove.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const examples = readdirSync(join(root, 'examples')).sort();
const scratch = mkdtempSync(join(tmpdir(), 'harness-examples-'));

afterAll(() => remove(scratch));

function copyOf(example: string): string {
  const dir = mkdtempSync(join(scratch, `${example}-`));
  cpSync(join(root, 'examples', example), dir, { recursive: true });
  return dir;
}

interface Played {
  readonly dir: string;
  readonly reasons: readonly EndReason[];
  readonly text: string;
  readonly events: readonly SessionEvent[];
  /** `event action hook` of every outcome that decided something. */
  readonly decisions: readonly string[];
  /** The last user message of each request, reminders included. */
  readonly asked: readonly string[];
  readonly session: Session;
}

/** Plays the script of an example from beginning to end. */
async function play(example: string): Promise<Played> {
  const dir = copyOf(example);
  const agent = await loadAgentProject(dir);
  const parsed = parseScript(readFileSync(join(dir, 'script.yaml'), 'utf8'), 'script.yaml');
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join('\n'));
  const provider = scriptedProvider(parsed.script);
  const events: SessionEvent[] = [];
  const session = new Session({
    config: { ...agent.config.session, oneShot: false },
    provider,
    tools: offeredTools(agent).offered,
    policy: agent.policy,
    ...delegationOptions(agent),
    workspace: dir,
    onEvent: (event) => events.push(event),
  });
  const reasons: EndReason[] = [];
  let text = '';
  for (const prompt of parsed.script.prompts ?? []) {
    const result = await session.run(prompt).result;
    reasons.push(result.reason);
    text = result.text;
  }
  await session.close();
  const decisions = events.flatMap((event) =>
    event.type === 'hook' && event.outcome.action !== 'allow'
      ? [`${event.event} ${event.outcome.action} ${event.outcome.hook}`]
      : [],
  );
  const asked = provider.requests.map(
    ({ messages }) => messages.findLast((message) => message.role === 'user')?.content ?? '',
  );
  return { dir, reasons, text, events, decisions, asked, session };
}

/** Runs a program of an example against these sources. */
async function runProgram(example: string, file: string): Promise<Ran> {
  const dir = copyOf(example);
  return bundleAndRun(join(dir, file), join(dir, file), dir);
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
}

async function bundleAndRun(source: string, outfile: string, cwd: string): Promise<Ran> {
  await build({
    entryPoints: [source],
    outfile,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'silent',
    external: ['@anthropic-ai/sdk', '@modelcontextprotocol/client', 'openai'],
    alias: {
      'harness-hooks/agent': join(root, 'src/exports/agent.ts'),
      'harness-hooks/hooks': join(root, 'src/exports/hooks.ts'),
      'harness-hooks': join(root, 'src/index.ts'),
    },
    nodePaths: [join(root, 'node_modules')],
    // Packages in the older module format ask for it.
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
  });
  const child = spawn(process.execPath, [outfile], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout };
}

describe('the examples', () => {
  it('are numbered without a gap, and each says what it shows', () => {
    expect(examples.map((name) => Number(name.slice(0, 2)))).toEqual(examples.map((_, i) => i + 1));
    const silent = examples.filter((name) => !existsSync(join(root, 'examples', name, 'README.md')));
    expect(silent).toEqual([]);
  });

  it.each(examples)('%s loads without a problem', async (name) => {
    const { problems } = await loadAgentProject(copyOf(name));
    // What a failure means is said in so many words there, and marked.
    const marked = name.startsWith('10') ? ['GUARD_MAY_BE_OFF'] : [];
    expect(problems.filter(({ code }) => !marked.includes(code))).toEqual([]);
  });

  it.each(examples)('%s: its hooks pass the cases they carry', async (name) => {
    const { policy } = await loadAgentProject(copyOf(name));
    const { cases, problems } = testsOf(policy);
    expect(problems).toEqual([]);
    for (const test of cases) {
      const { status, steps } = await runCase(policy, test, { read: () => null });
      const mismatches = steps.flatMap((step) => step.mismatches);
      expect({ hook: test.hook, test: test.name, status, mismatches }).toEqual({
        hook: test.hook,
        test: test.name,
        status: 'passed',
        mismatches: [],
      });
    }
  });
});

describe('01-governed-agent', () => {
  it('holds a model that misbehaves, and lets it finish its work', async () => {
    const { dir, reasons, decisions, session } = await play('01-governed-agent');
    expect(decisions).toEqual([
      'tool.pre block command_guard',
      'tool.pre block path_guard',
      'tool.pre block prefer_named_tools',
      'tool.pre block meta_tool_guard',
      'tool.post modify redact_secrets',
      'agent.stop block verify_before_stop',
      'completion.post block completion_window_guard',
    ]);
    expect(reasons).toEqual(['end_turn', 'completion_blocked']);
    expect(readFileSync(join(dir, 'RELEASE.md'), 'utf8')).toContain('# Release 1.4');
    expect(JSON.stringify(session.messages)).not.toContain('sk-demo');
    expect(session.runState.metrics.get('audit.policy.deny')).toBe(5);
  });

  it('would do no harm without its hooks either', async () => {
    const dir = copyOf('01-governed-agent');
    const agent = await loadAgentProject(dir);
    const parsed = parseScript(readFileSync(join(dir, 'script.yaml'), 'utf8'), 'script.yaml');
    const session = new Session({
      provider: scriptedProvider(parsed.ok ? parsed.script : { completions: [] }),
      tools: agent.tools,
      workspace: dir,
    });
    const { messages } = await session.run('Go.').result;
    const answers = messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
    const harmful = answers.slice(2, 5);
    expect(harmful.map(({ name, is_error }) => [name, is_error])).toEqual([
      ['run_command', true],
      ['write_file', true],
      ['exec_run', true],
    ]);
  });
});

describe('02-embed-the-runtime', () => {
  it('a program asks before it acts, and obeys', async () => {
    expect(await runProgram('02-embed-the-runtime', 'decide.mjs')).toEqual({
      code: 0,
      stdout:
        'refunded 20 EUR\nrefused by refund_limit: refunds over 100 need a person; offer a voucher instead\n',
    });
  });

  it('a program runs a whole session', async () => {
    const { code, stdout } = await runProgram('02-embed-the-runtime', 'session.mjs');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'refund: tool blocked: blocked by hook "refund_limit": refunds over 100 need a person; offer a voucher instead',
      'refund: {"refunded":"20 EUR"}',
      'end_turn: I gave 20 back now.',
      '',
    ]);
  });
});

describe('03-command-hooks', () => {
  it('a script blocks a write, and another one tells the model where it is', async () => {
    const { dir, reasons, decisions, asked } = await play('03-command-hooks');
    expect(reasons).toEqual(['end_turn']);
    expect(decisions).toEqual(['tool.pre block protect-lockfile']);
    expect(asked[0]).toContain('The current branch is feature/search');
    expect(existsSync(join(dir, 'package-lock.json'))).toBe(false);
    expect(existsSync(join(dir, 'NOTES.md'))).toBe(true);
  });
});

describe('04-reminders', () => {
  it('a rule in mode warn lets the call run and tells the model with the next request, once', async () => {
    const { dir, decisions, asked, session } = await play('04-reminders');
    expect(decisions).toEqual([]);
    expect(existsSync(join(dir, 'SEARCH.md'))).toBe(true);
    expect(asked.map((prompt) => prompt.includes('split files that grow over 200'))).toEqual([
      false,
      true,
      false,
    ]);
    expect(JSON.stringify(session.messages)).not.toContain('split files that grow');
  });

  it('reminders from code replace their older selves and stay as long as they say', async () => {
    const { code, stdout } = await runProgram('04-reminders', 'reminders.mjs');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      'The release is on Friday.',
      'The release is on Friday.',
      'fetch_docs may be out of date',
    ]);
  });
});

describe('05-redaction', () => {
  it('text is rewritten where it crosses a border, and the history never holds the rest', async () => {
    const { decisions, text, session } = await play('05-redaction');
    expect(decisions).toEqual([
      'turn.start modify redact_prompts',
      'tool.post modify redact_results',
      'turn.end modify redact_answers',
    ]);
    expect(text).toBe('Ada and Grace, says the project.');
    const history = JSON.stringify(session.messages);
    for (const hidden of ['4000 1234', '@example', 'Kestrel']) expect(history).not.toContain(hidden);
  });
});

describe('07-approvals', () => {
  it('calls are put into zones, and without a person what must be asked is denied', async () => {
    const { dir, reasons, session, text, decisions } = await play('07-approvals');
    expect(decisions).toEqual([
      'tool.pre ask permissions',
      'tool.pre ask permissions',
      'permission.asked block no_passwords',
      'tool.pre block permissions',
      'tool.pre block floor',
    ]);
    expect(reasons).toEqual(['end_turn']);
    expect(text).toContain('Our own people know');
    const said = session.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    expect(said[0]).toBe('published to internal');
    expect(said[1]).toContain('what leaves the house is read by a person first (needs approval');
    expect(said[2]).toContain('a password is never published');
    expect(JSON.parse(said[3]!)).toMatchObject({ exit_code: 0 });
    expect(said[4]).toContain('tool denied: the command matches');
    expect(said[5]).toContain('tool refused: it deletes the whole system');
    expect([existsSync(join(dir, 'internal.txt')), existsSync(join(dir, 'news.txt'))]).toEqual([true, false]);
  });

  it('a channel of its own answers for exactly what it was shown', async () => {
    expect(await runProgram('07-approvals', 'approvals.mjs')).toEqual({
      code: 0,
      stdout: [
        '? news: Version 2 is out. (a person reads it first)',
        '  yes, and again for this call',
        '= published to news',
        '= published to news',
        '? news: The secret is out. (a person reads it first)',
        '  no',
        '= tool denied: that is not for the public',
        '',
      ].join('\n'),
    });
  });
});

describe('08-personas-and-steps', () => {
  it('steps are denied and rewritten, and what happens to the persona is heard', async () => {
    expect(await runProgram('08-personas-and-steps', 'personas.mjs')).toEqual({
      code: 0,
      stdout: [
        '> merge_captain.audit(search)',
        '{"branch":"search","author":"(hidden)","clean":true}',
        '> merge_captain.merge(search)',
        'merged heads/search',
        '! merge_captain has used 80 % of its budget',
        '{"category":"hook_denied","event":"PreStep","reason":"the release is frozen","step":"merge"}',
        '! OnPersonaPaused the tests run',
        '! OnPersonaResumed the tests are done',
        '> merge_captain.audit(cleanup)',
        '{"branch":"cleanup","author":"(hidden)","clean":true}',
        '! OnHandoffEmitted release_manager',
        '',
      ].join('\n'),
    });
  });
});

describe('06-delegation-with-verify', () => {
  it('[C078] the sub-agent meets the hooks of its parent, and its answer counts once it is accepted', async () => {
    const { dir, reasons, events, asked } = await play('06-delegation-with-verify');
    expect(reasons).toEqual(['end_turn']);
    const inWriter = events.flatMap((event) => (event.type === 'agent' ? [event.event] : []));
    const refused = inWriter.flatMap((event) =>
      event.type === 'tool.end' && event.isError ? [event.content] : [],
    );
    expect(refused).toEqual([
      'tool blocked: blocked by hook "only_notes": only files in notes/ may be written, not CHANGELOG.md',
    ]);
    expect(asked[4]).toContain(
      'not accepted (attempt 1): the section "Breaking changes" is missing; a link is not encrypted: write https://',
    );
    const [answer] = events.flatMap((event) => (event.type === 'tool.end' ? [event.content] : []));
    expect(answer).toContain('## Breaking changes');
    expect(existsSync(join(dir, 'CHANGELOG.md'))).toBe(false);
    expect(readFileSync(join(dir, 'notes/1.4.md'), 'utf8')).toBe('Search is faster.\n');
  });
});

describe('09-self-augmenting', () => {
  it('[C003] an agent makes a tool and a rule, and the policy holds for both', async () => {
    const { reasons, decisions, session } = await play('09-self-augmenting');
    expect(reasons).toEqual(['end_turn']);
    expect(decisions).toEqual([
      'meta.register_tool block tool_names',
      'tool.pre block inside_only',
      'tool.pre block enough_read',
    ]);
    const results = session.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(results[1]).toBe('count_words is there from the next step on');
    expect(results.slice(2, 4)).toEqual(['6', expect.stringContaining("none of the agent's business")]);
    expect(results[5]).toBe('tool blocked: blocked by hook "enough_read": I have read enough');
  });
});

describe('16-rules-about-rules', () => {
  it('holds its own rules', async () => {
    const { policy } = await loadAgentProject(copyOf('16-rules-about-rules'));
    expect(await checkPolicy(policy, {})).toEqual([]);
    expect(policy.registry.list('meta.validate')).toHaveLength(2);
  });
});

describe('11-from-ai-harness', () => {
  it('the guard of its own page blocks, and the settings are read as they stand', async () => {
    const { decisions, reasons, session } = await play('11-from-ai-harness');
    expect(decisions).toEqual(['tool.pre block command_guard']);
    expect(reasons).toEqual(['end_turn']);
    expect(session.runState.metrics.get('audit.tool.pre')).toBe(2);
    const { config } = await loadAgentProject(copyOf('11-from-ai-harness'));
    expect(config.model).toMatchObject({ model: 'openai/gpt-4o', maxTokens: 4096 });
    expect(config.session.limits).toMatchObject({ maxTurns: 12 });
  });
});

describe('12-from-harn', () => {
  it('the handlers of its manifest hold, in Starlark', async () => {
    const { policy } = await loadAgentProject(copyOf('12-from-harn'));
    expect((await policy.decide('turn.start', 'my secret')).reason).toContain('secret in prompt');
    expect((await policy.decide('tool.pre', { name: 'exec_root', args: {} })).reason).toBe('exec is gated');
    expect((await policy.decide('tool.pre', { name: 'read', args: {} })).action).toBe('allow');
  });

  it('the closures of its page run from code', async () => {
    const { code, stdout } = await runProgram('12-from-harn', 'closures.mjs');
    expect(code).toBe(0);
    expect(stdout).toContain('turn 1: 4 messages');
    expect(stdout).toContain('re-running clippy after edit to src/main.rs');
    expect(stdout).toMatch(/fetch_page \d{4} false/);
    expect(stdout).toMatch(/exec_root \d+ true/);
  });
});

describe('13-from-loom', () => {
  it('agent.json is in force, and the wiring of its page runs with another import', async () => {
    const { policy } = await loadAgentProject(copyOf('13-from-loom'));
    const events = policy.hooks
      .filter(({ frontEnd }) => frontEnd.name === 'profile')
      .map(({ event }) => event);
    expect(events).toEqual(['session.end', 'session.start', 'tool.pre']);
    const { code, stdout } = await runProgram('13-from-loom', 'session.mjs');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'demo: 7 in, 1 calls',
      'demo: 9 in, 0 calls',
      'I will not touch production.',
      'end_turn',
      'the model knows why',
      '',
    ]);
  });
});

describe('14-from-harness-framework', () => {
  it('its hooks in TypeScript run with nothing but Node', async () => {
    const { decisions, asked, reasons } = await play('14-from-harness-framework');
    expect(asked[0]).toContain('Current project: MyApp (v2.3.1)');
    expect(decisions).toEqual(['tool.pre block SecurityValidator']);
    expect(reasons).toEqual(['end_turn']);
  });
});

describe('15-from-claude-code', () => {
  it('its commands block and tell the model', async () => {
    const { dir, decisions, asked } = await play('15-from-claude-code');
    expect(decisions).toEqual(['tool.pre block PreToolUse[0].hooks[0]']);
    expect(existsSync(join(dir, '.env.local'))).toBe(false);
    expect(existsSync(join(dir, 'NOTES.md'))).toBe(true);
    expect(asked.at(-1)).toContain('formatted with two spaces');
  });
});
