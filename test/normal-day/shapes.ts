/**
 * The intents of a day in the words of one agent: payloads as the real agent was seen to send them (`shapes/`), with the values
 * of the day in them. What an agent has no tool for, it does by a command, as its models do.
 */
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';

/** One intent of a day: `say` in words, `output` of the call, `in` a folder of the workspace, and one kind of call with its content. */
export type Intent = Readonly<Record<string, Json>> & { readonly say: string; readonly output?: string };

/** The machine of the day: none of these folders is there. */
export const PLACES = {
  workspace: '/home/dev/billing',
  further: '/home/dev/shared',
  home: '/home/dev',
  tmp: '/tmp',
  session: 'b7a1c0de-0000-4000-8000-000000000001',
};

interface Native {
  readonly event: string;
  readonly payload: JsonObject;
}

interface CallShape {
  readonly pre: Native;
  readonly post?: Native;
}

export interface Shapes {
  readonly agent: string;
  readonly version: string;
  readonly source: 'captured' | 'documentation';
  /** Variables in which the agent tells its hooks where it works. */
  readonly variables: Readonly<Record<string, string>>;
  readonly prompt?: Native;
  readonly calls: Readonly<Record<string, CallShape>>;
}

export interface NativeIntent {
  readonly pre: Native;
  readonly post: Native | null;
}

type Values = Readonly<Record<string, Json>>;

/** What stands in a payload beside what the intent is about: the file that was captured had these lines. */
const USUAL = { output: 'ok\n', old: 'before', relative: 'src/day.ts' };

/** What a kind of intent becomes where the agent has no tool for it; without a row it is not offered. */
const INSTEAD: Readonly<Record<string, { readonly kind: string; readonly command?: string }>> = {
  background: { kind: 'run', command: '{command} > /tmp/background.log 2>&1 &' },
  read: { kind: 'run', command: "sed -n '1,240p' {relative}" },
  search: { kind: 'run', command: "rg -n '{pattern}' {folder}" },
  list: { kind: 'run', command: "rg --files -g '{glob}'" },
  fetch: { kind: 'run', command: 'curl -fsSL {url}' },
  notebook: { kind: 'write' },
};

export function shapesOf(agent: string): Shapes {
  const read = (name: string) => new URL(`shapes/${name}.json`, import.meta.url);
  const own = JSON.parse(readFileSync(read(agent), 'utf8')) as Shapes;
  const more = read(`${agent}.documented`);
  if (!existsSync(more)) return own;
  const { calls } = JSON.parse(readFileSync(more, 'utf8')) as Pick<Shapes, 'calls'>;
  return { ...own, calls: { ...calls, ...own.calls } };
}

/** Null if the agent has no tool for it and no command does it. */
export function nativeIntent({ calls }: Shapes, intent: Intent, number: number): NativeIntent | null {
  const { kind, values } = contentOf(intent);
  const instead = calls[kind] === undefined ? INSTEAD[kind] : { kind };
  const shape = instead === undefined ? undefined : calls[instead.kind];
  if (instead === undefined || shape === undefined) return null;
  const all: Values = { ...PLACES, ...USUAL, current: PLACES.workspace, call: `call_${number}`, ...values };
  const command = 'command' in instead && instead.command !== undefined ? filled(instead.command, all) : null;
  const given = command === null ? all : { ...all, command };
  return {
    pre: render(shape.pre, given),
    post: shape.post === undefined ? null : render(shape.post, given),
  };
}

export function nativePrompt({ prompt }: Shapes, text: string): Native | null {
  return prompt === undefined ? null : render(prompt, { ...PLACES, current: PLACES.workspace, prompt: text });
}

/** The key that an intent's content has in the placeholders of its kind, where that is one text. */
const ONE_TEXT: Readonly<Record<string, string>> = {
  run: 'command',
  background: 'command',
  read: 'path',
  image: 'path',
  list: 'glob',
  fetch: 'url',
  web: 'query',
  delegate: 'prompt',
  todo: 'todo',
};

function contentOf(intent: Intent): { readonly kind: string; readonly values: Values } {
  const { say: _, output, use, in: folder, ...rest } = intent;
  const shared: Values = {
    ...(output !== undefined && { output }),
    ...(typeof folder === 'string' && { current: join(PLACES.workspace, folder) }),
  };
  if (typeof use === 'string') return { kind: use, values: { ...shared, ...placed(rest) } };
  const [kind, content] = Object.entries(rest)[0]!;
  const one = ONE_TEXT[kind];
  const values = one === undefined ? (content as JsonObject) : { [one]: content };
  // Where to search is a folder.
  const { path, ...others } = values as JsonObject;
  if (kind === 'search')
    return { kind, values: { ...shared, ...others, folder: join(PLACES.workspace, String(path)) } };
  return { kind, values: { ...shared, ...placed(values as JsonObject) } };
}

/** With the path in both forms that agents send. */
function placed(values: JsonObject): Values {
  const known = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? filled(value, PLACES) : value,
    ]),
  );
  const { path } = known;
  if (typeof path !== 'string') return known;
  return isAbsolute(path)
    ? { ...known, relative: path }
    : { ...known, path: join(PLACES.workspace, path), relative: path };
}

function render({ event, payload }: Native, values: Values): Native {
  return { event, payload: rendered(payload, values) as JsonObject };
}

function rendered(template: Json, values: Values): Json {
  if (typeof template === 'string')
    return template === '{args}' ? (values.args ?? {}) : filled(template, values);
  if (Array.isArray(template)) {
    const list = template.map((one) => rendered(one, values));
    // An agent that lists its folders lists all of them.
    return template.length === 1 && template[0] === '{workspace}' ? [...list, PLACES.further] : list;
  }
  if (!isJsonObject(template)) return template;
  if ('$json' in template) return JSON.stringify(rendered(template.$json!, values));
  return Object.fromEntries(
    Object.entries(template).map(([key, one]) => [
      key,
      CURRENT.includes(key) && one === '{workspace}' ? values.current! : rendered(one!, values),
    ]),
  );
}

/** Keys under which agents name the folder that they are in, which may be one inside the workspace. */
const CURRENT: readonly string[] = ['cwd', 'working_dir'];

const PATCH_LINES: readonly (readonly [RegExp, string, string])[] = [
  [/^\+\{content\}$/gm, '+', 'content'],
  [/^-\{old\}$/gm, '-', 'old'],
  [/^\+\{new\}$/gm, '+', 'new'],
];

function filled(template: string, values: Values): string {
  // In a patch each line of a text has the sign of its first.
  const text = PATCH_LINES.reduce(
    (now, [place, sign, key]) =>
      typeof values[key] === 'string'
        ? now.replace(place, () =>
            values[key]!.toString()
              .trimEnd()
              .split('\n')
              .map((line) => sign + line)
              .join('\n'),
          )
        : now,
    template,
  );
  return text.replaceAll(/\{([a-z]+)\}/g, (whole, key: string) =>
    typeof values[key] === 'string' && Object.hasOwn(values, key) ? (values[key] as string) : whole,
  );
}
