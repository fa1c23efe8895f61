/**
 * `harness tape export --otlp` against a server that takes OTLP/HTTP as a collector does.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly status: { readonly code: number };
}

interface SentLog {
  readonly body: { readonly stringValue: string };
  readonly spanId: string;
}

interface Received {
  readonly path: string;
  readonly type: string | undefined;
  readonly body: {
    readonly resourceSpans?: readonly {
      readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
    }[];
    readonly resourceLogs?: readonly {
      readonly scopeLogs: readonly { readonly logRecords: readonly SentLog[] }[];
    }[];
  };
}

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Answers as told, in order, and then with success. */
async function collector(answers: readonly [status: number, body: string][] = []) {
  const received: Received[] = [];
  const left = [...answers];
  server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    received.push({ path: request.url!, type: request.headers['content-type'], body: JSON.parse(body) });
    const [status, text] = left.shift() ?? [200, '{}'];
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received };
}

const SECRET = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const SCRIPT = `completions:
  - tool_calls:
      - {name: look, args: {what: "token ${SECRET}"}}
      - {name: look, args: {what: forbidden}}
  - text: Done.
`;

async function recorded(): Promise<string> {
  const dir = project({
    'harness.md': '---\nname: x\n---\n',
    'story.yaml': SCRIPT,
    '.harness/hooks/guard.md':
      '---\nevent: tool.pre\npriority: 10\nscript: |\n  def handle(event, payload):\n      return block("not the forbidden") if payload["args"]["what"] == "forbidden" else allow()\n---\n',
    '.harness/tools/look.md':
      '---\nparameters: {what: {type: string}}\nscript: |\n  def run(args):\n      return {"ok": True}\n---\n\nLooks.\n',
  });
  await harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd: dir });
  return dir;
}

type Attributes = readonly { key: string; value: Record<string, unknown> }[];
const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansIn = (received: readonly Received[]) =>
  received.flatMap(({ body }) => body.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans[0]!.spans);
const logsIn = (received: readonly Received[]) =>
  received
    .flatMap(({ body }) => body.resourceLogs ?? [])
    .flatMap(({ scopeLogs }) => scopeLogs[0]!.logRecords);

describe('harness tape export --otlp', () => {
  it('sends a trace for each session and a log record for each decision, under the names of the conventions', async () => {
    const dir = await recorded();
    const { url, received } = await collector();
    const done = await harness(['tape', 'export', '.harness/runs', '--otlp', url, '--json'], { cwd: dir });
    expect(done.stderr).toBe('');
    const sent = JSON.parse(done.stdout);
    expect(new Set(received.map(({ path, type }) => `${path} ${type}`))).toEqual(
      new Set(['/v1/traces application/json', '/v1/logs application/json']),
    );
    const [spans, logs] = [spansIn(received), logsIn(received)];
    expect([sent.spans, sent.logs, sent.rejected]).toEqual([spans.length, logs.length, 0]);
    const tools = spans
      .filter(({ name }) => name === 'execute_tool look')
      .sort((a, b) => a.status.code - b.status.code);
    expect(tools.map(({ status }) => status.code)).toEqual([1, 2]);
    expect(plain(tools[1]!.attributes)).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'error.type': 'blocked',
    });
    const ids = spans.map(({ spanId }) => spanId);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name)).toEqual([
      'session',
    ]);
    for (const span of spans) {
      expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect([...ids, undefined]).toContain(span.parentSpanId);
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    }
    const blocked = logs.find(({ body }) => body.stringValue === 'tool.pre look: block by guard');
    expect(blocked).toMatchObject({
      severityText: 'WARN',
      eventName: 'harness.decision',
      spanId: tools[1]!.spanId,
    });
  });

  it('sends the same ids again, and no text of people, models and tools unless asked, then without secrets', async () => {
    const dir = await recorded();
    const first = await collector();
    await harness(['tape', 'export', '.harness/runs', '--otlp', first.url], { cwd: dir });
    server!.close();
    const second = await collector();
    await harness(['tape', 'export', '.harness/runs', '--otlp', second.url, '--content'], { cwd: dir });
    const ids = (received: readonly Received[]) => spansIn(received).map(({ spanId }) => spanId);
    expect(ids(second.received)).toEqual(ids(first.received));
    const [bare, whole] = [JSON.stringify(first.received), JSON.stringify(second.received)];
    expect(bare).not.toContain('forbidden');
    expect(whole).toContain('not the forbidden');
    expect(bare + whole).not.toContain(SECRET);
  });

  it('asks a busy collector again, and says what one refuses', async () => {
    const dir = await recorded();
    const busy = await collector([[503, '']]);
    expect(
      await harness(['tape', 'export', '.harness/runs', '--otlp', busy.url], { cwd: dir }),
    ).toMatchObject({ code: 0 });
    server!.close();
    const picky = await collector([
      [200, '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'],
    ]);
    const done = await harness(['tape', 'export', '.harness/runs', '--otlp', picky.url], { cwd: dir });
    expect([done.code, done.stderr]).toEqual([1, 'the collector refused 2: too old\n']);
    server!.close();
    const closed = await collector([[401, '']]);
    const refused = await harness(['tape', 'export', '.harness/runs', '--otlp', closed.url], { cwd: dir });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('answered 401')]);
  });

  it.each(['http://example.com:4318', 'ftp://localhost', 'nowhere', 'https://me:secret@example.com'])(
    'does not send to %s',
    async (url) => {
      const done = await harness(['tape', 'export', '.', '--otlp', url], { cwd: project() });
      expect([done.code, done.stderr]).toEqual([2, expect.stringContaining('--otlp')]);
    },
  );
});
