/**
 * Calls to try on two policies: their own examples first, then calls made of the words of their hooks, then changes of those
 * that reached something new. Everything follows from the seed.
 */
import { type Field, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type Actor, eventSpec } from '../../engine/index.ts';
import { DEFAULT_CLOCK } from '../testing/test-case.ts';
import type { Random } from './random.ts';
import { sampleGlob, sampleRegex } from './sample-pattern.ts';
import type { Clue, Scope } from './vocabulary.ts';

export interface Step {
  readonly event: string;
  readonly payload: Json;
}

/** One thing to try: events in a row, decided by each policy in a run of its own. */
export interface Input {
  readonly steps: readonly Step[];
  readonly clock: number;
  /** Relative to the folder of the policy; empty for that folder. */
  readonly cwd: string;
  readonly actor: Actor | null;
}

export function inputOf(steps: readonly Step[], more: Partial<Omit<Input, 'steps'>> = {}): Input {
  return { steps, clock: DEFAULT_CLOCK, cwd: '', actor: null, ...more };
}

/** What calls are made of. */
export interface Vocabulary {
  /** Those that only one policy has. */
  readonly fresh: readonly Scope[];
  readonly all: readonly Scope[];
  readonly tools: readonly string[];
  readonly texts: readonly string[];
  /** Folders that exceptions speak of, and the times at which something ends or begins. */
  readonly folders: readonly string[];
  readonly clocks: readonly number[];
}

const COMMON_KEYS = ['command', 'path', 'content', 'url'];
const MOST_STEPS = 60;

export function commandCall(command: string): Input {
  return inputOf([{ event: 'tool.pre', payload: { name: 'run_command', args: { command } } }]);
}

/** Every clue of every scope by itself, those that only one policy has first. */
export function* singleClues(vocabulary: Vocabulary, random: Random): Generator<Input> {
  for (const scope of [...vocabulary.fresh, ...vocabulary.all]) {
    for (const clue of scope.clues) {
      const keys = clue.key !== null ? [clue.key] : scope.keys.length > 0 ? scope.keys : COMMON_KEYS;
      for (const key of keys) {
        const base = payloadFor(scope, vocabulary, random, 0.5);
        yield randomInput(scope.event, withValue(base, key, valueFor(clue, random)), vocabulary, random);
      }
    }
  }
}

/** A call made of several words of one scope. */
export function generated(vocabulary: Vocabulary, random: Random): Input | null {
  const from = vocabulary.fresh.length > 0 && random.chance(0.7) ? vocabulary.fresh : vocabulary.all;
  const scope = random.pick(from);
  if (scope === undefined) return null;
  return randomInput(scope.event, payloadFor(scope, vocabulary, random, 0.6), vocabulary, random);
}

function randomInput(
  event: string,
  payload: Json,
  { folders, clocks, texts }: Vocabulary,
  random: Random,
): Input {
  return inputOf([{ event, payload }], {
    ...(clocks.length > 0 && random.chance(0.3) && { clock: random.pick(clocks)! }),
    ...(folders.length > 0 && random.chance(0.5) && { cwd: random.pick(folders)! }),
    ...(random.chance(0.2) && { actor: actorFrom(texts, random) }),
  });
}

function actorFrom(texts: readonly string[], random: Random): Actor {
  const word = () => random.pick(texts) ?? 'someone';
  return {
    id: word(),
    ...(random.chance(0.4) && { tenant: word() }),
    ...(random.chance(0.4) && { tier: word() }),
    ...(random.chance(0.5) && { scopes: [word(), word()] }),
  };
}

/** A payload of the event with values that the scope asks about; `share` of its clues are used. */
function payloadFor(scope: Scope, vocabulary: Vocabulary, random: Random, share: number): Json {
  let payload = emptyPayload(scope.event, vocabulary, random);
  for (const clue of scope.clues) {
    if (!random.chance(clue.key === null ? share / 4 : share)) continue;
    const key = clue.key ?? random.pick(scope.keys.length > 0 ? scope.keys : COMMON_KEYS)!;
    payload = withValue(payload, key, valueFor(clue, random), random);
  }
  return payload;
}

function emptyPayload(event: string, { tools, texts }: Vocabulary, random: Random): Json {
  const field = eventSpec(event)?.payload;
  if (field === undefined) return {};
  return shaped(field, { tool: random.pick(tools) ?? 'run_command', texts, random });
}

interface Shaping {
  readonly tool: string;
  readonly texts: readonly string[];
  readonly random: Random;
}

function shaped(field: Field, shaping: Shaping, key = ''): Json {
  const { tool, texts, random } = shaping;
  if (field.nullable === true && random.chance(0.2)) return null;
  switch (field.kind) {
    case 'string':
      if (key === 'name') return tool;
      return random.pick(field.enum ?? texts) ?? 'text';
    case 'integer':
    case 'number':
      return random.whole(4);
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return field.items !== undefined && random.chance(0.5) ? [shaped(field.items, shaping)] : [];
    case 'object': {
      const made: Record<string, Json> = {};
      for (const [name, inner] of Object.entries(field.fields ?? {}))
        if (inner.required || random.chance(0.1)) made[name] = shaped(inner, shaping, name);
      return made;
    }
    case 'either':
      return field.forms === undefined ? null : shaped(random.pick(field.forms)!, shaping, key);
    default:
      return random.pick(texts) ?? 'text';
  }
}

function valueFor({ kind, value }: Clue, random: Random): Json {
  if (typeof value !== 'string') return value;
  switch (kind) {
    case 'is':
      return value;
    case 'has':
      return random.pick([value, `a ${value} b`, `${value} b`, `a/${value}`])!;
    case 'starts':
      return random.pick([value, `${value} b`, ` ${value}`])!;
    case 'ends':
      return random.pick([`a${value}`, `a ${value}`, `${value} `])!;
    case 'regex':
      return sampleRegex(value, random);
    case 'glob':
      return sampleGlob(value, random);
  }
}

