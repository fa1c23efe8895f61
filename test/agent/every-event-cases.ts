/**
 * Every event of the catalog: the scene that fires it, what it carries there, and what a veto and a rewrite do where they
 * count. Where the catalog says that they do not, there is nothing to write down: nothing may change.
 */
import { expect } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { CatalogName } from '../../src/engine/catalog.ts';
import type { SceneName } from './every-event-scenes.ts';

export interface EventCase {
  readonly event: CatalogName | 'custom.wrote';
  readonly scene: SceneName;
  /** Its first payload, whole. */
  readonly carries: Json;
  /** Once it is blocked the first time, with the reason `no`. */
  readonly blocked?: {
    readonly facts: JsonObject;
    /** What does not fire any more. */
    readonly silences: readonly string[];
  };
  readonly rewritten?: { readonly to: Json; readonly facts: JsonObject };
  /** Keys that count when rewritten, though nothing in the scene shows it; a test of its own does. */
  readonly countsElsewhere?: readonly string[];
}

const HERE = { session_id: 's1', turn: 0 };
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
const DIGEST = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
const all = (...items: string[]) => expect.arrayContaining(items) as Json;
const by = (event: string) => `blocked by hook "on ${event}": no`;

const CALL = { id: 'c1', name: 'write', args: { path: 'a.md' }, ...HERE };
const CALLS = [{ name: 'write', args: { path: 'a.md' } }];
const WRITTEN = { name: 'write', content: '{"wrote":"a.md"}', is_error: false };

