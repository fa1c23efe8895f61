/**
 * The event catalog: one table of every point in an agent's life where hooks may listen. Types, aliases, validation,
 * the reference pages and the adapters' mappings all come from it, so an event is added here and nowhere else.
 */
import {
  anything,
  dict,
  flag,
  integer,
  type Json,
  list,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
} from '../base/index.ts';
import {
  CALL_KEYS,
  type EventSpec,
  GATE,
  IGNORED,
  PLACE_KEYS,
  placeFields,
  RESULT,
  REWRITING_GATE,
  sessionFields,
  WATCH,
} from './event-spec.ts';
import type { EventPayloads } from './payload-types.ts';
import { WORKER_EVENTS } from './worker-events.ts';

export type { Authority, EventSpec, Honours } from './event-spec.ts';

const usage = record('Tokens spent.', {
  input_tokens: integer('Tokens sent.'),
  output_tokens: integer('Tokens received.'),
});

const toolCalls = list(
  'The tool calls of the turn, in order.',
  record('One call.', { name: text('Tool name.'), args: optional(dict('Decoded arguments.')) }),
);

const delegationFields = {
  id: optional(text('Delegation id.')),
  parent_id: optional(text('Id of the delegating agent.')),
  agent: text('Name of the sub-agent.'),
  depth: optional(integer('How deep the sub-agent runs; 1 for a direct child.')),
  ...sessionFields,
  ...placeFields,
};

const delegationResult = {
  ...delegationFields,
  result: anything('What the sub-agent answered.'),
  tool_calls: optional(toolCalls),
  tool_results: optional(list('Results of those calls.', anything('One result.'))),
  usage: optional(usage),
};

const stepFields = {
  target: optional(text('`persona.step`, or the step alone.')),
  persona: optional(nullable(text('Persona the step belongs to.'))),
  step: text('Name of the step.'),
  function: optional(text('Function the step runs.')),
  args: list('Arguments of the step, in order.', anything('One argument.')),
  ...placeFields,
};

const personaFields = {
  persona: text('Name of the persona.'),
  reason: optional(text('Why.')),
  ...sessionFields,
  step: optional(text('The step it happened in.')),
};

const callKind = oneOf(
  'Whose call it is: the model calls a tool of the agent, one that the loop itself offers (`delegate`, `done`), or a script calls it.',
  ['model', 'loop', 'script'],
);

const native = optional(
  dict(
    'The call as an outside agent made it: `name` is its own name for the tool, `input` its own arguments.',
  ),
);

const permissionFields = {
  id: optional(text('Id of the tool call.')),
  name: text('Tool name.'),
  args: optional(dict('Decoded arguments of the call.')),
  native,
  ...sessionFields,
  ...placeFields,
};

export type CatalogName = keyof EventPayloads;
export type EventName = CatalogName | `custom.${string}` | `meta.${string}` | `native.${string}`;

