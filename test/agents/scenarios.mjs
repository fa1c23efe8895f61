// What each agent is put through, as data: the model's story, what the hook answers, and what must be true afterwards. A
// scenario that needs what a recipe does not have is not offered for that agent.

import { dayStory, everyToolStory, FILES } from './every-tool.mjs';
import { BREAKS } from './live.mjs';
import { switchScenarios } from './switches.mjs';

const RUNS = 'echo ORIGINAL_OUTPUT | tee original.txt';
const REWRITTEN = 'echo REWRITTEN_OUTPUT | tee rewritten.txt';
const DONE = { text: 'FINAL_ANSWER' };
const SUB_TASK = 'SUB_TASK run the tool';

/** One tool call and an end. */
const oneCall = ({ shell }) => [{ text: 'I will run it.', tool_calls: [shell(RUNS)] }, DONE];

const RAN = { original: 'ORIGINAL_OUTPUT' };
const NOT_RUN = { original: null };

const includes =
  (...wanted) =>
  (seen) =>
    wanted.every((event) => seen.includes(event));

const count = (wanted, times) => (seen) => seen.filter((event) => event === wanted).length === times;

const callsIn = (story) => story.flatMap(({ tool_calls = [] }) => tool_calls).length;

/** One Markdown hook, as a file of the project. */
const hookFile = (event, ...script) => {
  const handler = ['def handle(event, payload):', ...script.map((line) => `  ${line}`)];
  const fields = [`event: ${event}`, 'priority: 10', 'script: |', ...handler.map((line) => `  ${line}`)];
  return { '.harness/hooks/the_rule.md': ['---', ...fields, '---', ''].join('\n') };
};

/** What an agent with permissions of its own is allowed to use. */
const EVERYTHING = [
  'Bash',
  'Agent',
  'Read',
  'Write',
  'Edit',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'Skill',
  'mcp__notes',
];

const HARMLESS = hookFile('tool.pre', 'return allow()');
const REFUSES = hookFile('tool.pre', 'return block("HOOK_REASON")');

const decided = (event, action) => (decisions) =>
  decisions.some((one) => one.event === event && (action === undefined || one.action === action));

/** What is said in the place of a launcher that does not answer, by the registered line or by the file inside the agent. */
const GONE = ['Harness gave no whole answer', 'Harness is not installed', 'no answer'];

const some = (words, has) => words.some((word) => has(word));

/** The reason arrives at the model; where a refusal ends the run, in the agent's own words that it was stopped. */
const told = ({ endsRun, stopped }, ...words) =>
  endsRun
    ? { printed: (text) => some(stopped, (word) => text.includes(word)) }
    : { modelSaw: (saw) => words.every((word) => saw(word)), unused: [] };

const toldOneOf = ({ endsRun, stopped }, words) =>
  endsRun
    ? { printed: (text) => some(stopped, (word) => text.includes(word)) }
    : { modelSaw: (saw) => some(words, saw) };

/** Without a refusal of prompts the call itself is refused. */
const refusedAtOnce = (agent, words) =>
  agent.promptGoesOn
    ? { ...NOT_RUN, ...toldOneOf(agent, words) }
    : {
        ...NOT_RUN,
        requests: 0,
        // In the agent's own words, if it does not show ours.
        printed: (text) => some([...words, ...(agent.refusal ?? [])], (word) => text.includes(word)),
      };

