/**
 * Calls as JavaScript. What is known before the run is called directly: functions of this file, built-ins of
 * the environment, methods of the basic types. The rest goes through the runtime.
 */
import { lookupMethod } from '../../lib/attributes.ts';
import { UNIVERSE } from '../../lib/universe.ts';
import { Builtin, defaultsAfter, Method } from '../../run/signature.ts';
import type { Call, Expr } from '../../syntax/ast.ts';
import { Dict } from '../../values/dict.ts';
import { isPlainKey } from '../../values/hash-table.ts';
import { List } from '../../values/list.ts';
import { StarSet } from '../../values/set.ts';
import { DICT } from '../../values/size.ts';
import { Callable } from '../../values/value.ts';
import { argumentsOf, bindStatically, type CallArguments } from '../arguments.ts';
import type { Runtime } from '../runtime.ts';
import { stripParens } from '../walk.ts';
import { type Body, isAtom } from './body.ts';
import { positioned, sequence, value } from './expressions.ts';

const PLAIN_CALLS: readonly (keyof Runtime)[] = ['call0', 'call1', 'call2', 'call3'];

export function call(body: Body, e: Call): string {
  const args = argumentsOf(e);
  const text =
    knownFunction(body, e, args) ??
    knownBuiltin(body, e, args) ??
    methodCall(body, e, args) ??
    anyCall(body, e, args);
  return body.unit.analysis.suspends(e) ? awaited(body, e, text) : text;
}

function awaited(body: Body, e: Call, text: string): string {
  const known = body.unit.analysis.knownCallee(e.callee);
  if (known !== null) return known.suspends ? `(await ${text})` : text;
  const temp = body.temp();
  return `(${body.unit.helper('isPromise')}(${temp} = ${text}) ? await ${temp} : ${temp})`;
}

/** A function of the file, where the arguments fit its parameters without looking at their values. */
function knownFunction(body: Body, e: Call, args: CallArguments): string | null {
  const { unit } = body;
  const info = unit.analysis.knownCallee(e.callee);
  const bound = info === null ? null : bindStatically(info.node!, args);
  if (info === null || bound === null) return null;
  const [callee, ...values] = sequence(body, [e.callee, ...args.values]);
  // Evaluated for its check alone, which an atom does not need.
  const setup = isAtom(callee!) ? [] : [callee!];
  let atoms = values;
  const { slots, rest, keywords } = bound;
  const order = [...slots, ...(rest ?? []), ...(keywords ?? []).map(({ value }) => value)];
  // Keywords may be written in any order; they are evaluated as written.
  if (!order.filter((place) => place !== null).every((place, i) => place === i))
    atoms = values.map((text) => atomFor(body, setup, text));
  const placed = order.map((place) => (place === null ? 'void 0' : atoms[place]!));
  const text = positioned(body, placed, e.openStart, (all) => {
    const given = all.splice(0, slots.length);
    if (rest !== null) given.push(`${unit.helper('rest')}(T, [${all.splice(0, rest.length).join(', ')}])`);
    if (keywords !== null) {
      const names = keywords.map(({ name }) => name);
      const helper = unit.helper(names.every(isPlainKey) ? 'plainKeywords' : 'keywords');
      given.push(`${helper}(T, ${unit.constant(names)}, [${all.join(', ')}])`);
    }
    while (given.at(-1) === 'void 0') given.pop();
    return `${unit.functionName(info)}(${['T', ...given].join(', ')})`;
  });
  return setup.length === 0 ? text : `(${[...setup, text].join(', ')})`;
}

/** An atom for a value; `setup` collects what must be evaluated first. */
function atomFor(body: Body, setup: string[], text: string): string {
  if (isAtom(text)) return text;
  const temp = body.temp();
  setup.push(`${temp} = ${text}`);
  return temp;
}

function knownBuiltin(body: Body, e: Call, args: CallArguments): string | null {
  const { unit } = body;
  const callee = unit.analysis.constant(e.callee);
  if (!(callee instanceof Callable) || args.names !== null || args.star !== null || args.starStar !== null)
    return null;
  const count = args.values.length;
  if (count < callee.minArgs || count > callee.maxArgs) return null;
  const values = sequence(body, args.values);
  const own = stripParens(e.callee);
  const trusted = own.kind === 'ident' && UNIVERSE.get(own.name) === callee;
  // A function of the host may ask where it was called; those of the language do not, and call nobody back from here.
  const place = trusted ? '' : `T.at = ${e.openStart}, `;
  const text = positioned(
    body,
    values,
    body.insideBuiltin(e.openStart, callee.name),
    (all) =>
      `(${place}${unit.direct(callee)}(${['T', ...all, ...remaining(body, callee, count)].join(', ')}))`,
  );
  return trusted || unit.analysis.async ? text : `${unit.helper('settled')}(${text})`;
}

/** The parameters a call leaves out: their defaults are known now, so nobody has to look for them in the run. */
function remaining(body: Body, callee: Callable | Method, count: number): string[] {
  if (!(callee instanceof Builtin || callee instanceof Method)) return [];
  return defaultsAfter(callee, count).map((value) =>
    value === undefined ? 'void 0' : value === null ? 'null' : body.unit.constant(value),
  );
}

