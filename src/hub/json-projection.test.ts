import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '../base/index.ts';
import { type Projection, planOf, projectJson } from './json-projection.ts';

const project = (text: string, wanted: Projection) => projectJson(Buffer.from(text), planOf(wanted));

/** The same by parsing all of it. */
function reference(value: Json | undefined, wanted: Projection): Json | undefined {
  if (wanted === true) return value;
  if (Array.isArray(wanted))
    return Array.isArray(value)
      ? value.map((each) => reference(each, wanted[0] as Projection) ?? null)
      : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = value as Record<string, Json>;
  const found: Record<string, Json> = {};
  for (const [key, part] of Object.entries(wanted as Record<string, Projection>)) {
    const one = Object.hasOwn(members, key) ? reference(members[key], part) : undefined;
    if (one !== undefined) found[key] = one;
  }
  return found;
}

function random(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
}

const KEYS = ['a', 'ab', 'hook', 'hooks', 'in', 'out', 'z', 'a"b', 'ä', '\\', ''];
const TEXTS = ['', 'plain', 'a "quoted" one', '\\', '{"a":1}', ',"hook":"x"', '\u0000', 'ä', '\ud800', '"'];

function value(pick: (count: number) => number, depth: number): Json {
  const kind = pick(depth > 4 ? 4 : 7);
  if (kind === 0) return TEXTS[pick(TEXTS.length)]!;
  if (kind === 1) return [0, 7, -3, 1.5, 1e21, 123456789012345, 1e16, -0.25][pick(8)]!;
  if (kind < 4) return [true, false, null][pick(3)]!;
  if (kind === 4) return Array.from({ length: pick(4) }, () => value(pick, depth + 1));
  const members: Record<string, Json> = {};
  for (let i = pick(6); i > 0; i--) members[KEYS[pick(KEYS.length)]!] = value(pick, depth + 1);
  return members;
}

function projection(pick: (count: number) => number, depth: number): Projection {
  const kind = pick(depth > 3 ? 1 : 4);
  if (kind === 0) return true;
  if (kind === 1) return [projection(pick, depth + 1)];
  const members: Record<string, Projection> = {};
  for (let i = 1 + pick(3); i > 0; i--)
    members[['a', 'ab', 'hook', 'hooks', 'in', 'z'][pick(6)]!] = projection(pick, depth + 1);
  return members;
}

describe('projection of a JSON text', () => {
  it('has the same values as the whole text parsed, whatever canonical JSON it is', () => {
    const pick = random(7);
    for (let i = 0; i < 5000; i++) {
      const whole = value(pick, 0);
      const wanted = projection(pick, 0);
      const text = canonicalJson(whole);
      expect({ text, found: project(text, wanted) }).toEqual({
        text,
        found: reference(JSON.parse(text) as Json, wanted),
      });
    }
  });

  it('takes no text inside a value for a member', () => {
    const text = '{"in":{"a":"\\",\\"z\\":1","b":{"z":2},"z":3}}';
    expect(project(text, { in: { z: true } })).toEqual({ in: { z: 3 } });
  });

  it('ends on any bytes, however deep or cut off', () => {
    const plan = planOf({ in: { a: true, hooks: [{ hook: true }] }, z: true });
    const pick = random(11);
    const units = Buffer.from('{}[]",:\\1a ');
    for (let i = 0; i < 5000; i++) {
      const bytes = Buffer.from(Array.from({ length: pick(40) }, () => units[pick(units.length)]!));
      projectJson(Buffer.concat([Buffer.from('{"in":{"hooks":['), bytes]), plan);
      projectJson(bytes, plan);
    }
    for (const open of ['[', '{"in":', '{"in":{"hooks":['])
      expect(() => project(open.repeat(200_000), { in: { hooks: [{ hook: true }] } })).not.toThrow();
  });
});