/** How the agent itself takes a hook's answers, without any policy. Facts to hold: a value must be equal, a function must say yes. */
const DIALECT = [
  {
    name: 'observe',
    story: oneCall,
    replies: () => ({}),
    expect: ({ events }) => ({
      ...RAN,
      events: includes(events.prompt, events.pre, events.post),
      modelSaw: (saw) => saw('ORIGINAL_OUTPUT'),
      unused: [],
      withoutItem: 0,
    }),
  },
  {
    name: 'block',
    needs: 'deny',
    story: oneCall,
    replies: ({ deny }) => deny('HOOK_REASON'),
    expect: ({ events }) => ({
      ...NOT_RUN,
      events: includes(events.pre),
      modelSaw: (saw) => saw('HOOK_REASON'),
      unused: [],
    }),
  },
  {
    name: 'rewrite',
    needs: 'rewrite',
    story: oneCall,
    replies: ({ rewrite }, { shell }) => rewrite(shell(REWRITTEN)),
    expect: () => ({ ...NOT_RUN, rewritten: 'REWRITTEN_OUTPUT', modelSaw: (saw) => saw('REWRITTEN_OUTPUT') }),
  },
  {
    name: 'redact',
    needs: 'redact',
    story: oneCall,
    replies: ({ redact }) => redact('HOOK_REDACTED'),
    // The command itself stands in the conversation, so only the results count.
    expect: () => ({
      ...RAN,
      lastResult: (text) => text.includes('HOOK_REDACTED') && !text.includes('ORIGINAL_OUTPUT'),
    }),
  },
  {
    name: 'context',
    needs: 'context',
    story: oneCall,
    replies: ({ context }) => context('HOOK_CONTEXT'),
    expect: () => ({ ...RAN, modelSaw: (saw) => saw('HOOK_CONTEXT') }),
  },
  {
    name: 'prompt-block',
    needs: 'blockPrompt',
    story: oneCall,
    replies: ({ blockPrompt }) => blockPrompt('HOOK_REASON'),
    // An agent that fails to start sends no request either.
    expect: ({ events }) => ({ ...NOT_RUN, events: includes(events.prompt), requests: 0 }),
  },
  {
    name: 'stop-goes-on',
    needs: 'goOn',
    story: ({ shell }) => [...oneCall({ shell }), { text: 'SECOND_ANSWER' }],
    replies: ({ goOn }) => goOn('HOOK_REASON'),
    expect: () => ({ ...RAN, modelSaw: (saw) => saw('HOOK_REASON'), unused: [] }),
  },
  {
    name: 'two-tools-at-once',
    story: ({ shell }) => [{ tool_calls: [shell(RUNS), shell(REWRITTEN)] }, DONE],
    replies: () => ({}),
    expect: ({ events }, story) => ({
      ...RAN,
      rewritten: 'REWRITTEN_OUTPUT',
      events: count(events.pre, callsIn(story)),
      unused: [],
    }),
  },
  {
    name: 'sub-agent',
    needs: 'subAgent',
    story: ({ shell, subAgent, subAgentEnd = (text) => ({ text }) }) => [
      { tool_calls: subAgent(SUB_TASK) },
      { when: { prompt: SUB_TASK }, tool_calls: [shell(RUNS)] },
      { when: { prompt: SUB_TASK, tool_result: 'ORIGINAL_OUTPUT' }, ...subAgentEnd('SUB_ANSWER') },
      { when: { latest: 'SUB_ANSWER' }, ...DONE },
    ],
    replies: () => ({}),
    expect: ({ events }, story) => ({
      ...RAN,
      // The calls of the sub-agent are judged as well.
      events: count(events.pre, callsIn(story)),
      unused: [],
      withoutItem: 0,
    }),
  },
  {
    name: 'model-overloaded',
    story: ({ shell }) => [
      { error: { status: 503, message: 'try again', retry_after_ms: 10 } },
      ...oneCall({ shell }),
    ],
    replies: () => ({}),
    expect: () => ({ ...RAN, unused: [] }),
  },
];

