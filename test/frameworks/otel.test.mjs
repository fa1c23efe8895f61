import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import * as api from '@opentelemetry/api';
import { logs as olderLogs } from '@opentelemetry/api-logs';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import * as olderSdk from '@opentelemetry/sdk-logs-before-api-1.10';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { openPolicy } from 'harness-hooks';
import { defineTool, Session, scriptedProvider } from 'harness-hooks/agent';
import { ATTRIBUTES, CONVENTIONS, tellOpenTelemetry } from 'harness-hooks/otel';
import { policyFolder } from './policy.mjs';

const spanExporter = new InMemorySpanExporter();
const logExporter = new InMemoryLogRecordExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] }).register();
const { context, logs, trace } = api;
logs.setGlobalLoggerProvider(
  new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: logExporter })] }),
);
const TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const PASSWORD = 'correct-horse-7';
const KNOWN = 'plain words of this machine';
process.env.SOME_SERVICE_TOKEN = KNOWN;

/** What was exported since it was last asked for. */
function exported() {
  const [spans, records] = [spanExporter.getFinishedSpans(), logExporter.getFinishedLogRecords()];
  const copy = { spans: [...spans], records: [...records] };
  spanExporter.reset();
  logExporter.reset();
  return copy;
}

/** Each with the names around it. */
function paths(spans) {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const path = (span) => {
    const outer = byId.get(span.parentSpanContext?.spanId);
    return outer === undefined ? span.name : `${path(outer)} > ${span.name}`;
  };
  return spans.map(path);
}

/** Everything that would leave the machine. */
const textOf = ({ spans, records }) =>
  JSON.stringify([
    spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    records.map(({ body, attributes }) => ({ body, attributes })),
  ]);

async function play(telemetry, texts = ['hello', 'forbidden']) {
  const echo = defineTool({
    name: 'echo',
    description: 'Says it back.',
    parameters: { text: { type: 'string' }, password: { type: 'string' } },
    run: ({ text }) => `echo: ${text}`,
  });
  const calls = texts.map((text) => ({ tool_calls: [{ name: 'echo', args: { text, password: PASSWORD } }] }));
  const session = new Session({
    provider: scriptedProvider({ completions: [...calls, { text: 'Done.' }] }),
    policy: await openPolicy(policyFolder()),
    tools: [echo],
    config: { model: 'big', sessionId: 's1' },
    onEvent: telemetry.session().onEvent,
  });
  return session.run('go').result;
}

test('OpenTelemetry: spans of session, turn, model call, tool call and decision in the active span; a log record a decision', async () => {
  const telemetry = tellOpenTelemetry({ context, trace, logs });
  await trace.getTracer('app').startActiveSpan('request', async (span) => {
    await play(telemetry);
    span.end();
  });
  const { spans, records } = exported();
  const found = paths(spans);
  for (const path of [
    'request > session > turn > chat big > decide completion.pre',
    'request > session > turn > execute_tool echo > decide tool.pre',
    'request > session > turn > execute_tool echo > decide tool.post',
    'request > session > turn > chat big',
    'request > session > turn > execute_tool echo',
    'request > session > turn > decide turn.start',
    'request > session',
  ])
    assert.ok(found.includes(path), `${path} in\n${found.join('\n')}`);
  assert.equal(new Set(spans.map((span) => span.spanContext().traceId)).size, 1);
  const chat = spans.find(({ name }) => name === 'chat big');
  assert.equal(chat.kind, api.SpanKind.CLIENT);
  assert.equal(chat.instrumentationScope.schemaUrl, `https://opentelemetry.io/schemas/${CONVENTIONS}`);
  assert.equal(chat.attributes['gen_ai.request.model'], 'big');
  assert.equal(chat.attributes['gen_ai.provider.name'], 'scripted');
  const [ran, blocked] = spans.filter(({ name }) => name === 'execute_tool echo');
  assert.deepEqual(
    [ran.status.code, blocked.status.code],
    [api.SpanStatusCode.UNSET, api.SpanStatusCode.ERROR],
  );
  const decisions = spans.filter(({ name }) => name.startsWith('decide '));
  assert.equal(records.length, decisions.length);
  const warned = records.filter(({ severityText }) => severityText === 'WARN');
  assert.equal(warned.length, 1);
  assert.match(warned[0].body, /^tool\.pre echo: block by /);
  assert.equal(warned[0].eventName, 'harness.decision');
  const judged = decisions.find((span) => span.spanContext().spanId === warned[0].spanContext.spanId);
  assert.equal(judged.parentSpanContext.spanId, blocked.spanContext().spanId);
  assert.equal(judged.attributes['harness.action'], 'block');
  const time = ([s, ns]) => s * 1e3 + ns / 1e6;
  for (const span of spans) assert.ok(time(span.endTime) >= time(span.startTime), span.name);
});

test('OpenTelemetry: the decisions of a policy without a session, in whatever span is active', async () => {
  const telemetry = tellOpenTelemetry({ context, trace, logs });
  const policy = await openPolicy(policyFolder(), { observe: telemetry.observe });
  const call = { id: 'c1', name: 'echo', args: { text: 'forbidden' } };
  const outcome = await trace.getTracer('app').startActiveSpan('mine', async (span) => {
    const decided = await policy.decide('tool.pre', call, { session: 's2' });
    span.end();
    return decided;
  });
  assert.equal(outcome.action, 'block');
  const { spans, records } = exported();
  assert.deepEqual(paths(spans), ['mine > decide tool.pre', 'mine']);
  const { attributes } = records[0];
  assert.equal(attributes['gen_ai.conversation.id'], 's2');
  assert.equal(attributes['gen_ai.tool.call.id'], 'c1');
  assert.equal(attributes['harness.reason'], undefined);
});