/** An event is added here; `npm run docs` then writes its type into payload-types.ts. */
export const CATALOG: Readonly<Record<CatalogName, EventSpec>> = {
  'session.start': {
    aliases: [],
    fires: 'A session begins: its record is open and the loop has not started.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: ['session_id'],
    index: null,
    payload: nullable(
      record('None, or what the host knows of the session.', {
        ...sessionFields,
        model: optional(text('Model of the session.')),
        source: optional(text('What began it: startup, resume, clear, compact.')),
      }),
    ),
  },
  'session.end': {
    unheard: true,
    aliases: [],
    fires: 'A session is over, whatever ended it: also after an abort or an error, in its own deadline.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: ['session_id'],
    index: null,
    payload: nullable(
      record('None, or how the session ended.', {
        ...sessionFields,
        reason: optional(
          text('end_turn, aborted, max_turns, budget_exceeded, error, max_tokens, refusal, …'),
        ),
      }),
    ),
  },
  'turn.start': {
    aliases: ['user.prompt.submit'],
    fires: 'A user message has arrived and the model has not seen it yet.',
    authority: 'gate',
    honours: { ...GATE, modify: 'text' },
    onBlock: 'The turn is refused with the reason; the message does not enter the history.',
    identity: [],
    index: null,
    payload: text('The user message.'),
  },
  'turn.end': {
    aliases: [],
    fires: 'The model has produced the output of the turn.',
    authority: 'transform',
    honours: { ...WATCH, modify: 'overlay' },
    onBlock: IGNORED,
    identity: [],
    index: null,
    payload: record('The result of the turn.', {
      text: text('Final message of the assistant.'),
      tool_calls: optional(toolCalls),
      usage: optional(usage),
      logs: optional(list('Lines hooks and tools logged during the turn.', dict('One line.'))),
      ...sessionFields,
    }),
  },
  'turn.step': {
    aliases: ['PostTurn'],
    fires:
      'One model/tool turn is recorded, the answer of the model and the results of its calls, and whether to go on is not decided yet.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: null,
    payload: record('What the model said and what its calls gave.', {
      text: text('Message of the assistant.'),
      iteration: optional(integer('Completions of this prompt so far.')),
      finish_reason: optional(nullable(text('Why the model stopped.'))),
      tool_calls: optional(toolCalls),
      tool_results: optional(list('Results of those calls.', anything('One result.'))),
      usage: optional(usage),
      ...sessionFields,
    }),
  },
  'completion.pre': {
    aliases: ['model.pre'],
    fires: 'Before each request to the model provider, retries included.',
    authority: 'gate',
    honours: REWRITING_GATE,
    onBlock: 'The request is not sent and the turn fails with the reason.',
    identity: [],
    index: 'model',
    payload: record('The request.', {
      model: text('Model asked.'),
      provider: optional(
        text('Service that is asked for it: anthropic, openai, scripted or a name of the program.'),
      ),
      messages: list('The conversation as it will be sent.', dict('One message.')),
      tools: optional(list('Tools offered to the model.', dict('One tool.'))),
      attempt: optional(integer('1 for the first try.')),
      purpose: optional(text('What the request is for, where it is not the next of the conversation.')),
      ...sessionFields,
    }),
  },
  'completion.post': {
    aliases: ['model.post'],
    fires: 'The provider has answered; the tool calls of the answer have not run.',
    authority: 'gate',
    honours: REWRITING_GATE,
    onBlock: 'The answer is thrown away and the turn fails with the reason.',
    identity: [],
    index: 'model',
    payload: record('The response.', {
      model: optional(text('Model that answered.')),
      choices: list('What the model offered.', dict('One choice.')),
      usage: optional(usage),
      finish_reason: optional(nullable(text('Why the model stopped.'))),
      cost_usd: optional(number('Cost of the request, where known.')),
      purpose: optional(text('As in `completion.pre`.')),
      ...sessionFields,
    }),
  },
  'tool.pre': {
    aliases: ['PreToolUse'],
    fires: 'A tool call has valid arguments and has not run.',
    authority: 'gate',
    honours: REWRITING_GATE,
    onBlock: 'The tool does not run; the model gets the reason as an error. `tool.post` does not fire.',
    identity: ['id', 'kind', 'scopes', ...CALL_KEYS],
    index: 'name',
    pair: { data: 'args', text: 'arguments' },
    tightens: 'sandbox',
    payload: record('The call.', {
      id: optional(text('Call id of the provider.')),
      name: text('Tool name.'),
      arguments: optional(
        text('The arguments as JSON text. Always there for a hook, and always says what `args` says.'),
      ),
      args: optional(dict('The decoded arguments. Always there for a hook.')),
      kind: optional(callKind),
      native,
      scopes: optional(list('What it takes to call the tool, if it says so.', text('One scope.'))),
      sandbox: optional(
        dict(
          'The sandbox that programs of the call run in, if there is one. `modify({"sandbox": …})` can only tighten it.',
        ),
      ),
      ...sessionFields,
      ...placeFields,
    }),
  },
  'tool.post': {
    aliases: ['PostToolUse'],
    fires: 'A tool has run, whether it succeeded or failed.',
    authority: 'transform',
    honours: RESULT,
    onBlock: 'The model sees the reason as an error instead of the result; what the tool did stays done.',
    identity: ['call_id', ...CALL_KEYS],
    index: 'name',
    pair: { data: 'result', text: 'content' },
    payload: record('The result.', {
      call_id: optional(text('Id of the call this answers.')),
      name: text('Tool name.'),
      content: optional(text('What the model will read: the result as JSON text, or plain text.')),
      is_error: optional(flag('The tool failed.')),
      result: optional(anything('The decoded result.')),
      args: optional(dict('The arguments the tool ran with.')),
      native,
      kind: optional(callKind),
      ...sessionFields,
      ...placeFields,
    }),
  },
  'delegation.pre': {
    aliases: ['SubagentStart', 'delegate.pre'],
    fires: 'A sub-agent is about to start.',
    authority: 'gate',
    honours: REWRITING_GATE,
    onBlock: 'The sub-agent does not start; the delegating agent gets the reason.',
    identity: ['id', 'parent_id', ...PLACE_KEYS],
    index: 'agent',
    payload: record('The request.', {
      ...delegationFields,
      prompt: text('Task given to the sub-agent.'),
      model: optional(text('Model of the sub-agent.')),
      tools: optional(list('Tools it may use.', text('Tool name.'))),
      system_prompt: optional(text('What it is told first.')),
      verify: optional(flag('Its agent has a `verify` script.')),
      max_verify_retries: optional(integer('How often an answer may be sent back.')),
      scopes: optional(list('What it may do, of what the delegating agent may.', text('One scope.'))),
    }),
  },
  'delegation.post_verify': {
    aliases: ['delegate.post_verify'],
    fires: 'A sub-agent has answered and its answer is to be verified, before `delegation.post`.',
    authority: 'gate',
    honours: { ...GATE, ask: false },
    onBlock:
      'The answer is not accepted: the sub-agent is asked again with the reason, a bounded number of times.',
    sendsBack: true,
    identity: ['id', 'parent_id', ...PLACE_KEYS],
    index: 'agent',
    payload: record('The answer under test.', {
      ...delegationResult,
      attempt: optional(integer('1 for the first answer.')),
    }),
  },
  'delegation.post': {
    aliases: ['SubagentStop', 'delegate.post'],
    fires: 'A sub-agent has answered, and its answer passed verification.',
    authority: 'transform',
    honours: { ...RESULT, delegate: true },
    onBlock: 'The delegating agent gets the reason as an error instead of the answer.',
    identity: ['id', 'parent_id', ...PLACE_KEYS],
    index: 'agent',
    payload: record('The answer.', delegationResult),
  },
  'agent.stop': {
    aliases: ['Stop'],
    fires: 'The model wants to end its turn: a completion without tool calls.',
    authority: 'gate',
    honours: { ...GATE, ask: false, delegate: true },
    onBlock: 'The reason becomes the next user message and the loop goes on, a bounded number of times.',
    sendsBack: true,
    identity: ['id', 'parent_id'],
    index: null,
    payload: record('How the agent would stop.', {
      id: optional(text('Agent id.')),
      parent_id: optional(nullable(text('Id of the delegating agent.'))),
      finish_reason: optional(nullable(text('Why the model stopped.'))),
      iteration: optional(integer('Completions of this turn so far.')),
      response: text('The last message.'),
      tool_calls: optional(toolCalls),
      tool_results: optional(list('Results of those calls.', anything('One result.'))),
      usage: optional(usage),
    }),
  },
  'permission.asked': {
    aliases: [],
    fires: 'The permission policy cannot decide a tool call by itself.',
    authority: 'gate',
    honours: { ...GATE, permit: true },
    onBlock: 'The call is denied with the reason, and no person is asked.',
    identity: ['id', ...CALL_KEYS],
    index: 'name',
    payload: record('The call in question.', {
      ...permissionFields,
      reason: optional(text('Why the policy asks.')),
    }),
  },
  'permission.replied': {
    aliases: [],
    fires: 'The permission policy, a hook or a person has decided.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: ['id', ...CALL_KEYS],
    index: 'name',
    payload: record('The answer.', {
      ...permissionFields,
      decision: oneOf('What was decided.', ['allow', 'deny', 'ask']),
      reason: optional(nullable(text('The reason given.'))),
    }),
  },
  'compact.pre': {
    aliases: ['PreCompact'],
    fires: 'The transcript is about to be shortened.',
    authority: 'gate',
    honours: { ...GATE, ask: false },
    onBlock: 'This pass is skipped; the transcript stays as it is.',
    identity: [],
    index: null,
    payload: record('What would be shortened.', {
      trigger: optional(text('auto or manual.')),
      message_count: optional(integer('Messages in the transcript.')),
      tokens: optional(integer('Estimated tokens.')),
      ...sessionFields,
    }),
  },
  'compact.post': {
    aliases: ['PostCompact'],
    fires: 'The transcript has been shortened.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: null,
    payload: record('What became of it.', {
      trigger: optional(text('auto or manual.')),
      message_count_before: optional(integer('Messages before.')),
      message_count_after: optional(integer('Messages after.')),
      tokens_before: optional(integer('Estimated tokens before.')),
      tokens_after: optional(integer('Estimated tokens after.')),
      summary: optional(text('Text that replaced what was removed.')),
      ...sessionFields,
    }),
  },
  'file.edited': {
    aliases: [],
    fires: 'At a turn boundary, once for each file written since the last, in order.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: 'path',
    payload: record('The edit.', {
      path: text('File written.'),
      metadata: optional(dict('What the writer said about it.')),
      ...sessionFields,
    }),
  },
  'session.idle': {
    aliases: [],
    fires: 'A long-running agent begins to wait between turns.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: null,
    payload: nullable(
      record('The wait.', { wake_interval_ms: optional(integer('How long it waits.')), ...sessionFields }),
    ),
  },
  error: {
    unheard: true,
    aliases: ['session.error'],
    fires: 'The loop ended with an error it cannot recover from, before `session.end`.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: 'code',
    payload: record('The error.', {
      code: optional(text('Code of the provider or the loop; UNKNOWN where there is none.')),
      message: text('What went wrong.'),
      ...sessionFields,
    }),
  },
  'finish.pre': {
    unheard: true,
    aliases: ['PreFinish'],
    fires: 'A pipeline is about to return, before its finish callback runs.',
    authority: 'advisory',
    honours: { ...WATCH, block: 'error' },
    onBlock: 'An error: nothing may stop a pipeline from finishing, and trying to is a mistake in the hook.',
    identity: [],
    index: null,
    payload: nullable(
      record('The end.', { value: optional(anything('What it would return.')), ...sessionFields }),
    ),
  },
  'finish.unsettled': {
    unheard: true,
    aliases: ['OnUnsettledDetected'],
    fires: 'After `finish.pre`, only if work is still open.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: null,
    payload: record('What is still open.', {
      unsettled: record('Open work by kind.', {
        suspended_subagents: list('Sub-agents that wait.', anything('One of them.')),
        queued_triggers: list('Triggers not yet handled.', anything('One of them.')),
        partial_handoffs: list('Handoffs half done.', anything('One of them.')),
        in_flight_llm_calls: list('Model calls under way.', anything('One of them.')),
        pool_pending_tasks: list('Tasks of the pool.', anything('One of them.')),
      }),
      is_empty: optional(flag('Always false: the event does not fire otherwise.')),
      counts: optional(dict('How many of each kind.')),
      summary: optional(text('The same in one line.')),
      ...sessionFields,
    }),
  },
  'finish.post': {
    unheard: true,
    aliases: ['PostFinish'],
    fires: 'The finish callback has returned; the value is about to reach the host.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: null,
    payload: nullable(
      record('The end.', { value: optional(anything('What it returns.')), ...sessionFields }),
    ),
  },
  'step.pre': {
    aliases: ['PreStep'],
    fires: 'A step of a persona is about to run.',
    authority: 'gate',
    honours: REWRITING_GATE,
    onBlock: 'The step does not run and its caller gets an error of category `hook_denied` with the reason.',
    identity: PLACE_KEYS,
    index: 'step',
    payload: record('The step.', stepFields),
  },
  'step.post': {
    aliases: ['PostStep'],
    fires: 'A step has run.',
    authority: 'transform',
    honours: RESULT,
    onBlock: 'The step rejects with the reason instead of giving its output; what it did stays done.',
    identity: PLACE_KEYS,
    index: 'step',
    payload: record('The step and what came of it.', {
      ...stepFields,
      output: anything('What the step returned.'),
    }),
  },
  'approval.requested': {
    aliases: ['OnApprovalRequested'],
    fires: 'A person has been asked to approve something.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: null,
    payload: record('The request.', {
      ...personaFields,
      persona: optional(text('Name of the persona.')),
      id: optional(text('Id of the question.')),
      call_id: optional(text('Id of the tool call it is about.')),
      name: optional(text('Tool name.')),
      args: optional(anything('The arguments of the call, or of the step.')),
      digest: optional(text('SHA-256 of the exact call: what is approved is what has it.')),
      window_ms: optional(integer('How long an answer is waited for.')),
      hook: optional(nullable(text('The hook that asks; None where the permission policy does.'))),
    }),
  },
  'handoff.emitted': {
    aliases: ['OnHandoffEmitted'],
    fires: 'A persona hands its work to another.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: 'persona',
    payload: record('The handoff.', {
      ...personaFields,
      to: optional(text('Who takes over.')),
      artifact: optional(anything('What is handed over.')),
    }),
  },
  'persona.paused': {
    aliases: ['OnPersonaPaused'],
    fires: 'A persona has stopped for a while.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: 'persona',
    payload: record('The persona.', personaFields),
  },
  'persona.resumed': {
    aliases: ['OnPersonaResumed'],
    fires: 'A persona goes on.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: 'persona',
    payload: record('The persona.', personaFields),
  },
  'budget.threshold': {
    aliases: ['OnBudgetThreshold'],
    fires:
      'Spending has crossed a share of the budget. `OnBudgetThreshold(80)` listens for the first that is 80 % or more.',
    authority: 'advisory',
    honours: WATCH,
    onBlock: IGNORED,
    identity: [],
    index: null,
    parameter: 'percentage',
    payload: record('The crossing.', {
      percentage: number('The share that was crossed.'),
      previous: optional(number('The share that was reported before, 0 for the first.')),
      spent: optional(number('Spent so far.')),
      limit: optional(number('The budget.')),
      persona: optional(text('Whose budget it is.')),
      step: optional(text('The step it happened in.')),
      ...sessionFields,
    }),
  },
  ...WORKER_EVENTS,
  'meta.register_tool': {
    aliases: ['meta.tool_register'],
    fires: 'An agent wants to add a tool to itself, or an MCP server offers one to it.',
    authority: 'gate',
    honours: GATE,
    onBlock:
      'The tool is not registered, and the agent gets the reason; one of a server is not listed. Asked about: each call of it is.',
    identity: [],
    index: 'name',
    payload: record('The tool.', {
      name: text('Tool name.'),
      description: optional(text('What it says it does.')),
      replace: optional(flag('It would replace one that exists.')),
      server: optional(text('The MCP server that offers it.')),
      definition: optional(dict('All that the server says of it: title, schemas, annotations.')),
    }),
  },
  'meta.register_hook': {
    aliases: ['meta.hook_register'],
    fires: 'An agent wants to add a hook to itself.',
    authority: 'gate',
    honours: { ...GATE, ask: false },
    onBlock: 'The hook is not registered; the agent gets the reason.',
    identity: [],
    index: 'name',
    payload: record('The hook.', {
      name: text('Hook name.'),
      event: text('Event it would listen to.'),
      priority: optional(integer('Priority it asks for.')),
    }),
  },
  'meta.register_agent': {
    aliases: ['meta.agent_register'],
    fires: 'An agent wants to add a sub-agent.',
    authority: 'gate',
    honours: { ...GATE, ask: false },
    onBlock: 'The sub-agent is not registered; the agent gets the reason.',
    identity: [],
    index: 'name',
    payload: record('The sub-agent.', {
      name: text('Agent name.'),
      model: optional(text('Its model.')),
      tool_count: optional(integer('How many tools it would have.')),
    }),
  },
  'meta.call_tool': {
    aliases: ['meta.tool_call'],
    fires: 'A script wants to call a tool; `tool.pre` and `tool.post` of that call follow.',
    authority: 'gate',
    honours: { ...GATE, ask: false },
    onBlock: 'The call is not made; the script gets the reason.',
    identity: [],
    index: 'name',
    payload: record('The call.', {
      name: text('Tool name.'),
      arguments: optional(text('Arguments as JSON text.')),
    }),
  },
};

