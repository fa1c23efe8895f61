/** The spans of a tape are the spans of the session that it recorded. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, decisions, echo, on, type Play, play } from '../../../test/support/agent.ts';
import { tempProject } from '../../../test/support/temp-project.ts';
import { recordSession, type Span, SpanCollector } from '../../agent/index.ts';
import { machineHost } from '../../machine/host.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import { openTape } from '../../tape/open-tape.ts';
import { chapters } from '../../tape/stories.ts';
import { readTape } from '../../tape/tape-reader.ts';
import { TapeTelemetry, type TelemetryOptions } from './telemetry.ts';

const helper = { name: 'helper', description: 'Helps.', system: 'You help.' };
const usage = { input_tokens: 7, output_tokens: 3 };
const refusing = on('tool.pre', ({ args }) =>
  JSON.stringify(args).includes('forbidden') ? decisions.block('not the forbidden') : null,
);
const failing = on('turn.end', () => {
  throw new Error('broken');
});
const hiding = on('tool.post', ({ content }) =>
  String(content).includes('odd') ? decisions.block('hidden') : null,
);
const HOOKS = [refusing, failing, hiding];
const DAY: Play = {
  config: { model: 'big' },
  agents: [helper],
  tools: [echo],
  hooks: HOOKS,
  completions: [
    { tool_calls: [call('echo', { text: 'x' }), call('echo', { text: 'forbidden' })], usage },
    { tool_calls: [call('delegate', { agent: 'helper', prompt: 'look' }), call('echo', { text: 'odd' })] },
    { tool_calls: [call('echo', { text: 'inside' })] },
    { text: 'found', usage },
    { text: 'done', usage, cost_usd: 0.5 },
  ],
};

/** Told live and by the tape. */
async function told(given: Play, content = false) {
  const path = join(tempProject(), 'tape.jsonl');
  const tape = openTape(path, { session: 's1', hooks: HOOKS, host: machineHost });
  const collector = new SpanCollector({ content });
  const live: Span[] = [];
  const record = recordSession(tape);
  await play({
    ...given,
    recorder: tape.recorder,
    onEvent: (event) => {
      record(event);
      live.push(...collector.feed(event));
    },
  });
  tape.close();
  return { path, live: [...live, ...collector.finish()], ...fromTape(path, { content, since: 0 }) };
}

function fromTape(path: string, options: TelemetryOptions) {
  const { header, entries } = readTape(path);
  const telemetry = new TapeTelemetry(header, options);
  const all = [...chapters(entries)].flatMap((chapter) => telemetry.tell(chapter));
  all.push(...telemetry.finish());
  return {
    spans: all.flatMap((one) => (one.kind === 'span' ? [one.span] : [])),
    logs: all.flatMap((one) => (one.kind === 'log' ? [one.log] : [])),
  };
}

/** Where each span lies, and what it says, without ids and times. */
function described(spans: readonly Span[]) {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = ({ name, parentSpanId }: Span): string => {
    const outer = byId.get(parentSpanId ?? '');
    return outer === undefined ? name : `${path(outer)} > ${name}`;
  };
  return spans
    .map((span) => {
      const { 'harness.tool.run_ms': _ms, ...attributes } = span.attributes;
      const events = span.events.map(({ name, attributes: said }) => ({ name, said }));
      return { path: path(span), kind: span.kind, status: span.status, attributes, events };
    })
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

describe('the spans of a tape', () => {
  it('have the names, the places and the attributes of the spans of the live session', async () => {
    const { live, spans } = await told(DAY);
    expect(live.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'session',
        'turn',
        'chat big',
        'execute_tool echo',
        'invoke_agent helper',
        'verify',
      ]),
    );
    expect(described(spans)).toEqual(described(live));
  });

  it('hold the same content where content is asked for', async () => {
    const { live, spans } = await told(DAY, true);
    expect(JSON.stringify(live)).toContain('not the forbidden');
    expect(described(spans)).toEqual(described(live));
  });

  it('lie inside one another, in time too', async () => {
    const { spans } = await told(DAY);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    for (const { parentSpanId, startMs, endMs, traceId } of spans) {
      expect(endMs).toBeGreaterThanOrEqual(startMs);
      const outer = byId.get(parentSpanId ?? '');
      if (outer === undefined) continue;
      expect(startMs).toBeGreaterThanOrEqual(outer.startMs);
      expect(traceId).toBe(outer.traceId);
    }
  });

  it('have the same ids each time, and stay out where they were over before the time asked for', async () => {
    const { path, spans } = await told(DAY);
    const ids = (found: readonly Span[]) => found.map(({ spanId }) => spanId);
    expect(ids(fromTape(path, { content: false, since: 0 }).spans)).toEqual(ids(spans));
    const since = Math.max(...spans.map(({ endMs }) => endMs));
    const late = fromTape(path, { content: false, since }).spans;
    expect(late.length).toBeLessThanOrEqual(spans.length);
    expect(ids(spans)).toEqual(expect.arrayContaining(ids(late)));
    expect(fromTape(path, { content: false, since: since + 1 })).toEqual({ spans: [], logs: [] });
  });

  it('of a session that another host recorded end with the tape, and a call without a verdict is unfinished', async () => {
    const path = join(tempProject(), 'tape.jsonl');
    const policy = await openPolicy(tempProject(), { allowEmpty: true });
    const tape = openTape(path, { session: 'outside', hooks: policy.hooks, host: machineHost });
    const engine = policy.engine({ run: policy.newRun(), recorder: tape.recorder });
    await engine.decide('turn.start', 'one');
    await engine.decide('tool.pre', { id: 'a', name: 'Read', args: {} });
    await tape.call({ callId: 'a', tool: 'Read', verdict: 'allowed', by: null, reason: null, digest: null });
    await engine.decide('turn.start', 'two');
    await engine.decide('tool.pre', { id: 'b', name: 'Bash', args: {} });
    tape.close();
    const { spans } = fromTape(path, { content: false, since: 0 });
    const seen = spans.map(({ name, status, attributes }) => [
      name,
      status,
      attributes['error.type'] ?? null,
    ]);
    expect(seen).toEqual([
      ['execute_tool Read', 'ok', null],
      ['turn', 'error', 'aborted'],
      ['execute_tool Bash', 'error', 'unfinished'],
      ['turn', 'error', 'unfinished'],
      ['session', 'error', 'aborted'],
    ]);
  });
});

describe('the log records of a tape', () => {
  it('are one for each decision, in the span it was made in', async () => {
    const { spans, logs } = await told(DAY);
    const blocked = logs.find(({ body }) => body.startsWith('tool.pre echo: block'));
    const span = spans.find(({ spanId }) => spanId === blocked?.spanId);
    expect(span).toMatchObject({ name: 'execute_tool echo', attributes: { 'harness.outcome': 'blocked' } });
    expect(blocked).toMatchObject({ severity: 'warn', attributes: { 'gen_ai.conversation.id': 's1' } });
    expect(logs.filter(({ severity }) => severity === 'error').map(({ body }) => body)).toContain(
      'turn.end: allow',
    );
  });
});