/** How to recognise the types whose methods are known now, and one value of each to ask for them. */
const RECEIVERS = [
  { sample: '', test: (_: Body, x: string) => `typeof ${x} === 'string'` },
  { sample: new Dict(), test: (body: Body, x: string) => `${x} instanceof ${body.unit.helper('Dict')}` },
  { sample: new List([]), test: (body: Body, x: string) => `${x} instanceof ${body.unit.helper('List')}` },
  {
    sample: new StarSet(),
    test: (body: Body, x: string) => `${x} instanceof ${body.unit.helper('StarSet')}`,
  },
];

function methodCall(body: Body, e: Call, args: CallArguments): string | null {
  const dot = stripParens(e.callee);
  if (dot.kind !== 'dot' || args.star !== null || args.starStar !== null) return null;
  const { unit } = body;
  const name = unit.constant(dot.name);
  const known = args.names === null ? knownMethods(dot.name, args.values.length) : [];

  // An attribute that is not there is an error before any argument is evaluated.
  const needed = (object: string) => {
    const check = `(p = ${dot.dotStart}, ${unit.helper('needAttr')}(T, ${object}, ${name}))`;
    return [...known.map(({ test }) => test(body, object)), check].join(' || ');
  };
  const setup: string[] = [];
  let object = value(body, dot.object);
  const inLines = args.values.some((arg) => unit.needsLines(arg));
  if (inLines) {
    object = body.hold(object);
    body.line(`${needed(object)};`);
  } else object = atomFor(body, setup, object);
  const values = sequence(body, args.values);
  const checked = inLines || !values.every(isAtom);
  if (checked && !inLines) setup.push(needed(object));
  const late = !inLines && dot.name === 'get' && values.length === 2 ? emptyDict(args.values[1]!) : null;
  const atoms = values.map((text, i) => {
    if (late === null || i === 0) return atomFor(body, setup, text);
    // `x.get(key, {})`: paid for where it is written, and made where it is wanted.
    setup.push(`p = ${late.start}, (T.memory += ${DICT}) > T.maxMemory && T.outOfMemory()`);
    return `new ${unit.helper('Dict')}()`;
  });
  const inside = known.length === 0 ? 0 : body.insideBuiltin(e.openStart, dot.name);
  const cases = known.map(({ method, test }) => {
    if (method === DICT_GET)
      return `${test(body, object)} ? (p = ${inside}, ${dictGet(body, object, atoms)}) : `;
    const all = ['T', object, ...atoms, ...remaining(body, method, atoms.length)].join(', ');
    return `${test(body, object)} ? (p = ${inside}, ${unit.direct(method)}(${all})) : `;
  });
  const names = args.names === null ? 'null' : unit.constant(args.names);
  const slow = `${unit.helper('callMethod')}(T, ${e.openStart}, ${object}, ${name}, [${atoms.join(', ')}], ${names})`;
  const check = `p = ${dot.dotStart}, ${unit.helper('needAttr')}(T, ${object}, ${name}), `;
  setup.push(`${cases.join('')}(${checked ? '' : check}p = ${e.openStart}, ${slow})`);
  return `(${setup.join(', ')})`;
}

const DICT_GET = lookupMethod(new Dict(), 'get');

/** What `get` of a dict does, in line: policies call nothing more often. */
function dictGet(body: Body, object: string, [key, otherwise = 'null']: readonly string[]): string {
  const found = body.temp();
  return `(${found} = ${body.unit.helper('lookUp')}(T, ${object}, ${key})) === undefined ? ${otherwise} : ${found}`;
}

function emptyDict(e: Expr): Expr | null {
  const inner = stripParens(e);
  return inner.kind === 'dict' && inner.entries.length === 0 ? inner : null;
}

function knownMethods(
  name: string,
  count: number,
): { method: Method; test: (typeof RECEIVERS)[number]['test'] }[] {
  return RECEIVERS.flatMap(({ sample, test }) => {
    const method = lookupMethod(sample, name);
    return method !== undefined && count >= method.minArgs && count <= method.maxArgs
      ? [{ method, test }]
      : [];
  });
}

function anyCall(body: Body, e: Call, args: CallArguments): string {
  const { unit } = body;
  const extra = [args.star, args.starStar].filter((part) => part !== null);
  const [callee, ...values] = sequence(body, [e.callee, ...args.values, ...extra]);
  const plain = values.slice(0, args.values.length);
  if (extra.length > 0) {
    let next = args.values.length;
    const star = args.star === null ? 'void 0' : values[next++]!;
    const starStar = args.starStar === null ? 'void 0' : values[next]!;
    const names = args.names === null ? 'null' : unit.constant(args.names);
    return positioned(body, [callee!, ...plain, star, starStar], e.openStart, (all) => {
      const list = `[${all.slice(1, -2).join(', ')}]`;
      return `${unit.helper('callSpread')}(T, ${e.openStart}, ${all[0]}, ${list}, ${all.at(-2)}, ${all.at(-1)}, ${names})`;
    });
  }
  return positioned(body, [callee!, ...plain], e.openStart, ([fn, ...all]) => {
    const helper = args.names === null ? PLAIN_CALLS[all.length] : undefined;
    if (helper !== undefined) return `${unit.helper(helper)}(${['T', e.openStart, fn, ...all].join(', ')})`;
    const names = args.names === null ? 'null' : unit.constant(args.names);
    return `${unit.helper('call')}(T, ${e.openStart}, ${fn}, [${all.join(', ')}], ${names})`;
  });
}