const SESSION: readonly EventCase[] = [
  {
    event: 'session.start',
    scene: 'conversation',
    carries: { ...HERE, model: 'm-1', source: 'startup' },
  },
  { event: 'session.end', scene: 'conversation', carries: { ...HERE, turn: 1, reason: 'end_turn' } },
  { event: 'session.end', scene: 'failure', carries: { ...HERE, reason: 'error' } },
  {
    event: 'turn.start',
    scene: 'conversation',
    carries: 'go',
    blocked: {
      facts: { reason: 'user_prompt_submit_blocked', message: `turn ${by('turn.start')}`, history: [] },
      silences: ['completion.pre', 'tool.pre', 'agent.stop', 'turn.end'],
    },
    rewritten: { to: 'go slowly', facts: { history: all('user: go slowly') } },
  },
  {
    event: 'turn.step',
    scene: 'conversation',
    carries: {
      text: 'Writing.',
      iteration: 1,
      finish_reason: 'tool_use',
      tool_calls: CALLS,
      tool_results: [{ call_id: 'c1', name: 'write', content: '{"wrote":"a.md"}', is_error: false }],
      usage: { input_tokens: 30, output_tokens: 30 },
      ...HERE,
    },
  },
  {
    event: 'turn.end',
    scene: 'conversation',
    carries: {
      text: 'Done.',
      tool_calls: CALLS,
      usage: { input_tokens: 35, output_tokens: 35 },
      logs: [],
      ...HERE,
      turn: 1,
    },
    rewritten: {
      to: { text: 'Finished.' },
      facts: { text: 'Finished.', history: all('assistant: Finished.') },
    },
  },
  {
    event: 'completion.pre',
    scene: 'conversation',
    carries: {
      model: 'm-1',
      provider: 'scripted',
      system: '',
      messages: [{ role: 'user', content: 'go' }],
      tools: [expect.objectContaining({ name: 'write' }) as JsonObject],
      attempt: 1,
      ...HERE,
    },
    blocked: {
      facts: { reason: 'completion_blocked', message: `completion ${by('completion.pre')}`, requests: [] },
      silences: ['completion.post', 'tool.pre', 'agent.stop', 'turn.end'],
    },
    rewritten: {
      to: { model: 'm-2', messages: [{ role: 'user', content: 'stay' }] },
      facts: {
        requests: expect.arrayContaining([
          expect.objectContaining({ model: 'm-2', messages: ['user: stay'] }),
        ]),
      },
    },
  },
  {
    event: 'completion.post',
    scene: 'conversation',
    carries: {
      model: 'm-1',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Writing.',
            tool_calls: [{ id: 'c1', name: 'write', args: { path: 'a.md' } }],
          },
          finish_reason: 'tool_use',
        },
      ],
      usage: { input_tokens: 30, output_tokens: 30 },
      finish_reason: 'tool_use',
      attempt: 1,
      ...HERE,
    },
    blocked: {
      facts: {
        reason: 'completion_blocked',
        message: `completion ${by('completion.post')}`,
        history: ['user: go'],
      },
      silences: ['tool.pre', 'agent.stop', 'turn.end'],
    },
    rewritten: {
      to: {
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: 'Writing elsewhere.',
              tool_calls: [{ id: 'c1', name: 'write', args: { path: 'b.md' } }],
            },
            finish_reason: 'tool_use',
          },
        ],
      },
      facts: { ran: [{ path: 'b.md' }], history: all('assistant: Writing elsewhere.') },
    },
  },
  {
    event: 'tool.pre',
    scene: 'conversation',
    carries: { ...CALL, kind: 'model' },
    blocked: {
      facts: { ran: [], told: [`error: tool blocked: ${by('tool.pre')}`], reason: 'end_turn' },
      silences: ['permission.asked', 'tool.post', 'file.edited'],
    },
    rewritten: {
      to: { args: { path: 'b.md' } },
      facts: { ran: [{ path: 'b.md' }], asked: [{ toolName: 'write', toolInput: { path: 'b.md' } }] },
    },
  },
  {
    event: 'tool.post',
    scene: 'conversation',
    carries: {
      ...WRITTEN,
      call_id: 'c1',
      result: { wrote: 'a.md' },
      args: { path: 'a.md' },
      kind: 'model',
      ...HERE,
    },
    blocked: {
      facts: { ran: [{ path: 'a.md' }], told: [`error: tool result ${by('tool.post')}`] },
      silences: [],
    },
    rewritten: { to: { result: { wrote: 'it' } }, facts: { told: ['{"wrote":"it"}'] } },
  },
  {
    event: 'custom.wrote',
    scene: 'conversation',
    carries: { path: 'a.md' },
    blocked: { facts: { told: ['error: tool failed: no'] }, silences: ['file.edited'] },
    rewritten: { to: { path: 'b.md' }, facts: { told: ['{"wrote":"b.md"}'] } },
  },
  {
    event: 'agent.stop',
    scene: 'conversation',
    carries: {
      id: 's1',
      parent_id: null,
      finish_reason: 'end_turn',
      iteration: 2,
      response: 'Done.',
      tool_calls: CALLS,
      tool_results: [{ ...WRITTEN, call_id: 'c1' }],
      usage: { input_tokens: 35, output_tokens: 35 },
    },
    blocked: {
      facts: { reason: 'end_turn', text: 'Done at last.', history: all('assistant: Done.', 'user: no') },
      silences: [],
    },
  },
  {
    event: 'permission.asked',
    scene: 'conversation',
    carries: { ...CALL, reason: 'it writes' },
    blocked: {
      facts: { ran: [], asked: [], told: [`error: tool denied: ${by('permission.asked')}`] },
      silences: ['approval.requested', 'tool.post', 'file.edited'],
    },
  },
  {
    event: 'permission.replied',
    scene: 'conversation',
    carries: { ...CALL, decision: 'allow', reason: null },
  },
  {
    event: 'approval.requested',
    scene: 'conversation',
    carries: {
      ...CALL,
      id: UUID,
      call_id: 'c1',
      digest: DIGEST,
      window_ms: 1_800_000,
      hook: 'permissions',
      reason: 'it writes',
    },
  },
  {
    event: 'budget.threshold',
    scene: 'conversation',
    carries: { percentage: 50, previous: 0, spent: 60, limit: 100, ...HERE },
  },
  { event: 'file.edited', scene: 'conversation', carries: { path: 'a.md', ...HERE } },
  { event: 'error', scene: 'failure', carries: { code: 'bad_request', message: 'no such model', ...HERE } },
  {
    event: 'compact.pre',
    scene: 'compaction',
    carries: { trigger: 'manual', message_count: 8, tokens: expect.any(Number) as number, ...HERE },
    blocked: {
      facts: {
        compacted: false,
        reason: `compaction ${by('compact.pre')}`,
        history: [1, 2, 3, 4].flatMap((at) => [`prompt ${at}`, `answer ${at}`]),
      },
      silences: ['compact.post'],
    },
  },
  {
    event: 'compact.post',
    scene: 'compaction',
    carries: {
      trigger: 'manual',
      message_count_before: 8,
      message_count_after: 3,
      tokens_before: expect.any(Number) as number,
      tokens_after: expect.any(Number) as number,
      summary: 'four prompts',
      ...HERE,
    },
  },
  { event: 'session.idle', scene: 'daemon', carries: { wake_interval_ms: 1, ...HERE, turn: 1 } },
];