type Family = 'custom' | 'meta' | 'native';

/** Events known by their prefix alone. */
export const FAMILIES: Readonly<Record<`${Family}.*`, EventSpec>> = {
  'custom.*': {
    aliases: [],
    fires: 'A script called `emit` with this name.',
    authority: 'gate',
    honours: { ...GATE, modify: 'any', ask: false },
    onBlock: '`emit` raises the reason in the script that called it.',
    identity: [],
    index: null,
    payload: anything('Whatever was emitted. `emit` returns it as the chain left it.'),
  },
  'meta.*': {
    aliases: [],
    fires: 'The host reports something an agent does to itself. Scripts cannot emit it.',
    authority: 'gate',
    honours: { ...GATE, ask: false },
    onBlock: 'What the agent wanted to do to itself is not done.',
    identity: [],
    index: 'name',
    payload: anything('Depends on the event.'),
  },
  'native.*': {
    aliases: [],
    fires:
      'A coding agent fires an event that has no name of its own in this catalog: `native.config_change` is its ConfigChange. The agents’ tables say which.',
    authority: 'gate',
    honours: { ...GATE, ask: false },
    onBlock: 'As the row of the agent’s table says: what was about to happen does not.',
    identity: [],
    index: null,
    payload: anything('The fields that the agent sent, under its own names, and `session_id`.'),
  },
};