/** With a policy, and what `harness install` wrote. */
const POLICY = [
  {
    name: 'policy-harmless',
    policy: HARMLESS,
    story: oneCall,
    expect: () => ({ ...RAN, decisions: decided('tool.pre', 'allow'), unused: [] }),
  },
  {
    name: 'policy-block',
    policy: REFUSES,
    story: oneCall,
    expect: (agent) => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'block'),
      ...told(agent, 'HOOK_REASON', 'the_rule'),
    }),
  },
  {
    // With `install --user`: in every project, and none of them has a policy.
    name: 'policy-user-block',
    user: true,
    policy: REFUSES,
    story: oneCall,
    expect: (agent) => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'block'),
      ...told(agent, 'HOOK_REASON', 'the_rule'),
    }),
  },
  {
    // `doctor` proves the lines; after `uninstall` no trace of them is left.
    name: 'installed',
    policy: REFUSES,
    install: true,
    story: oneCall,
    expect: (agent) => ({
      ...(agent.observeOnly ? RAN : { ...NOT_RUN, ...told(agent, 'HOOK_REASON') }),
      decisions: decided('tool.pre', 'block'),
      installed: (got) => got?.restored === true && got.codes.every((code) => code === 0),
    }),
  },
  {
    name: 'policy-ask',
    policy: hookFile('tool.pre', 'return ask("HOOK_REASON")'),
    story: oneCall,
    expect: (agent) => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'ask'),
      ...toldOneOf(agent, ['HOOK_REASON']),
    }),
  },
  {
    name: 'policy-rewrite',
    policy: hookFile('tool.pre', `return modify({"args": {"command": "${REWRITTEN}"}})`),
    story: oneCall,
    expect: (agent) =>
      agent.rewriteIsBlock
        ? { ...NOT_RUN, rewritten: null, ...told(agent, 'REWRITTEN_OUTPUT') }
        : { ...NOT_RUN, rewritten: 'REWRITTEN_OUTPUT', modelSaw: (saw) => saw('REWRITTEN_OUTPUT') },
  },
  {
    // What the policy rewrites, the user has still not approved.
    name: 'policy-rewrite-is-no-approval',
    needs: 'ownPermissions',
    policy: hookFile('tool.pre', `return modify({"args": {"command": "${REWRITTEN}"}})`),
    settings: { allow: [] },
    story: oneCall,
    expect: () => ({ ...NOT_RUN, rewritten: null, decisions: decided('tool.pre', 'modify') }),
  },
  {
    name: 'policy-redact',
    policy: hookFile('tool.post', 'return modify({"content": "HOOK_REDACTED"})'),
    story: oneCall,
    expect: ({ endsRun }) => ({
      ...RAN,
      ...(endsRun
        ? // Over before the model reads on.
          { requests: 1 }
        : { lastResult: (text) => text.includes('HOOK_REDACTED') && !text.includes('ORIGINAL_OUTPUT') }),
    }),
  },
  {
    // What a command printed before it failed may be what must not be read.
    name: 'policy-redact-failed',
    policy: hookFile('tool.post', 'return modify({"content": "HOOK_REDACTED"})'),
    story: ({ shell }) => [{ tool_calls: [shell(`${RUNS}; exit 7`)] }, DONE],
    expect: () => ({ ...RAN, modelSaw: (saw) => !saw('Exit code 7') }),
  },
  {
    name: 'policy-hide-failed',
    policy: hookFile('tool.post', 'return block("HOOK_REASON")'),
    story: ({ shell }) => [{ tool_calls: [shell(`${RUNS}; exit 7`)] }, DONE],
    expect: () => ({ ...RAN, modelSaw: (saw) => !saw('Exit code 7') }),
  },
  {
    name: 'policy-hide-result',
    policy: hookFile('tool.post', 'return block("HOOK_REASON")'),
    story: oneCall,
    expect: ({ endsRun }) => ({
      ...RAN,
      ...(endsRun
        ? { requests: 1 }
        : { lastResult: (text) => text.includes('HOOK_REASON') && !text.includes('ORIGINAL_OUTPUT') }),
    }),
  },
  {
    name: 'policy-context',
    policy: hookFile('turn.start\nmode: warn', 'return block("HOOK_CONTEXT")'),
    story: oneCall,
    expect: () => ({ ...RAN, modelSaw: (saw) => saw('HOOK_CONTEXT') }),
  },
  {
    name: 'policy-start-context',
    policy: hookFile('session.start', 'return allow(context="HOOK_CONTEXT")'),
    story: oneCall,
    expect: () => ({ ...RAN, modelSaw: (saw) => saw('HOOK_CONTEXT') }),
  },
  {
    name: 'policy-prompt-block',
    policy: hookFile('turn.start', 'return block("HOOK_REASON")'),
    story: oneCall,
    // Where a prompt cannot be refused it is replaced, and the model goes on from the reason.
    expect: ({ promptGoesOn }) => ({
      decisions: decided('turn.start', 'block'),
      ...(promptGoesOn
        ? { modelSaw: (saw) => saw('HOOK_REASON') && !saw('PROMPT_TOKEN') }
        : { ...NOT_RUN, requests: 0 }),
    }),
  },
  {
    name: 'policy-stop-goes-on',
    policy: hookFile(
      'agent.stop',
      'if cache.get("sent_back") != None:',
      '  return allow()',
      'cache.set("sent_back", True)',
      'return block("HOOK_REASON")',
    ),
    story: ({ shell }) => [...oneCall({ shell }), { text: 'SECOND_ANSWER' }],
    expect: () => ({ ...RAN, modelSaw: (saw) => saw('HOOK_REASON'), unused: [] }),
  },
  {
    name: 'policy-two-at-once',
    policy: hookFile('tool.pre', 'metrics.incr("calls")', 'return allow()'),
    story: ({ shell }) => [{ tool_calls: [shell(RUNS), shell(REWRITTEN)] }, DONE],
    expect: () => ({
      ...RAN,
      rewritten: 'REWRITTEN_OUTPUT',
      decisions: (all) => all.filter(({ event }) => event === 'tool.pre').length === 2,
      unused: [],
    }),
  },
  {
    name: 'policy-sub-agent',
    needs: 'subAgent',
    policy: hookFile(
      'tool.pre',
      // The main agent may wait for its sub-agent with a command of its own.
      'if payload["name"] == "run_command" and not payload["args"]["command"].startswith("sleep"):',
      '  return block("HOOK_REASON")',
      'return allow()',
    ),
    story: ({ shell, subAgent, subAgentEnd = (text) => ({ text }) }) => [
      { tool_calls: subAgent(SUB_TASK) },
      { when: { prompt: SUB_TASK }, tool_calls: [shell(RUNS)] },
      { when: { prompt: SUB_TASK, tool_result: 'HOOK_REASON' }, ...subAgentEnd('SUB_ANSWER') },
      { when: { latest: 'SUB_ANSWER' }, ...DONE },
    ],
    expect: ({ endsRun }) => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'block'),
      ...(!endsRun && { unused: [] }),
    }),
  },
  {
    name: 'policy-sub-agent-goes-on',
    needs: 'sendsSubAgentsBack',
    policy: hookFile(
      'delegation.post_verify',
      'if cache.get("sent_back") != None:',
      '  return allow()',
      'cache.set("sent_back", True)',
      'return block("HOOK_REASON")',
    ),
    story: ({ shell, subAgent }) => [
      { tool_calls: subAgent(SUB_TASK) },
      { when: { prompt: SUB_TASK }, tool_calls: [shell(RUNS)] },
      { when: { prompt: SUB_TASK, tool_result: 'ORIGINAL_OUTPUT' }, text: 'SUB_ANSWER' },
      { when: { prompt: SUB_TASK, latest: 'HOOK_REASON' }, text: 'SUB_AGAIN' },
      DONE,
    ],
    expect: () => ({
      ...RAN,
      decisions: decided('delegation.post_verify', 'block'),
      modelSaw: (saw) => saw('HOOK_REASON'),
    }),
  },
  {
    // Its own tool for files is judged under the name that every agent's has.
    name: 'policy-own-write',
    needs: 'writeFile',
    policy: hookFile(
      'tool.pre',
      'if payload["name"] == "write_file" and payload["args"]["path"].endswith("original.txt"):',
      '  return block("HOOK_REASON")',
      'return allow()',
    ),
    story: ({ writeFile }) => [{ tool_calls: [writeFile('original.txt', 'ORIGINAL_OUTPUT\n')] }, DONE],
    expect: (agent) => ({
      ...(agent.observeOnly ? RAN : { ...NOT_RUN, ...told(agent, 'HOOK_REASON') }),
      decisions: decided('tool.pre', 'block'),
    }),
  },
  {
    // An ordinary day: a file of the workspace is written and read under the policy that `harness init` writes.
    name: 'policy-init-write',
    needs: 'writeFile',
    init: true,
    policy: {},
    story: ({ writeFile, shell }) => [
      { tool_calls: [writeFile('original.txt', 'ORIGINAL_OUTPUT\n')] },
      { tool_calls: [shell('cat original.txt > rewritten.txt')] },
      DONE,
    ],
    expect: () => ({
      ...RAN,
      rewritten: 'ORIGINAL_OUTPUT',
      decisions: (all) => decided('tool.pre', 'allow')(all) && all.every(({ action }) => action === 'allow'),
      unused: [],
    }),
  },
  {
    // A short day under the policy that `harness init` writes: nothing is stopped, asked about or rewritten.
    name: 'policy-init-day',
    needs: 'writeFile',
    init: true,
    policy: FILES,
    settings: { allow: EVERYTHING },
    story: dayStory,
    expect: (_agent, story) => ({
      ...RAN,
      rewritten: (text) => text?.includes('limits: a first one') === true,
      decisions: (all) =>
        all.filter(({ event }) => event === 'tool.pre').length >= callsIn(story) &&
        all.every(({ action }) => action === 'allow'),
      unused: [],
    }),
  },
  {
    // Every tool once, and what the launcher was handed for each of them is recorded: `test/normal-day/shapes` is made of it.
    name: 'policy-every-tool',
    records: true,
    mcp: true,
    policy: { ...HARMLESS, ...FILES },
    settings: { allow: EVERYTHING },
    story: everyToolStory,
    expect: () => ({
      decisions: (all) => all.every(({ action }) => action === 'allow'),
      unused: [],
    }),
  },
  {
    name: 'policy-failed-tool',
    needs: 'tellsFailures',
    policy: hookFile(
      'tool.post',
      'if payload["is_error"]:',
      '  return block("HOOK_REASON")',
      'return allow()',
    ),
    story: ({ shell }) => [{ tool_calls: [shell('echo ORIGINAL_OUTPUT >&2; exit 7')] }, DONE],
    expect: () => ({
      decisions: decided('tool.post', 'block'),
      lastResult: (text) => text.includes('HOOK_REASON') && !text.includes('ORIGINAL_OUTPUT'),
    }),
  },
  {
    name: 'policy-result-context',
    policy: hookFile('tool.post\nmode: warn', 'return block("HOOK_CONTEXT")'),
    story: oneCall,
    expect: () => ({
      ...RAN,
      modelSaw: (saw) => saw('HOOK_CONTEXT'),
      lastResult: (text) => text.includes('ORIGINAL_OUTPUT'),
    }),
  },
  {
    name: 'policy-prompt-rewrite',
    needs: 'rewritesPrompts',
    policy: hookFile('turn.start', 'return modify("HOOK_REWRITTEN")'),
    story: oneCall,
    expect: () => ({ ...RAN, modelSaw: (saw) => saw('HOOK_REWRITTEN') && !saw('PROMPT_TOKEN') }),
  },
  {
    name: 'policy-broken',
    policy: { '.harness/hooks/the_rule.md': 'this is no hook' },
    story: oneCall,
    expect: ({ promptGoesOn, observeOnly }) => ({
      ...(observeOnly ? RAN : NOT_RUN),
      ...(promptGoesOn || observeOnly
        ? { decisions: decided('tool.pre', 'block') }
        : { requests: 0, decisions: decided('turn.start', 'block') }),
    }),
  },
  {
    // A tool of a server is judged like the agent's own.
    name: 'policy-mcp',
    needs: 'mcpTool',
    mcp: true,
    policy: hookFile(
      'tool.pre',
      'if payload["name"].endswith("keep"):',
      '  return block("HOOK_REASON")',
      'return allow()',
    ),
    story: ({ mcpTool }) => [{ tool_calls: [{ name: mcpTool, args: { note: 'ORIGINAL_OUTPUT' } }] }, DONE],
    expect: (agent) => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'block'),
      ...told(agent, 'HOOK_REASON'),
    }),
  },
  {
    name: 'policy-mcp-harmless',
    needs: 'mcpTool',
    mcp: true,
    policy: HARMLESS,
    story: ({ mcpTool }) => [{ tool_calls: [{ name: mcpTool, args: { note: 'ORIGINAL_OUTPUT' } }] }, DONE],
    expect: () => ({ ...RAN, decisions: decided('tool.post', 'allow'), unused: [] }),
  },
  {
    // It reads the hooks of another agent too, which are installed as well: each call is decided once.
    name: 'policy-two-agents',
    needs: 'alsoReads',
    also: ['claude-code'],
    policy: hookFile('tool.pre', 'metrics.incr("calls")', 'return allow()'),
    story: oneCall,
    expect: () => ({
      ...RAN,
      decisions: (all) => all.filter(({ event }) => event === 'tool.pre').length === 1,
      unused: [],
    }),
  },
  {
    // An agent that cannot be stopped: what would have been refused is on the tape.
    name: 'policy-observed',
    needs: 'observeOnly',
    policy: REFUSES,
    story: oneCall,
    expect: () => ({ ...RAN, decisions: decided('tool.pre', 'block'), unused: [] }),
  },
  ...['deleted-policy', 'killed', 'stopped', 'hanging', 'missing-launcher', 'empty-launcher'].map(
    (fault) => ({
      name: `policy-${fault}`,
      policy: HARMLESS,
      fault,
      story: oneCall,
      // Of those that cost time, one is tried at every event and the others where it counts.
      ...(fault === 'stopped' && { only: ['prompt', 'pre'] }),
      expect: (agent) => refusedAtOnce(agent, [...GONE, 'the policy of this project is gone']),
    }),
  ),
  ...['killed', 'stopped', 'hanging', 'missing-launcher'].map((fault) => ({
    name: `policy-tool-${fault}`,
    policy: HARMLESS,
    fault,
    only: ['pre', 'post'],
    story: oneCall,
    expect: (agent) => ({
      ...NOT_RUN,
      // An engine that is gone for good also refuses what comes after the call, which may end the run.
      ...(fault === 'missing-launcher'
        ? { heard: (heard) => some([...GONE, ...(agent.stopped ?? [])], heard) }
        : toldOneOf(agent, GONE)),
    }),
  })),
  ...['killed', 'missing-launcher'].map((fault) => ({
    name: `policy-result-${fault}`,
    policy: HARMLESS,
    fault,
    only: ['post'],
    story: oneCall,
    expect: () => ({ ...RAN, modelSaw: (saw) => !saw('ORIGINAL_OUTPUT'), original: 'ORIGINAL_OUTPUT' }),
  })),
  // The registered line goes with the guard: nothing of ours is left to answer, and the agent does what it does then.
  ...['killed', 'stopped'].map((how) => ({
    name: `policy-line-${how}`,
    needs: 'withoutLine',
    policy: HARMLESS,
    fault: `line-${how}`,
    story: oneCall,
    expect: ({ withoutLine }) => ({
      ...(withoutLine[how] === 'runs' ? RAN : NOT_RUN),
      requests: (made) => made > 0,
    }),
  })),
];

