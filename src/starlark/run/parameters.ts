/**
 * The signature text of a built-in, and the binding of arguments by it.
 */
import { didYouMean } from '../../base/index.ts';
import type { Value } from '../values/value.ts';
import { fail } from './errors.ts';

export interface Signature {
  readonly text: string;
  /** Ordinary parameters in the order of the text. */
  readonly names: readonly string[];
  readonly required: readonly boolean[];
  readonly defaults: readonly (Value | undefined)[];
  /** Some default is stated in the text. */
  readonly hasDefaults: boolean;
  /** How many may be given by position; the others only by name. */
  readonly positional: number;
  /** How many, from the left, may be given by position only. */
  readonly positionalOnly: number;
  /** Where among the slots `*args` stands, or -1. */
  readonly restSlot: number;
  readonly keywords: boolean;
  /** The plain positional calls that need no binding; `maxDirect` is -1 where all do. */
  readonly minDirect: number;
  readonly maxDirect: number;
}

const LITERALS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['None', null],
  ['True', true],
  ['False', false],
]);

const parsed = new Map<string, Signature>();

/** Many built-ins share a signature; each text is read once. */
export function parseSignature(text: string): Signature {
  let signature = parsed.get(text);
  if (signature === undefined) parsed.set(text, (signature = parse(text)));
  return signature;
}

function parse(text: string): Signature {
  const names: string[] = [];
  const required: boolean[] = [];
  const defaults: (Value | undefined)[] = [];
  let positional = -1;
  let positionalOnly = 0;
  let restSlot = -1;
  let keywords = false;
  let hasDefaults = false;
  for (const part of text === '' ? [] : text.split(', ')) {
    if (part === '/') positionalOnly = names.length;
    else if (part.startsWith('**')) keywords = true;
    else if (part.startsWith('*')) {
      positional = names.length;
      if (part.length > 1) restSlot = names.length;
    } else {
      const equals = part.indexOf('=');
      const optional = part.endsWith('?');
      names.push(equals >= 0 ? part.slice(0, equals) : optional ? part.slice(0, -1) : part);
      required.push(equals < 0 && !optional);
      if (equals >= 0) hasDefaults = true;
      defaults.push(equals < 0 ? undefined : parseLiteral(part.slice(equals + 1)));
    }
  }
  if (positional < 0) positional = names.length;
  const firstOptional = required.indexOf(false);
  const minDirect = firstOptional < 0 ? positional : Math.min(firstOptional, positional);
  return {
    text,
    names,
    required,
    defaults,
    hasDefaults,
    positional,
    positionalOnly,
    restSlot,
    keywords,
    minDirect,
    maxDirect: maxDirect(positional, restSlot, required),
  };
}

/** Far fewer than the host can pass, and more than anybody writes. */
const MAX_REST = 200;

function maxDirect(positional: number, restSlot: number, required: readonly boolean[]): number {
  if (required.includes(true, positional)) return -1;
  // With parameters before `*args` it takes binding to tell one from the other.
  if (restSlot > 0) return -1;
  return restSlot === 0 ? MAX_REST : positional;
}

function parseLiteral(text: string): Value {
  const literal = LITERALS.get(text);
  if (literal !== undefined) return literal;
  if (/^-?\d+$/.test(text)) return Number(text);
  if (/^"[^"\\]*"$/.test(text)) return text.slice(1, -1);
  throw new TypeError(`unknown default in a signature: ${text}`);
}

/** Shared by all calls without keyword arguments; bodies only read it. */
const NO_KEYWORDS = new Map<string, Value>();

/** The slots of a body: ordinary parameters, with the array of `*args` where it stands, then the map of `**kwargs`. */
export function bindBuiltin(
  name: string,
  signature: Signature,
  args: readonly Value[],
  keywordNames: readonly string[] | null,
): unknown[] {
  const { names, positional, restSlot } = signature;
  const given = args.length - (keywordNames?.length ?? 0);
  if (given > positional && restSlot < 0) {
    const most = signature.required.slice(0, positional).includes(false) ? 'at most ' : '';
    fail(`${name}: got ${given} argument${given === 1 ? '' : 's'}, want ${most}${positional}`);
  }
  const bound = Math.min(given, positional);
  const slots: (Value | undefined)[] = [];
  for (let i = 0; i < names.length; i++) slots.push(i < bound ? args[i] : undefined);
  const extra = signature.keywords && keywordNames !== null ? new Map<string, Value>() : NO_KEYWORDS;
  for (let i = 0; keywordNames !== null && i < keywordNames.length; i++) {
    bindKeyword(name, signature, slots, extra, keywordNames[i]!, args[given + i]!);
  }
  for (let i = 0; i < names.length; i++) {
    if (slots[i] !== undefined) continue;
    if (signature.required[i] === true) fail(`${name}: missing argument for ${names[i]}`);
    slots[i] = signature.defaults[i];
  }
  const out: unknown[] = slots;
  if (restSlot === names.length) out.push(args.slice(bound, given));
  else if (restSlot >= 0) out.splice(restSlot, 0, args.slice(bound, given));
  if (signature.keywords) out.push(extra);
  return out;
}

function bindKeyword(
  name: string,
  signature: Signature,
  slots: (Value | undefined)[],
  extra: Map<string, Value>,
  key: string,
  value: Value,
): void {
  const at = signature.names.indexOf(key, signature.positionalOnly);
  if (at >= 0) {
    if (slots[at] !== undefined) fail(`${name}: got multiple values for keyword argument "${key}"`);
    slots[at] = value;
  } else if (signature.keywords) {
    if (extra.has(key)) fail(`${name}: duplicate keyword arg: "${key}"`);
    extra.set(key, value);
  } else if (signature.positionalOnly === signature.names.length) {
    fail(`${name}: ${signature.restSlot >= 0 ? 'does not accept' : 'unexpected'} keyword arguments`);
  } else {
    const hint = didYouMean(key, signature.names.slice(signature.positionalOnly));
    fail(`${name}: unexpected keyword argument "${key}"${hint}`);
  }
}
