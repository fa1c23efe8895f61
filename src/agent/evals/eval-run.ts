/**
 * Plays the evaluation files of a project and judges them, one result an assertion. The model is the script of the file. Where
 * a file has none, a story goes as far as it goes without a model, and what that does not settle is skipped with the reason:
 * never passed. Nothing outside changes: the clock stands, programs are not started, tools have an empty folder.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Problem } from '../../base/index.ts';
import type { Hook, TraceEntry } from '../../engine/index.ts';
import { type Artifact, FolderSnapshot } from '../../files/index.ts';
import { buildHook, type HarnessFile, NO_SETTINGS } from '../../frontends/index.ts';
import { type CaseResult, DEFAULT_CASE, frozenHost, type Policy, type TestCase } from '../../policy/index.ts';
import { delegationOptions, loadAgent, offeredTools } from '../config/index.ts';
import { delegationFrom } from '../delegation/agent.ts';
import { type ScriptedCompletion, scriptedProvider } from '../providers/scripted.ts';
import { Session, type SessionOptions } from '../session.ts';
import type { SessionEvent } from '../session-event.ts';
import type { Tool } from '../tool.ts';
import { readTools } from '../tools/read-tools.ts';
import { type Criterion, type EvalCase, readEvals } from './eval-file.ts';
import { GRADES, type Story, unknownHook, type Verdict } from './eval-grades.ts';

export interface EvalRun {
  readonly results: readonly CaseResult[];
  readonly problems: readonly Problem[];
  /** Hooks of the policy that ran in a case. */
  readonly ran: readonly TraceEntry[];
}

export async function runEvals(
  policy: Policy,
  wanted: (name: string, source: string) => boolean = () => true,
): Promise<EvalRun> {
  const { evals, problems } = readEvals(policy.root);
  const all: EvalRun[] = [{ ...NO_RUN, problems }];
  for (const one of evals.filter(({ name, source }) => wanted(name, source)))
    all.push(await runEval(policy, one));
  return {
    results: all.flatMap(({ results }) => results),
    problems: all.flatMap((run) => run.problems),
    ran: all.flatMap(({ ran }) => ran),
  };
}

const NO_RUN: EvalRun = { results: [], problems: [], ran: [] };