/** What `harness doctor --live` says of what `install` wrote, and of each way in which that is broken. */
const LIVE = [
  ...[false, true].map((user) => ({
    name: user ? 'live-user' : 'live',
    needs: 'program',
    user,
    policy: HARMLESS,
    live: 'nothing',
    story: oneCall,
    expect: () => ({ live: (got) => got?.verdict === 'proved' && got.status === 0 }),
  })),
  ...Object.keys(BREAKS).map((broken) => ({
    name: `live-broken-${broken.replaceAll(' ', '-')}`,
    needs: broken === 'switched off by a second switch' ? 'secondSwitch' : 'program',
    policy: HARMLESS,
    live: broken,
    story: oneCall,
    expect: () => ({
      live: (got) => got?.verdict === 'broken' && got.status === 1 && got.causes.length > 0,
    }),
  })),
];

const ALLOWED_ON_PURPOSE = 'node attempts.mjs';

/** Started by `harness sandbox`: a harmless call, what the hooks let pass and the walls hold, and a call that the hooks refuse. */
const CONTAINED = [
  {
    name: 'contained',
    needs: 'program',
    contained: true,
    policy: hookFile(
      'tool.pre',
      'if "rewritten" in str(payload["args"]):',
      '  return block("HOOK_REASON")',
      'return allow()',
    ),
    story: ({ shell }) => [
      { tool_calls: [shell(RUNS)] },
      { tool_calls: [shell(ALLOWED_ON_PURPOSE)] },
      { tool_calls: [shell(REWRITTEN)] },
      DONE,
    ],
    expect: (agent) => ({
      ...RAN,
      rewritten: null,
      decisions: (all) => decided('tool.pre', 'block')(all) && decided('tool.post', 'allow')(all),
      ...told(agent, 'HOOK_REASON', 'ATTEMPTS_MADE'),
      walls: (walls) =>
        walls !== undefined &&
        Object.values(walls.outside).every((word) => word === 'done') &&
        Object.keys(walls.inside).length === Object.keys(walls.outside).length &&
        !Object.values(walls.inside).includes('done') &&
        walls.reached[1] === 0,
    }),
  },
];

