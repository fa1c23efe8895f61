// What each agent is put through, as data: the model's story, what the hook answers, and what must be true afterwards. A
// scenario that needs what a recipe does not have is not offered for that agent.

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

const HARMLESS = hookFile('tool.pre', 'return allow()');
const REFUSES = hookFile('tool.pre', 'return block("HOOK_REASON")');

const decided = (event, action) => (decisions) =>
  decisions.some((one) => one.event === event && (action === undefined || one.action === action));

/** Facts to hold: a value must be equal, a function must say yes. */
export const SCENARIOS = [
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
    expect: () => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'block'),
      modelSaw: (saw) => saw('HOOK_REASON') && saw('the_rule'),
      unused: [],
    }),
  },
  {
    // By `harness install` and nothing else: its lines, its trust entries; afterwards no trace.
    name: 'installed',
    policy: REFUSES,
    settings: { events: [] },
    install: true,
    story: oneCall,
    expect: () => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'block'),
      modelSaw: (saw) => saw('HOOK_REASON'),
      installed: (got) => got?.restored === true && got.codes.every((code) => code === 0),
      unused: [],
    }),
  },
  {
    name: 'policy-ask',
    policy: hookFile('tool.pre', 'return ask("HOOK_REASON")'),
    story: oneCall,
    expect: () => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'ask'),
      modelSaw: (saw) => saw('HOOK_REASON'),
    }),
  },
  {
    name: 'policy-rewrite',
    policy: hookFile('tool.pre', `return modify({"args": {"command": "${REWRITTEN}"}})`),
    story: oneCall,
    expect: () => ({ ...NOT_RUN, rewritten: 'REWRITTEN_OUTPUT', modelSaw: (saw) => saw('REWRITTEN_OUTPUT') }),
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
    expect: () => ({
      ...RAN,
      lastResult: (text) => text.includes('HOOK_REDACTED') && !text.includes('ORIGINAL_OUTPUT'),
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
    expect: () => ({
      ...RAN,
      lastResult: (text) => text.includes('HOOK_REASON') && !text.includes('ORIGINAL_OUTPUT'),
    }),
  },
  {
    name: 'policy-context',
    policy: hookFile('turn.start\nmode: warn', 'return block("HOOK_CONTEXT")'),
    story: oneCall,
    expect: () => ({ ...RAN, modelSaw: (saw) => saw('HOOK_CONTEXT') }),
  },
  {
    name: 'policy-prompt-block',
    policy: hookFile('turn.start', 'return block("HOOK_REASON")'),
    story: oneCall,
    expect: () => ({ ...NOT_RUN, decisions: decided('turn.start', 'block'), requests: 0 }),
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
    expect: () => ({ ...NOT_RUN, decisions: decided('tool.pre', 'block'), unused: [] }),
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
    expect: () => ({
      ...NOT_RUN,
      decisions: decided('tool.pre', 'block'),
      modelSaw: (saw) => saw('HOOK_REASON'),
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
    expect: () => ({ ...NOT_RUN, requests: 0, decisions: decided('turn.start', 'block') }),
  },
  ...['deleted-policy', 'killed', 'stopped', 'hanging', 'missing-launcher', 'empty-launcher'].map(
    (fault) => ({
      name: `policy-${fault}`,
      policy: HARMLESS,
      fault,
      story: oneCall,
      // The prompt is refused already: nothing reaches the model.
      expect: ({ refusal = 'LAUNCHER_GONE' }) => ({
        ...NOT_RUN,
        requests: 0,
        // In the agent's own words, if it does not show ours.
        printed: (text) =>
          [refusal, 'the policy of this project is gone'].some((said) => text.includes(said)),
      }),
    }),
  ),
  ...['killed', 'stopped', 'hanging', 'missing-launcher'].map((fault) => ({
    name: `policy-tool-${fault}`,
    policy: HARMLESS,
    fault,
    only: ['pre', 'post'],
    story: oneCall,
    expect: () => ({ ...NOT_RUN, modelSaw: (saw) => saw('LAUNCHER_GONE'), unused: [] }),
  })),
  ...['killed', 'missing-launcher'].map((fault) => ({
    name: `policy-result-${fault}`,
    policy: HARMLESS,
    fault,
    only: ['post'],
    story: oneCall,
    expect: () => ({ ...RAN, modelSaw: (saw) => !saw('ORIGINAL_OUTPUT'), original: 'ORIGINAL_OUTPUT' }),
  })),
];

export function isOffered({ name, needs, policy }, agent) {
  if (agent.without?.includes(name)) return false;
  if (policy !== undefined)
    return agent.adapter !== undefined && (needs === undefined || agent[needs] !== undefined);
  return needs === undefined || agent[needs] !== undefined || agent.replies[needs] !== undefined;
}

/** Names of the facts that do not hold. */
export function wrongFacts(scenario, agent, facts) {
  const saw = (token) => facts.seenByModel.some((text) => text.includes(token));
  const values = { ...facts, modelSaw: saw };
  return Object.entries({ timedOut: false, ...scenario.expect(agent, scenario.story(agent)) })
    .filter(([name, wanted]) =>
      typeof wanted === 'function'
        ? !wanted(values[name])
        : JSON.stringify(wanted) !== JSON.stringify(values[name]),
    )
    .map(([name]) => name);
}