async function runEval(policy: Policy, one: EvalCase): Promise<EvalRun> {
  const workspace = mkdtempSync(join(tmpdir(), 'harness-eval-'));
  try {
    const setting = await settingOf(policy, one, workspace);
    const problems = 'problems' in setting ? setting.problems : unknownIn(one, setting.hooks);
    if ('problems' in setting || problems.length > 0) return { ...NO_RUN, problems };
    const { story, cut, failures, ran } = await play(one, setting, workspace);
    const results = one.grades.map((grade) => {
      if (failures.length > 0) return resultOf(policy, one, grade, failures.join('; '));
      return resultOf(policy, one, grade, judged(grade.criterion, story, cut));
    });
    return { results, problems, ran: one.setup?.config === undefined ? [] : ran };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** What is asserted of a hook that is not there would hold for nothing. */
function unknownIn({ grades, report }: EvalCase, hooks: readonly Hook[]): Problem[] {
  const names = hooks.map(({ name }) => name);
  return grades.flatMap(({ criterion, line }) => {
    const fault = GRADES[criterion.type].needs === 'hook' ? unknownHook(criterion, names) : null;
    return fault === null ? [] : [report.at('TEST_INVALID', `${criterion.type}: ${fault}`, { line, col: 1 })];
  });
}

const NO_MODEL = 'it needs a model, and the file scripts none: say under completions what it answers';

function judged(criterion: Criterion, story: Story, cut: boolean): Verdict {
  const { judge, settled } = GRADES[criterion.type];
  const verdict = judge(story, criterion);
  if (!cut || (settled === 'true' && verdict === true)) return verdict;
  return settled === 'false' && verdict !== true ? verdict : { undecided: NO_MODEL };
}

function resultOf(
  { root: dir }: Policy,
  { name, source }: EvalCase,
  { criterion, line }: EvalCase['grades'][number],
  verdict: Verdict,
): CaseResult {
  const { type, value, tool } = criterion;
  const about = [type, tool, value].filter((part) => part !== undefined && part !== null).join(' ');
  const test: TestCase = { ...DEFAULT_CASE, name: `${name}: ${about}`, source, dir, line };
  if (verdict === true) return { test, status: 'passed', problem: null, steps: [] };
  if (typeof verdict === 'string') return { test, status: 'failed', problem: verdict, steps: [] };
  return { test, status: 'skipped', problem: verdict.undecided, steps: [] };
}

/** What a session is made of, and the hooks in it. */
interface Setting {
  readonly options: Omit<SessionOptions, 'provider'>;
  readonly hooks: readonly Hook[];
}

interface Unset {
  readonly problems: readonly Problem[];
}

async function settingOf(policy: Policy, one: EvalCase, workspace: string): Promise<Setting | Unset> {
  const { setup, report, source } = one;
  if (setup?.config !== undefined) {
    const at = [policy.root, dirname(join(policy.root, source))].map((from) => resolve(from, setup.config!));
    if (!at.includes(join(policy.root, 'harness.md'))) {
      report.error('TEST_INVALID', 'setup.config: want the harness.md of this project', one.tree?.start ?? 0);
      return { problems: report.problems };
    }
    const agent = await loadAgent(policy);
    const config = { ...agent.config.session, ...systemOf(one) };
    const tools = offeredTools(agent).offered;
    return { options: { config, tools, policy, ...delegationOptions(agent) }, hooks: policy.hooks };
  }
  const hooks = await hooksIn(one);
  const tools = await toolsIn(one, workspace);
  const problems = [...report.problems, ...tools.problems].filter(({ severity }) => severity === 'error');
  if (problems.length > 0) return { problems };
  const options = { config: systemOf(one), tools: tools.tools, hooks, ...delegationIn(one) };
  return { options, hooks };
}

function delegationIn({ setup }: EvalCase): Pick<SessionOptions, 'agents' | 'delegation'> {
  if (setup?.delegation === undefined) return {};
  const description = 'Works on a task by itself, with the same tools.';
  const agent = { name: 'agent', description, system: setup.system_prompt ?? '' };
  return { agents: [agent], delegation: delegationFrom(setup.delegation) };
}

const systemOf = ({ setup }: EvalCase) =>
  setup?.system_prompt === undefined ? {} : { system: setup.system_prompt };

function artifactOf({ source, tree, report }: EvalCase): Artifact {
  return { path: source, parsing: `parse ${source}`, map: tree, body: '', report } as Artifact;
}

async function hooksIn(one: EvalCase): Promise<Hook[]> {
  const artifact = artifactOf(one);
  const given = one.tree?.entries.get('hooks')?.value;
  const hooks: Hook[] = [];
  for (const [index, item] of (given?.kind === 'list' ? given.items : []).entries()) {
    const { name } = one.setup!.hooks![index]!;
    const path = `setup.hooks[${index}].`;
    const map = item.kind === 'map' ? item : null;
    const { hook } = await buildHook({ name, kind: 'inline', artifact, map, path, position: index }, index);
    if (hook !== undefined) hooks.push(hook);
  }
  return hooks;
}

async function toolsIn(one: EvalCase, empty: string) {
  const file: HarnessFile = { artifact: artifactOf(one), fields: null, drafts: [], settings: NO_SETTINGS };
  const read = await readTools(new FolderSnapshot(empty), [], [file]);
  const failing = new Map(one.setup?.tools?.map(({ name, error_on_call: times = 0 }) => [name, times]));
  return {
    problems: read.problems,
    tools: read.tools.map((tool) => failingFirst(tool, failing.get(tool.name) ?? 0)),
  };
}

function failingFirst(tool: Tool, times: number): Tool {
  let calls = 0;
  if (times === 0) return tool;
  return {
    ...tool,
    run: (args, context) => {
      calls += 1;
      return calls <= times
        ? Promise.reject(new Error(`simulated error on call ${calls}`))
        : tool.run(args, context);
    },
  };
}

interface Played {
  readonly story: Story;
  /** It broke off where a model was asked that nobody scripted. */
  readonly cut: boolean;
  /** Of hooks: a guard that crashed blocks too, and such a block proves nothing. */
  readonly failures: readonly string[];
  readonly ran: readonly TraceEntry[];
}

async function play(one: EvalCase, { options, hooks }: Setting, workspace: string): Promise<Played> {
  const completions = (one.completions ?? []) as readonly ScriptedCompletion[];
  const provider = scriptedProvider({ completions });
  const events: (SessionEvent & { readonly depth: number })[] = [];
  const session = new Session({
    ...options,
    config: { ...options.config, oneShot: false },
    provider,
    host: frozenHost(DEFAULT_CASE),
    workspace,
    onEvent: (event) => events.push(flat(event)),
  });
  const cut = () => one.completions === null && provider.requests.length > 0;
  const errors: string[] = [];
  let response = '';
  let tokens = 0;
  for (const prompt of one.prompts) {
    const { reason, message, text, usage } = await session.run(prompt).result;
    response = text;
    tokens += usage.input_tokens + usage.output_tokens;
    if (reason === 'error' && !cut()) errors.push(message ?? reason);
    if (cut()) break;
  }
  await session.close();
  const story = { ...storyOf(events), response, tokens, hooks: hooks.map(({ name }) => name) };
  const trace = events.flatMap((event) => (event.type === 'hook' ? event.outcome.trace : []));
  return {
    story: { ...story, errors: [...errors, ...story.errors], answers: provider.requests.length },
    cut: cut(),
    failures: failuresIn(trace),
    ran: trace.filter(({ state }) => state === 'ran'),
  };
}

function flat(event: SessionEvent, depth = 0): SessionEvent & { readonly depth: number } {
  return event.type === 'agent' ? flat(event.event, event.depth) : { ...event, depth };
}

function failuresIn(trace: readonly TraceEntry[]): string[] {
  return trace.flatMap(({ hook, failure }) =>
    failure === null ? [] : [`the hook ${hook} failed: ${failure.message}`],
  );
}

function storyOf(events: readonly (SessionEvent & { readonly depth: number })[]) {
  const fired = events.flatMap((event) => (event.type === 'hook' ? [event] : []));
  return {
    calls: events.flatMap((event) =>
      event.type === 'message' && event.message.role === 'assistant' ? event.message.tool_calls : [],
    ),
    fired: fired.flatMap(({ outcome }) =>
      outcome.trace.filter(({ state }) => state === 'ran').map(({ hook }) => hook),
    ),
    blocks: fired.flatMap(({ outcome: { action, hook, reason } }) =>
      action === 'block' ? [{ hook: hook ?? '', reason: reason ?? '' }] : [],
    ),
    errors: events.flatMap((event) =>
      event.type === 'tool.end' && event.isError && event.by === null
        ? [`${event.name}: ${event.content}`]
        : [],
    ),
    delegations: fired.flatMap(({ event, payload }) =>
      event === 'delegation.pre' ? [JSON.stringify(payload)] : [],
    ),
    depth: Math.max(0, ...events.map(({ depth }) => depth)),
  };
}
