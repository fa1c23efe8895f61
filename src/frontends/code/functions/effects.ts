/**
 * What a Harn handler returns beside its decision: reminders, alone, in lists, or wrapped around the decision itself.
 * Taken apart here, so that only the decision is left to understand.
 */
import { checkReminder, type ReminderSpec } from '../../../engine/index.ts';

/** Not a return value the protocol knows. Fails the operation. */
export class InvalidReturn extends Error {
  readonly code: string;

  constructor(message: string, code = 'HOOK_INVALID_RETURN') {
    super(message);
    this.code = code;
  }
}

export interface Unfolded {
  /** What is left once the reminders are taken out; undefined where nothing is. */
  readonly control: unknown;
  readonly reminders: readonly ReminderSpec[];
  readonly warnings: readonly string[];
}

/** Reminders wrapped around reminders. */
const DEEPEST = 32;

/** Keys that make a dict with a `body` something else than a reminder. */
const CONTROL_KEYS = [
  'deny',
  'args',
  'result',
  'output',
  'modify',
  'block',
  'decision',
  'action',
  'control',
] as const;

export type Dict = Readonly<Record<string, unknown>>;

/** `lists`: whether a list of effects is an answer here. */
export function unfold(returned: unknown, lists: boolean): Unfolded {
  const reminders: ReminderSpec[] = [];
  const warnings: string[] = [];
  const take = (spec: unknown): void => {
    const checked = checkReminder(spec);
    if (!checked.ok) throw new InvalidReturn(checked.message, checked.code);
    reminders.push(checked.reminder);
    warnings.push(...checked.warnings);
  };
  let value = returned;
  for (let depth = 0; ; depth++) {
    if (depth > DEEPEST) throw new InvalidReturn(`\`then\` is nested deeper than ${DEEPEST} levels`);
    if (Array.isArray(value) && lists) {
      takeAll(value, take);
      return { control: undefined, reminders, warnings };
    }
    if (!isDict(value)) return { control: value, reminders, warnings };
    if (isBareReminder(value)) {
      take(value);
      return { control: undefined, reminders, warnings };
    }
    const rest = takeEffects(value, take);
    if (!Object.hasOwn(rest, 'then')) {
      const empty = rest !== value && Object.keys(rest).length === 0;
      return { control: empty ? undefined : rest, reminders, warnings };
    }
    if (rest === value) throw new InvalidReturn('`then` stands beside a reminder only');
    const { then, ...beside } = rest;
    // Two decisions in one answer: following either would ignore the other.
    const [extra] = Object.keys(beside);
    if (extra !== undefined) throw new InvalidReturn(`${JSON.stringify(extra)} belongs into \`then\``);
    value = then;
  }
}

/** Takes the reminders out of a dict and returns what is left; the dict itself where it had none. */
function takeEffects(dict: Dict, take: (spec: unknown) => void): Dict {
  if (Object.hasOwn(dict, 'reminder')) {
    const { reminder, ...rest } = dict;
    take(reminder);
    return rest;
  }
  if (dict.type === 'reminder' && Object.hasOwn(dict, 'spec')) {
    const { type: _, spec, ...rest } = dict;
    take(spec);
    return rest;
  }
  if (Object.hasOwn(dict, 'effects')) {
    const { effects, ...rest } = dict;
    if (!Array.isArray(effects)) throw new InvalidReturn('`effects` wants a list');
    takeAll(effects, take);
    return rest;
  }
  return dict;
}

function takeAll(items: readonly unknown[], take: (spec: unknown) => void): void {
  for (const [at, item] of items.entries()) {
    if (!isDict(item)) throw new InvalidReturn(`item ${at} of the list is no reminder`);
    if (isBareReminder(item)) {
      take(item);
      continue;
    }
    const rest = takeEffects(item, take);
    const [extra] = Object.keys(rest);
    if (rest === item) throw new InvalidReturn(`item ${at} of the list is no reminder`);
    if (extra !== undefined)
      throw new InvalidReturn(`item ${at} of the list may hold no ${JSON.stringify(extra)}`);
  }
}

function isBareReminder(dict: Dict): boolean {
  if (!Object.hasOwn(dict, 'body') || Object.hasOwn(dict, 'reminder')) return false;
  return !CONTROL_KEYS.some((key) => Object.hasOwn(dict, key));
}

export function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