const ANSWER = {
  id: UUID,
  parent_id: 's1',
  agent: 'helper',
  depth: 1,
  result: 'found it',
  tool_calls: [{ name: 'echo', args: { text: 'x' } }],
  tool_results: [{ call_id: 'call_2', name: 'echo', content: '{"said":"x"}', is_error: false }],
  usage: { input_tokens: 3, output_tokens: 1 },
  ...HERE,
};

const DELEGATION: readonly EventCase[] = [
  {
    event: 'delegation.pre',
    scene: 'delegation',
    carries: {
      id: UUID,
      parent_id: 's1',
      agent: 'helper',
      depth: 1,
      prompt: 'look',
      model: 'scripted',
      tools: ['delegate', 'echo'],
      system_prompt: 'You help.',
      verify: false,
      max_verify_retries: 2,
      ...HERE,
    },
    blocked: {
      facts: { told: all(`error: tool failed: delegation ${by('delegation.pre')}`) },
      silences: ['delegation.post_verify', 'delegation.post'],
    },
    rewritten: {
      to: { prompt: 'look closer' },
      facts: {
        requests: expect.arrayContaining([expect.objectContaining({ messages: ['user: look closer'] })]),
      },
    },
    countsElsewhere: ['max_verify_retries'],
  },
  {
    event: 'delegation.post_verify',
    scene: 'delegation',
    carries: { ...ANSWER, attempt: 1 },
    // The second answer is the one that is accepted.
    blocked: { facts: { told: ['found nothing else'], text: 'over' }, silences: [] },
  },
  {
    event: 'delegation.post',
    scene: 'delegation',
    carries: ANSWER,
    blocked: { facts: { told: [`error: tool failed: delegation ${by('delegation.post')}`] }, silences: [] },
    rewritten: { to: { result: 'found gold' }, facts: { told: ['found gold'] } },
  },
];

const refused = (event: string) => `error: tool failed: ${event} ${by(event)}`;

const META: readonly EventCase[] = [
  {
    event: 'meta.register_tool',
    scene: 'meta',
    carries: { name: 'shout', description: 'Says it louder.', replace: false },
    blocked: {
      facts: { told: all(refused('meta.register_tool'), expect.stringContaining('unknown tool "shout"')) },
      silences: [],
    },
  },
  {
    event: 'meta.register_hook',
    scene: 'meta',
    carries: { name: 'quiet', event: 'tool.pre', priority: 60 },
    blocked: { facts: { told: all(refused('meta.register_hook'), 'HO') }, silences: [] },
  },
  {
    event: 'meta.register_agent',
    scene: 'meta',
    carries: { name: 'scout', model: 'scripted', tool_count: 1 },
    blocked: {
      facts: { told: all(refused('meta.register_agent'), expect.stringContaining('scout')) },
      silences: ['delegation.pre'],
    },
  },
  {
    event: 'meta.call_tool',
    scene: 'meta',
    carries: { name: 'echo', arguments: '{"text":"hi"}' },
    blocked: { facts: { told: all(`error: ${by('meta.call_tool')}`) }, silences: [] },
  },
];

const STEP = {
  target: 'captain.audit',
  persona: 'captain',
  step: 'audit',
  function: 'check',
  args: ['main'],
};
const CAPTAIN = { persona: 'captain' };

