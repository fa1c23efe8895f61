/**
 * The engine of the playground: the part of the package that needs no machine (`harness-hooks/pure`) and the packs of rules, in a worker.
 * A hook that does not end costs this worker, never the page.
 */
import type { Json } from '../src/base/json.ts';
import { lookingRules } from '../src/packs/pack.ts';
import { shippedPacks, shippedShared } from '../src/packs/shipped.ts';
import { ToolCall } from '../src/packs/tool-call.ts';
import type { Tried } from '../src/page/server/api.ts';
import { commandView, triedFrom } from '../src/page/tried.ts';
import { bareHost, Engine, hookFromText, RunState, readCommand } from '../src/pure.ts';

export interface Question {
  readonly id: number;
  readonly file: string;
  readonly text: string;
  readonly event: string;
  readonly payload: Json;
}

/** `event`: what the hook listens to, null if that cannot be told. */
export type Answer =
  | { readonly id: number; readonly tried: Tried; readonly event: string | null }
  | { readonly id: number; readonly fault: string };

declare const self: {
  postMessage(answer: Answer | 'ready'): void;
  onmessage: (message: { readonly data: Question }) => void;
};

async function answer({ id, file, text, event, payload }: Question): Promise<Answer> {
  const { hooks, problems } = await hookFromText(file, text, { coverage: true });
  const engine = new Engine({ hooks, host: bareHost, run: new RunState(), canAsk: true });
  const outcome = await engine.decide(event as never, payload as never);
  const tried = triedFrom(outcome, payload, problems, await commandIn(payload));
  return { id, tried, event: hooks[0]?.event ?? null };
}

async function commandIn(payload: Json): Promise<Tried['command']> {
  const args = (payload as { args?: { command?: unknown } } | null)?.args;
  if (typeof args?.command !== 'string') return null;
  const call = new ToolCall('run_command', { command: args.command }, null, shippedShared());
  const packs = shippedPacks();
  const looking = new Set(packs.flatMap((pack) => lookingRules(pack, call.subjects)).map(({ name }) => name));
  const matches = (await Promise.all(packs.map((pack) => call.matches(pack)))).flat();
  const held = matches.map(({ rule }) => ({
    rule: rule.name,
    action: rule.written.action,
    reason: rule.written.reason,
  }));
  return commandView(readCommand(args.command), looking, held);
}

self.onmessage = ({ data }) => {
  answer(data).then(
    (each) => self.postMessage(each),
    (thrown: unknown) => self.postMessage({ id: data.id, fault: String(thrown) }),
  );
};
self.postMessage('ready');
