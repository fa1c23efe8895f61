/**
 * A normal day of every agent through a real daemon, asked as the launcher asks it: nothing is stopped, hidden or rewritten, and nothing
 * is left for a launcher to decide.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import type { Adapter } from '../../src/agents/adapter.ts';
import { ADAPTERS, loadAdapter } from '../../src/agents/load-adapter.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { askDaemon } from '../../src/launcher/daemon/client.ts';
import { entryIdentity, mountSpace } from '../../src/launcher/daemon/entry-identity.ts';
import { user } from '../daemon/daemon.ts';
import { type Intent, nativeIntent, nativePrompt, PLACES, shapesOf } from './shapes.ts';

const TEMPLATES = fileURLToPath(new URL('../../src/cli/init/templates', import.meta.url));
const yamlIn = (name: string) => parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const DAY: {
  readonly prompt: string;
  readonly intents: readonly Intent[];
  readonly asks: readonly { readonly intent: string }[];
} = yamlIn('days/typescript.yaml');
/** Without what a person is asked about: an agent that cannot ask its own user would wait for an answer from elsewhere. */
const CALLS = DAY.intents.filter(({ say }) => !DAY.asks.some(({ intent }) => intent === say));
const PECULIAR: Readonly<Record<string, readonly Intent[]>> = yamlIn('peculiar.yaml');
const LONG_MS = 120_000;

it('the main day of every agent passes through a daemon, which decides all of it', async () => {
  const dev = user({});
  cpSync(TEMPLATES, join(dev.dir, '.harness'), { recursive: true });
  await dev.serve();
  const stops: string[] = [];
  let asked = 0;
  const ask = async (adapter: Adapter, say: string, event: string, payload: JsonObject) => {
    const row = adapter.events.find(({ native }) => native === event)!;
    const variables = Object.keys(shapesOf(adapter.agent).variables);
    const told = { ...dev.env, ...Object.fromEntries(variables.map((name) => [name, PLACES.workspace])) };
    const answer = await askDaemon(
      dev.folder,
      {
        operation: 'hook',
        entry: entryIdentity(HOOK_FILE),
        words: [dev.dir, mountSpace(), adapter.agent, event, '--dir', dev.dir],
        environment: Object.entries(told).map(([name, value]) => `${name}=${value}`),
        payload: Buffer.from(JSON.stringify(payload).replaceAll(PLACES.session, `day-of-${adapter.agent}`)),
      },
      { greetingMs: LONG_MS, answerMs: LONG_MS },
    );
    asked += 1;
    const passed = adapter.answer(row, null, { action: 'allow', context: null, message: null });
    if ('missing' in answer) stops.push(`${adapter.agent}: ${say}: left to the launcher: ${answer.missing}`);
    else if (answer.stdout !== '' && answer.stdout !== passed.stdout)
      stops.push(`${adapter.agent}: ${say}: ${answer.stdout}${answer.stderr}`);
  };
  for (const agent of Object.keys(ADAPTERS)) {
    const adapter = (await loadAdapter(agent))!;
    const shapes = shapesOf(agent);
    const said = nativePrompt(shapes, DAY.prompt);
    if (said !== null) await ask(adapter, 'prompt', said.event, said.payload);
    for (const [number, intent] of [...CALLS, ...PECULIAR[agent]!].entries()) {
      const native = nativeIntent(shapes, intent, number);
      for (const each of native === null ? [] : [native.pre, ...(native.post === null ? [] : [native.post])])
        await ask(adapter, intent.say, each.event, each.payload);
    }
  }
  expect(stops).toEqual([]);
  expect(asked).toBeGreaterThan(1000);
  expect(dev.state()).toMatchObject({ refused: 0 });
});