const AROUND: readonly EventCase[] = [
  {
    event: 'finish.pre',
    scene: 'pipeline',
    carries: { value: 'first', ...HERE },
    blocked: {
      facts: {
        value: {
          error: 'PIPELINE_VETOED',
          why: 'finish.pre: hook "on finish.pre": finish.pre does not accept a veto: no',
        },
        finished: 0,
      },
      silences: ['finish.unsettled', 'finish.post'],
    },
  },
  {
    event: 'finish.unsettled',
    scene: 'pipeline',
    carries: {
      unsettled: {
        suspended_subagents: [],
        queued_triggers: [{ id: 't1' }],
        partial_handoffs: [],
        in_flight_llm_calls: [],
        pool_pending_tasks: [],
      },
      is_empty: false,
      counts: expect.objectContaining({ queued_triggers: 1 }) as JsonObject,
      summary: '1 queued trigger',
      ...HERE,
    },
  },
  { event: 'finish.post', scene: 'pipeline', carries: { value: { was: 'first' }, ...HERE } },
  {
    event: 'step.pre',
    scene: 'persona',
    carries: STEP,
    blocked: {
      facts: {
        ran: [],
        output: { error: 'STEP_DENIED', why: 'step "audit" was denied by hook "on step.pre": no' },
      },
      silences: ['step.post'],
    },
    rewritten: { to: { args: ['next'] }, facts: { ran: ['next'], output: 'next is fine' } },
  },
  {
    event: 'step.post',
    scene: 'persona',
    carries: { ...STEP, output: 'main is fine' },
    blocked: {
      facts: {
        ran: ['main'],
        output: { error: 'STEP_DENIED', why: 'step "audit" was denied by hook "on step.post": no' },
      },
      silences: [],
    },
    rewritten: { to: { output: 'hm' }, facts: { ran: ['main'], output: 'hm' } },
  },
  {
    event: 'approval.requested',
    scene: 'persona',
    carries: {
      ...CAPTAIN,
      id: '0',
      name: 'merge',
      args: { branch: 'main' },
      digest: DIGEST,
      window_ms: 1_800_000,
      hook: null,
      reason: 'ready',
    },
  },
  {
    event: 'handoff.emitted',
    scene: 'persona',
    carries: { ...CAPTAIN, to: 'deputy', artifact: { branch: 'main' }, reason: 'tired' },
  },
  { event: 'persona.paused', scene: 'persona', carries: { ...CAPTAIN, reason: 'lunch' } },
  { event: 'persona.resumed', scene: 'persona', carries: { ...CAPTAIN, reason: 'back' } },
  {
    event: 'budget.threshold',
    scene: 'persona',
    carries: { ...CAPTAIN, percentage: 50, previous: 0, spent: 6, limit: 10 },
  },
];

const INDEX = { id: 'worker_1', name: 'index', parent_id: 's1', ...HERE };
const FETCH = { id: 'worker_2', name: 'fetch', parent_id: null, ...HERE };
const no = (event: string) => ({ ok: false, reason: by(event) });

const WORKERS: readonly EventCase[] = [
  { event: 'worker.spawned', scene: 'workers', carries: INDEX },
  { event: 'worker.progressed', scene: 'workers', carries: { ...INDEX, progress: { done: 1 } } },
  { event: 'worker.waiting_for_input', scene: 'workers', carries: { ...INDEX, reason: 'which?' } },
  {
    event: 'suspend.pre',
    scene: 'workers',
    carries: { ...INDEX, reason: 'later' },
    blocked: {
      facts: { suspended: no('suspend.pre'), states: ['completed', 'cancelled', 'failed'] },
      silences: ['resume.pre', 'worker.resumed'],
    },
  },
  { event: 'worker.suspended', scene: 'workers', carries: { ...INDEX, reason: 'later' } },
  { event: 'suspend.post', scene: 'workers', carries: { ...INDEX, reason: 'later' } },
  {
    event: 'resume.pre',
    scene: 'workers',
    carries: { ...INDEX, reason: 'now' },
    // It stays suspended, so that draining is what ends it.
    blocked: {
      facts: { resumed: no('resume.pre'), states: ['cancelled', 'cancelled', 'failed'] },
      silences: ['worker.resumed', 'resume.post', 'worker.completed'],
    },
  },
  { event: 'worker.resumed', scene: 'workers', carries: { ...INDEX, reason: 'now' } },
  { event: 'resume.post', scene: 'workers', carries: { ...INDEX, reason: 'now' } },
  { event: 'worker.completed', scene: 'workers', carries: { ...INDEX, result: 'indexed' } },
  {
    event: 'drain.pre',
    scene: 'workers',
    carries: { pending: 1, ids: ['worker_2'], ...HERE },
    blocked: {
      facts: { drained: no('drain.pre'), states: ['completed', 'suspended', 'failed'] },
      silences: ['drain.decision', 'worker.cancelled', 'drain.post'],
    },
  },
  { event: 'drain.decision', scene: 'workers', carries: { ...FETCH, decision: 'cancel' } },
  { event: 'worker.cancelled', scene: 'workers', carries: { ...FETCH, reason: 'drain' } },
  { event: 'drain.post', scene: 'workers', carries: { pending: 0, ids: [], ...HERE } },
  {
    event: 'worker.failed',
    scene: 'workers',
    carries: { id: 'worker_3', name: 'lint', parent_id: null, ...HERE, reason: 'broken' },
  },
];

export const CASES: readonly EventCase[] = [...SESSION, ...DELEGATION, ...META, ...AROUND, ...WORKERS];
