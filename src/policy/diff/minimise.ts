/**
 * The smallest call that still shows a difference, as far as a bounded number of tries finds it: what a reviewer reads should
 * hold nothing that does not matter.
 */
import { isJsonObject, type Json } from '../../base/index.ts';
import { DEFAULT_CLOCK } from '../testing/test-case.ts';
import type { Input } from './inputs.ts';

const MOST_TRIES = 300;
/** Texts up to this long are shortened letter by letter. */
const SHORT = 48;

/** `shows` says whether a smaller input still has the difference. */
export async function minimise(input: Input, shows: (input: Input) => Promise<boolean>): Promise<Input> {
  let smallest = input;
  let tries = 0;
  for (let again = true; again && tries < MOST_TRIES; ) {
    again = false;
    for (const smaller of smallerThan(smallest)) {
      if (++tries > MOST_TRIES) break;
      if (!(await shows(smaller))) continue;
      smallest = smaller;
      again = true;
      break;
    }
  }
  return smallest;
}

/** The largest steps first. */
function* smallerThan(input: Input): Generator<Input> {
  const { steps } = input;
  if (steps.length > 3) yield { ...input, steps: steps.slice(Math.floor(steps.length / 2)) };
  if (steps.length > 1) for (const at of steps.keys()) yield { ...input, steps: steps.toSpliced(at, 1) };
  if (input.actor !== null) yield { ...input, actor: null };
  if (input.cwd !== '') yield { ...input, cwd: '' };
  if (input.clock !== DEFAULT_CLOCK) yield { ...input, clock: DEFAULT_CLOCK };
  for (const [at, step] of steps.entries())
    for (const payload of smallerValues(step.payload, ''))
      yield { ...input, steps: steps.with(at, { ...step, payload }) };
}

function* smallerValues(value: Json, key: string): Generator<Json> {
  // The name of a tool is what the call is about; half of one is no tool.
  if (typeof value === 'string' && key !== 'name') yield* smallerTexts(value);
  else if (typeof value === 'number' && value !== 0) yield 0;
  else if (Array.isArray(value)) for (const at of value.keys()) yield value.toSpliced(at, 1);
  if (!isJsonObject(value)) return;
  const entries = Object.entries(value);
  for (const [name] of entries)
    if (name !== 'name' && name !== 'args')
      yield Object.fromEntries(entries.filter(([each]) => each !== name));
  for (const [name, inner] of entries)
    for (const smaller of smallerValues(inner, name)) yield { ...value, [name]: smaller };
}

function* smallerTexts(text: string): Generator<string> {
  if (text === '') return;
  yield '';
  const half = text.length >> 1;
  if (half > 0) {
    yield text.slice(half);
    yield text.slice(0, half);
  }
  const words = text.split(' ');
  if (words.length > 1) for (const at of words.keys()) yield words.toSpliced(at, 1).join(' ');
  if (text.length <= SHORT)
    for (let at = 0; at < text.length; at++) yield text.slice(0, at) + text.slice(at + 1);
}