/** The payload of an event, as its hooks may rely on it. */
export type PayloadOf<E extends EventName> = E extends CatalogName ? EventPayloads[E] : Json;

/** For `decide`: a name written out must be an event of the catalog; one known only when it runs is any string. */
export type EventArgument<E extends string> = string extends E ? E : E extends EventName ? E : EventName;

/** The payload that goes with a name: of an event of the catalog its own, of any other name JSON. */
export type PayloadFor<E extends string> = E extends EventName ? PayloadOf<E> : Json;

const FAMILY_NAMES = /^(custom|meta|native)\.[a-z0-9_]+$/;

/** The row of a canonical event name, or undefined for a name that is not one. */
export function eventSpec(name: string): EventSpec | undefined {
  if (Object.hasOwn(CATALOG, name)) return CATALOG[name as CatalogName];
  const family = FAMILY_NAMES.exec(name)?.[1];
  return family === undefined ? undefined : FAMILIES[`${family as Family}.*`];
}

/** Gates of agents that have no name of their own here. What stands in for a hook that could not be loaded has to stand at them too. */
export const NATIVE_GATES: readonly EventName[] = [
  'native.config_change',
  'native.elicitation',
  'native.elicitation_result',
  'native.task_completed',
  'native.task_created',
  'native.teammate_idle',
  'native.user_prompt_expansion',
];

/** A hook that fails on such an event can leave something undone that should have been stopped. */
export function isGate(name: string): boolean {
  return eventSpec(name)?.authority === 'gate';
}