/** What a call comes to whose hook ends with an exit code and a text on stderr: `run` says it of each agent, for `npm run drift`. */
export const EXIT_CODES = [1, 2, 127].map((code) => ({
  name: `exit-${code}`,
  code,
  story: oneCall,
  replies: (_replies, { events }) => ({ [events.pre]: { exit: code, stderr: 'HOOK_REASON' } }),
}));

/** Its own switches that keep hooks from running, one by one. */
const SWITCHED = switchScenarios({ policy: REFUSES, story: oneCall, ran: RAN, refused: NOT_RUN, told });

/** What every agent is asked for, and what shows it. */
export const POINTS = {
  blocked: ['policy-block'],
  harmless: ['policy-harmless'],
  rewritten: ['policy-rewrite'],
  redacted: ['policy-redact'],
  'prompt blocked': ['policy-prompt-block'],
  context: ['policy-context'],
  'stop sent back': ['policy-stop-goes-on'],
  'broken policy': ['policy-broken'],
  'deleted policy': ['policy-deleted-policy'],
  'killed hook': ['policy-tool-killed', 'policy-killed'],
  'stopped hook': ['policy-tool-stopped', 'policy-stopped'],
  'hanging hook': ['policy-tool-hanging', 'policy-hanging'],
  'missing hook': ['policy-tool-missing-launcher', 'policy-missing-launcher'],
  'two calls at once': ['policy-two-at-once'],
  'its own write tool': ['policy-own-write'],
  'ordinary work under the policy of init': ['policy-init-write', 'policy-init-day'],
  'trust without flags, exact uninstall': ['installed'],
  'live proof': ['live'],
};