test('OpenTelemetry: log records go nowhere if nothing is registered with the `logs` that is given, and that is said once', async () => {
  const faults = [];
  const telemetry = tellOpenTelemetry(
    { context, trace, logs: olderLogs },
    { onFault: ({ message }) => faults.push(message) },
  );
  await play(telemetry);
  assert.equal(exported().records.length, 0);
  assert.equal(faults.length, 1);
  assert.match(faults[0], /^log records go nowhere: .*pass the `logs` of @opentelemetry\/api/);
  await play(tellOpenTelemetry({ context, trace }, { onFault: assert.fail }));
  exported();
});

test('OpenTelemetry: log records reach an SDK from before `logs` was in the API', async () => {
  const exporter = new olderSdk.InMemoryLogRecordExporter();
  const processors = [new olderSdk.SimpleLogRecordProcessor({ exporter })];
  olderLogs.setGlobalLoggerProvider(new olderSdk.LoggerProvider({ processors }));
  await play(tellOpenTelemetry({ context, trace, logs: olderLogs }, { onFault: assert.fail }));
  const decisions = exported().spans.filter(({ name }) => name.startsWith('decide '));
  assert.ok(decisions.length > 0);
  assert.equal(exporter.getFinishedLogRecords().length, decisions.length);
});

test('OpenTelemetry: no content unless asked for, and then nothing that the tape takes out', async () => {
  const texts = [`${TOKEN} and ${KNOWN}`, 'forbidden'];
  await play(tellOpenTelemetry({ context, trace, logs }), texts);
  const bare = textOf(exported());
  await play(tellOpenTelemetry({ context, trace, logs }, { content: true }), texts);
  const whole = textOf(exported());
  assert.ok(!/Done\.|not this word/.test(bare), bare);
  assert.ok(whole.includes('not this word') && whole.includes('Done.'), whole);
  for (const secret of [TOKEN, PASSWORD, KNOWN]) assert.ok(!(bare + whole).includes(secret), secret);
  const hide = () => ({ $redacted: 'payload' });
  await play(tellOpenTelemetry({ context, trace, logs }, { content: true, hide }), texts);
  const hidden = textOf(exported());
  assert.ok(hidden.includes('[payload]') && !/Done\.|not this word/.test(hidden), hidden);
});

test('OpenTelemetry: a fault in telling changes no decision and is said once', async () => {
  const plain = await play(tellOpenTelemetry({ context, trace, logs }));
  exported();
  const broken = () => {
    throw new Error(`no span for ${TOKEN}`);
  };
  const getTracerProvider = () => ({ getTracer: () => ({ startSpan: broken }) });
  const faulty = { context, trace: { getTracerProvider, setSpan: broken }, logs };
  const said = [];
  const onFault = (error) => {
    said.push(error.message);
    throw error;
  };
  const telemetry = tellOpenTelemetry(faulty, { onFault });
  assert.deepEqual((await play(telemetry)).text, plain.text);
  const policy = await openPolicy(policyFolder(), { observe: telemetry.observe });
  const outcome = await policy.decide('tool.pre', { id: '1', name: 'echo', args: { text: 'forbidden' } });
  assert.equal(outcome.action, 'block');
  assert.equal(said.length, 1);
  const warned = new Promise((resolve) => process.once('warning', resolve));
  await play(tellOpenTelemetry(faulty));
  const { name, message } = await warned;
  assert.deepEqual([name, message], ['HarnessTelemetry', 'telemetry is incomplete: no span for [redacted]']);
});

test('OpenTelemetry: names outside `harness.` are those of the conventions, at the version that is named', () => {
  const known = new Set(Object.values(conventions));
  const names = Object.values(ATTRIBUTES).filter((name) => !name.startsWith('harness.'));
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  );
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.equal(dependencies['@opentelemetry/semantic-conventions'], CONVENTIONS);
});

test('OpenTelemetry: the program of the guide compiles, and a collector gets what it sends over HTTP', async () => {
  const harness = realpathSync('node_modules/harness-hooks');
  const guide = readFileSync(join(harness, 'docs/guide/tracing.md'), 'utf8');
  const [, program] = /^```js\n([\s\S]*?)^```$/m.exec(guide);
  writeFileSync('guide.mts', program);
  writeFileSync('guide.mjs', program);
  const flags = '--noEmit --strict --skipLibCheck --module nodenext --target es2022 --types'.split(' ');
  const tsc = join(harness, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [tsc, ...flags, '', 'guide.mts'], { encoding: 'utf8' });
  assert.equal(compiled.stdout, '');
  const received = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push([request.url, body]);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = {
    ...process.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.address().port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'none',
  };
  const child = spawn(process.execPath, ['guide.mjs'], { env, stdio: 'inherit' });
  assert.equal(await new Promise((resolve) => child.on('close', resolve)), 0);
  server.close();
  const sent = (path) => received.flatMap(([url, body]) => (url === path ? [body] : [])).join('');
  for (const name of ['session', 'turn', 'chat', 'decide tool.pre'])
    assert.ok(sent('/v1/traces').includes(`"name":"${name}`), name);
  assert.ok(sent('/v1/logs').includes('"tool.pre run_command: '));
});