/** Keys of a payload that are not arguments. */
function isOwnKey(payload: JsonObject, key: string): boolean {
  return (
    Object.hasOwn(payload, key) || !Object.hasOwn(payload, 'args') || key === 'name' || key === 'content'
  );
}

/** The value under a key: of the payload where it has such a key, of the arguments of a call otherwise. Dots lead inside. */
export function withValue(payload: Json, key: string, value: Json, random?: Random): Json {
  if (!isJsonObject(payload))
    return typeof value === 'string' && typeof payload === 'string' ? value : payload;
  if (key === 'args' || key === 'arguments') return payload;
  if (!isOwnKey(payload, key)) {
    const args = isJsonObject(payload.args) ? payload.args : {};
    return { ...payload, args: withValueAt(args, key.split('.'), value, random) };
  }
  if (key === 'name' && typeof value !== 'string') return payload;
  return withValueAt(payload, [key], value, random);
}

function withValueAt(object: JsonObject, path: readonly string[], value: Json, random?: Random): JsonObject {
  const [first = '', ...rest] = path;
  const before = object[first];
  if (rest.length > 0)
    return { ...object, [first]: withValueAt(isJsonObject(before) ? before : {}, rest, value, random) };
  // Two questions about one text: often both must hold.
  const both = typeof before === 'string' && typeof value === 'string' && first !== 'name';
  return { ...object, [first]: both && random?.chance(0.5) ? `${before} ${value}` : value };
}

/** A small change of a call, so that what stands close to a rule is tried on both sides of it. */
export function mutated(input: Input, vocabulary: Vocabulary, random: Random): Input {
  const { steps } = input;
  const at = random.whole(steps.length);
  const step = steps[at]!;
  const kind = random.next();
  if (kind < 0.08) return { ...input, clock: random.pick(vocabulary.clocks) ?? input.clock };
  if (kind < 0.12) return { ...input, cwd: random.pick(['', ...vocabulary.folders])! };
  if (kind < 0.16)
    return { ...input, actor: random.chance(0.3) ? null : actorFrom(vocabulary.texts, random) };
  if (kind < 0.22) return repeated(input, vocabulary, random);
  const payload = mutatedPayload(step.payload, vocabulary, random);
  return { ...input, steps: steps.map((each, i) => (i === at ? { ...each, payload } : each)) };
}

/** The same call again, as often as some number of the hooks says: what counts calls shows itself then. */
function repeated(input: Input, { fresh, all }: Vocabulary, random: Random): Input {
  const scopes = fresh.length > 0 && random.chance(0.8) ? fresh : all;
  const numbers = scopes
    .flatMap(({ clues }) => clues.map(({ value }) => value))
    .filter((value): value is number => typeof value === 'number' && value > 0 && value < MOST_STEPS);
  const times = Math.min((random.pick(numbers) ?? 1) + random.whole(3), MOST_STEPS - input.steps.length);
  const last = input.steps.at(-1)!;
  return { ...input, steps: [...input.steps, ...Array.from({ length: Math.max(0, times) }, () => last)] };
}

function mutatedPayload(payload: Json, vocabulary: Vocabulary, random: Random): Json {
  if (typeof payload === 'string') return mutatedText(payload, vocabulary.texts, random);
  if (!isJsonObject(payload)) return payload;
  const scope = random.pick(vocabulary.fresh.length > 0 ? vocabulary.fresh : vocabulary.all);
  const kind = random.next();
  if (kind < 0.15 && 'name' in payload) return { ...payload, name: random.pick(vocabulary.tools) ?? 'x' };
  if (kind < 0.45 && scope !== undefined && scope.clues.length > 0) {
    const clue = random.pick(scope.clues)!;
    const key = clue.key ?? random.pick(scope.keys.length > 0 ? scope.keys : COMMON_KEYS)!;
    return withValue(payload, key, valueFor(clue, random), random);
  }
  return mutatedValue(payload, vocabulary, random) as Json;
}

/** One place of a value, changed or left out. */
function mutatedValue(value: Json, vocabulary: Vocabulary, random: Random): Json {
  if (typeof value === 'string') return mutatedText(value, vocabulary.texts, random);
  if (typeof value === 'number') return value + random.pick([-1, 1, 1000])!;
  if (typeof value === 'boolean') return !value;
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).filter((key) => key !== 'name');
  const key = random.pick(keys);
  if (key === undefined) return value;
  if (key !== 'args' && random.chance(0.1))
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  return { ...value, [key]: mutatedValue(value[key]!, vocabulary, random) };
}

const JOINTS = [' ', ' && ', '; ', ' | ', '/', '\n', ''];

function mutatedText(text: string, texts: readonly string[], random: Random): string {
  const word = random.pick(texts) ?? 'x';
  const at = random.whole(text.length + 1);
  const words = text.split(' ');
  switch (random.whole(9)) {
    case 0:
      return `${text}${random.pick(JOINTS)}${word}`;
    case 1:
      return `${word}${random.pick(JOINTS)}${text}`;
    case 2:
      return `${text.slice(0, at)}${word}${text.slice(at)}`;
    case 3:
      return words.filter((_each, i) => i !== at % words.length).join(' ');
    case 4:
      return words.map((each, i) => (i === at % words.length ? word : each)).join(' ');
    case 5:
      return text.slice(0, at) + text.slice(at + 1);
    case 6:
      return random.chance(0.5) ? text.toUpperCase() : text.toLowerCase();
    case 7:
      return `${text.slice(0, at)}${random.pick([...' -./_x0'])}${text.slice(at)}`;
    default:
      return word;
  }
}
