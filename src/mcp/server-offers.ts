/**
 * Asks a server what it offers, and nothing else: reaches it, reads its instructions, lists its tools and the rest, leaves it.
 */

import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { within } from '../machine/index.ts';
import { CODES, failure, type Message, readMessage, success } from './message.ts';
import { INSTRUCTIONS, instructionsIn, itemsIn, LISTS, type OfferKind, TOOLS } from './offers.ts';
import { openServer, type Target } from './target.ts';

const ANSWER_MS = 30_000;
/** Of the era with a handshake, which every server serves. */
const PROTOCOL = '2025-11-25';
/** Those of a full client: a server shows fewer tools to one that can less. */
const CAPABILITIES = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
};
/** What a server may ask of such a client, and what it gets from one that only looks. */
const REPLIES: Readonly<Record<string, JsonObject>> = {
  ping: {},
  'roots/list': { roots: [] },
  'elicitation/create': { action: 'decline' },
};

/** Items by kind; a kind that the server does not have is absent. */
export type Offers = ReadonlyMap<OfferKind, readonly Json[]>;

/** What it offers as it lists it, or what went wrong. */
export async function readServerOffers(target: Target): Promise<Offers | string> {
  const waiting = new Map<Json, (result: Json) => void>();
  let over: (how: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    over = resolve;
  });
  const listener = {
    fromServer: async (line: Buffer) => {
      const read = readMessage(line);
      if (read.ok && read.message.method !== undefined) reply(read.message);
      else if (read.ok && read.message.id !== undefined) {
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
  const reply = ({ id, method }: Message) => {
    if (id === undefined || id === null) return;
    const result = Object.hasOwn(REPLIES, method!) ? REPLIES[method!] : undefined;
    send(result === undefined ? failure(id, CODES.refused, 'this client cannot do it') : success(id, result));
  };
  const ask = (method: string, params: JsonObject) =>
    new Promise<Json>((resolve) => {
      waiting.set(++ids, resolve);
      send({ jsonrpc: '2.0', id: ids, method, params });
    });
  const list = async (method: string, kind: OfferKind): Promise<readonly Json[] | null> => {
    const items: Json[] = [];
    for (let cursor: Json | undefined; ; ) {
      const page = await ask(method, cursor === undefined ? {} : { cursor });
      const listed = isJsonObject(page) ? itemsIn(kind, page) : null;
      if (listed === null) return null;
      items.push(...listed);
      cursor = (page as JsonObject).nextCursor;
      if (typeof cursor !== 'string' || cursor === '') return items;
    }
  };
  const all = async (): Promise<Offers | string> => {
    const clientInfo = { name: 'harness', version: '1' };
    const hello = await ask('initialize', {
      protocolVersion: PROTOCOL,
      capabilities: CAPABILITIES,
      clientInfo,
    });
    if (!isJsonObject(hello)) return 'the server did not answer initialize';
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const found = new Map<OfferKind, readonly Json[]>([[INSTRUCTIONS, instructionsIn(hello)]]);
    for (const [method, kind] of Object.entries(LISTS)) {
      if (kind !== TOOLS && !hasCapability(hello.capabilities, method)) continue;
      const items = await list(method, kind);
      if (items !== null) found.set(kind, items);
      else if (kind === TOOLS) return 'the server did not list its tools';
    }
    return found;
  };
  const answered = Promise.race([all(), ended.then((how) => `the server ${how}`)]);
  const found = (await within(ANSWER_MS, answered)) ?? 'the server did not answer in time';
  await server.stop();
  return found;
}

/** By the first word of a method, as a capability of its own or in the name of an extension. */
function hasCapability(capabilities: Json | undefined, method: string): boolean {
  const [word] = method.split('/');
  const { extensions, experimental, ...named } = isJsonObject(capabilities) ? capabilities : {};
  const names = [named, extensions, experimental].flatMap((map) =>
    isJsonObject(map) ? Object.keys(map) : [],
  );
  return names.some((name) => name === word || name.endsWith(`/${word}`));
}
