/**
 * `harness tape export --otlp URL`: sends tapes to a collector as OTLP/HTTP logs and traces, in batches, so that memory does not grow
 * with their number. The address is judged like every address that data is sent to: https, or http on this machine.
 */

import { type LogRecord, otlpLogs, otlpTraces, postOtlp, type Scope, type Span } from '../../agent/index.ts';
import { HarnessError, type JsonObject } from '../../base/index.ts';
import { judgeWebhookUrl, machineHost } from '../../machine/index.ts';
import { findTapes, progressOf, sinceOf, TapeTelemetry, type Telemetry } from '../../project/index.ts';
import { chapters, readTape } from '../../tape/index.ts';
import { type Arguments, countOf, type Output, UsageError } from '../../terminal/index.ts';

declare const HARNESS_VERSION: string;

const BATCH = 500;
const NEVER = new AbortController().signal;

export async function exportOtlp(args: Arguments, output: Output): Promise<number> {
  const judged = judgeWebhookUrl(args.value('otlp')!);
  if (!judged.ok) throw new UsageError(`--otlp: ${judged.message}`);
  const sender = new Sender(judged.url, output);
  const options = { content: args.has('content'), since: sinceOf(args) };
  const { files } = findTapes(args.positionals[0]);
  const progress = progressOf('sending', output);
  let broken = 0;
  for (const [i, file] of files.entries()) {
    progress(i, files.length);
    try {
      const { header, entries } = readTape(file);
      const telemetry = new TapeTelemetry(header, options);
      for (const chapter of chapters(entries))
        for (const one of telemetry.tell(chapter)) await sender.add(one);
      for (const one of telemetry.finish()) await sender.add(one);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      broken++;
      output.note(`${output.paintNote('red', 'broken')}: ${thrown.message}`);
    }
    if (sender.failed) break;
  }
  await sender.flush();
  if (sender.failed) return 1;
  const { spans, logs } = sender.sent;
  const text = `sent ${countOf(spans, 'span')} and ${countOf(logs, 'log record')} of ${countOf(files.length - broken, 'tape')}`;
  if (args.has('json')) output.line(JSON.stringify({ tapes: files.length - broken, broken, ...sender.sent }));
  else output.line(text);
  return broken === 0 && sender.sent.rejected === 0 ? 0 : 1;
}

class Sender {
  failed = false;
  readonly sent = { spans: 0, logs: 0, rejected: 0 };
  private readonly base: URL;
  private readonly output: Output;
  private readonly scope: Scope = {
    version: HARNESS_VERSION,
    resource: { 'service.name': 'harness' },
  };
  private spans: Span[] = [];
  private logs: LogRecord[] = [];

  constructor(base: URL, output: Output) {
    this.base = base;
    this.output = output;
  }

  async add(one: Telemetry): Promise<void> {
    if (one.kind === 'span') this.spans.push(one.span);
    else this.logs.push(one.log);
    if (this.spans.length + this.logs.length >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const { spans, logs } = this;
    this.spans = [];
    this.logs = [];
    if (spans.length > 0 && (await this.post('v1/traces', otlpTraces(spans, this.scope))))
      this.sent.spans += spans.length;
    if (logs.length > 0 && (await this.post('v1/logs', otlpLogs(logs, this.scope))))
      this.sent.logs += logs.length;
  }

  private async post(path: string, body: JsonObject): Promise<boolean> {
    if (this.failed) return false;
    const posted = await postOtlp(machineHost.http, this.base, path, body, NEVER);
    if (!posted.ok) return this.fail(posted.message);
    if (posted.rejected > 0) {
      this.sent.rejected += posted.rejected;
      this.output.note(`the collector refused ${posted.rejected}: ${posted.why}`);
    }
    return true;
  }

  private fail(message: string): false {
    this.failed = true;
    this.output.note(`${this.output.paintNote('red', 'error')}: ${message}`);
    return false;
  }
}