/** What matters most comes first: it is what is run where there is not time for all. */
const FIRST = Object.values(POINTS).flat();
const rank = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
export const SCENARIOS = [...POLICY, ...LIVE, ...DIALECT, ...CONTAINED, ...SWITCHED].sort(
  (a, b) => rank(a) - rank(b),
);

/** Why a scenario is not for an agent, where the agent's recipe does not say it. */
const LACKS = {
  secondSwitch: 'no second switch of it was found',
  ownPermissions: 'in these runs every tool of its own is allowed',
  sendsSubAgentsBack: 'it has no event for the end of a sub-agent that could be sent back',
  subAgent: 'it has no sub-agents',
  rewritesPrompts: 'a prompt cannot be rewritten: it is refused instead',
  tellsFailures: 'a command that failed is a result like any other, or cannot be replaced',
  mcpTool: 'it has no MCP servers',
  alsoReads: 'it reads the hooks of no other agent',
  withoutLine: 'its file inside the agent answers, or it cannot be stopped at all',
  observeOnly: 'it can be stopped',
};

export function whyNotOffered({ name, needs, agent: only }, agent) {
  if (only !== undefined && only !== agent.name) return 'another agent has that switch';
  const own = agent.without?.[name];
  if (own !== undefined) return own;
  return agent.observeOnly ? 'its hooks are called and their answers ignored' : LACKS[needs];
}

export function isOffered({ name, needs, policy, agent: only }, agent) {
  if (only !== undefined && only !== agent.name) return false;
  if (Object.hasOwn(agent.without ?? {}, name)) return false;
  if (agent.observeOnly && !agent.observed.includes(name)) return false;
  if (policy !== undefined)
    return agent.adapter !== undefined && (needs === undefined || agent[needs] !== undefined);
  return needs === undefined || agent[needs] !== undefined || agent.replies[needs] !== undefined;
}

/** Names of the facts that do not hold. */
export function wrongFacts(scenario, agent, facts) {
  const saw = (token) => facts.seenByModel.some((text) => text.includes(token));
  const heard = (token) => saw(token) || facts.printed.includes(token);
  const values = { ...facts, modelSaw: saw, heard };
  return Object.entries({ timedOut: false, ...scenario.expect(agent, scenario.story(agent)) })
    .filter(([name, wanted]) =>
      typeof wanted === 'function'
        ? !wanted(values[name])
        : JSON.stringify(wanted) !== JSON.stringify(values[name]),
    )
    .map(([name]) => name);
}
