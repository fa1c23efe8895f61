/**
 * Asks a server what it offers, and nothing else: starts it, lists its tools, ends it.
 */
import { LineSplitter } from '../../adapters/mcp/lines.ts';
import { readMessage } from '../../adapters/mcp/message.ts';
import { type Pin, pinsOf } from '../../adapters/mcp/pins.ts';
import { startDuplex } from '../../base/duplex-process.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

const ANSWER_MS = 30_000;
/** Of the era with a handshake, which every server serves. */
const PROTOCOL = '2025-11-25';

/** The definitions, or what went wrong. */
export async function readServerPins(
  argv: readonly string[],
): Promise<Readonly<Record<string, Pin>> | string> {
  const server = startDuplex({ argv, cwd: process.cwd(), env: process.env });
  const waiting = new Map<Json, (result: Json) => void>();
  const splitter = new LineSplitter(
    (line) => {
      const read = readMessage(line);
      if (read.ok && read.message.id !== undefined)
        waiting.get(read.message.id)?.(read.message.result ?? null);
    },
    () => void server.stop(),
  );
  server.output.on('data', (chunk: Buffer) => splitter.push(chunk));
  let ids = 0;
  const ask = (method: string, params: JsonObject) =>
    new Promise<Json>((resolve) => {
      waiting.set(++ids, resolve);
      server.input.write(`${JSON.stringify({ jsonrpc: '2.0', id: ids, method, params })}\n`);
    });
  const list = async (): Promise<Readonly<Record<string, Pin>> | string> => {
    const clientInfo = { name: 'harness', version: '1' };
    const hello = await ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    if (!isJsonObject(hello)) return 'the server did not answer initialize';
    server.input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    const tools: Json[] = [];
    for (let cursor: Json | undefined; ; ) {
      const page = await ask('tools/list', cursor === undefined ? {} : { cursor });
      if (!isJsonObject(page) || !Array.isArray(page.tools)) return 'the server did not list its tools';
      tools.push(...page.tools);
      cursor = page.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') return pinsOf(tools);
    }
  };
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('the server did not answer in time'), ANSWER_MS).unref();
  });
  const found = await Promise.race([list(), late, server.ended.then((how) => `the server ${how}`)]);
  await server.stop();
  return found;
}
