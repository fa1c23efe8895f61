/** A scripted model server for one test, closed after it. */
import { afterEach } from 'vitest';
import {
  type ModelServer,
  type ModelServerOptions,
  type ServerCompletion,
  type ServerScript,
  startModelServer,
} from '../../src/agent/model-server/index.ts';
import type { JsonObject } from '../../src/base/json.ts';

const open: ModelServer[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

export async function serve(
  completions: readonly ServerCompletion[],
  { side, ...options }: Partial<ModelServerOptions> & Pick<ServerScript, 'side'> = {},
): Promise<ModelServer> {
  const script = { completions, ...(side !== undefined && { side }) };
  const server = await startModelServer({ script, ...options });
  open.push(server);
  return server;
}

/** Items or rules that answered, in order: `0` for `completions[0]`, a name for a side rule. */
export function answeredBy(server: ModelServer): unknown[] {
  return server.requests().map(({ answeredBy: by }) => {
    if (by.kind === 'item') return by.place;
    return by.kind === 'side' ? by.rule : by.kind;
  });
}

export async function post(url: string, body: JsonObject | string, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export const TWO_CALLS: ServerCompletion = {
  text: 'I will look in two places, one after the other, and tell you.',
  tool_calls: [
    {
      name: 'read_file',
      args: { path: 'notes.md', note: 'a text longer than one piece of a stream 🙂🙂🙂' },
    },
    { name: 'list_files', args: {} },
  ],
  usage: { input_tokens: 12, output_tokens: 5 },
};
