/**
 * Asks a server what it offers, and nothing else: reaches it, lists its tools, leaves it.
 */
import { type Message, readMessage } from '../../adapters/mcp/message.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { openServer, type Target } from './target.ts';

const ANSWER_MS = 30_000;
/** Of the era with a handshake, which every server serves. */
const PROTOCOL = '2025-11-25';

/** Its tools as it lists them, or what went wrong. */
export async function readServerTools(target: Target): Promise<readonly Json[] | string> {
  const waiting = new Map<Json, (result: Json) => void>();
  let over: (how: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    over = resolve;
  });
  const listener = {
    fromServer: async (line: Buffer) => {
      const read = readMessage(line);
      if (read.ok && read.message.id !== undefined) {
        waiting.get(read.message.id)?.(read.message.result ?? null);
        waiting.delete(read.message.id);
      }
    },
    has: (id: Json) => waiting.has(id),
    fail: (_id: Json, why: string) => over(why.replace(/^the server /, '')),
    end: () => {},
  };
  const server = openServer(
    target,
    () => listener,
    (how) => over(how),
    () => {},
  );
  let ids = 0;
  const send = (message: JsonObject) =>
    server.toServer(JSON.stringify(message), message as unknown as Message, null);
  const ask = (method: string, params: JsonObject) =>
    new Promise<Json>((resolve) => {
      waiting.set(++ids, resolve);
      send({ jsonrpc: '2.0', id: ids, method, params });
    });
  const list = async (): Promise<readonly Json[] | string> => {
    const clientInfo = { name: 'harness', version: '1' };
    const hello = await ask('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    if (!isJsonObject(hello)) return 'the server did not answer initialize';
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const tools: Json[] = [];
    for (let cursor: Json | undefined; ; ) {
      const page = await ask('tools/list', cursor === undefined ? {} : { cursor });
      if (!isJsonObject(page) || !Array.isArray(page.tools)) return 'the server did not list its tools';
      tools.push(...page.tools);
      cursor = page.nextCursor;
      if (typeof cursor !== 'string' || cursor === '') return tools;
    }
  };
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('the server did not answer in time'), ANSWER_MS).unref();
  });
  const found = await Promise.race([list(), late, ended.then((how) => `the server ${how}`)]);
  await server.stop();
  return found;
}
