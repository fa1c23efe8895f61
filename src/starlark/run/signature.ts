/**
 * Built-ins, declared with the text of their signature: `builtin('sorted', 'iterable, /, *, key?, reverse=False', …)`. Arity,
 * binding, defaults and error messages all come from that text, and so do the types of the body's parameters.
 *
 *   x        required                   x?       optional, undefined when left out
 *   x=LIT    optional with a default    *xs      the other positional arguments, a Value[]
 *   /        only positional before     **kw     the other keyword arguments, a Map
 *   *        only keywords after
 */
import { Callable, type PositionalFn, type ReprWriter, typeName, type Value } from '../values/value.ts';
import { bindBuiltin, parseSignature, type Signature } from './parameters.ts';
import type { Thread } from './thread.ts';

export * from './want.ts';

/** What a body gets for each parameter of its signature, in order. */
export type ParamsOf<S extends string> = S extends ''
  ? []
  : S extends `${infer Head}, ${infer Rest}`
    ? [...ParamOf<Head>, ...ParamsOf<Rest>]
    : ParamOf<S>;

type ParamOf<P extends string> = P extends '/' | '*'
  ? []
  : P extends `**${string}`
    ? [keywords: ReadonlyMap<string, Value>]
    : P extends `*${string}`
      ? [rest: Value[]]
      : P extends `${string}?`
        ? [Value | undefined]
        : [Value];

type Result = Value | Promise<Value>;

export interface BuiltinFlags {
  /** It may return a promise: scripts that can reach it are compiled to await. */
  readonly async?: boolean;
  /** False for anything with an effect, or that reads state outside the script. */
  readonly pure?: boolean;
  /** How plain positional calls enter, for what is called so often that filling in defaults would be felt. */
  readonly direct?: PositionalFn;
}

/** The body as it is called: bound slots in, whatever their types. */
type Body = (thread: Thread, ...slots: unknown[]) => Result;

export class Builtin extends Callable {
  readonly type = 'builtin_function_or_method';
  readonly name: string;
  readonly signature: Signature;
  readonly minArgs: number;
  readonly maxArgs: number;
  readonly direct: PositionalFn;
  /** Like `direct`, for callers that supply what `leftOut` says as well. */
  readonly full: PositionalFn;
  readonly async: boolean;
  readonly pure: boolean;
  private readonly body: Body;

  constructor(name: string, signature: Signature, body: Body, flags: BuiltinFlags) {
    super();
    this.name = name;
    this.signature = signature;
    this.async = flags.async ?? false;
    this.pure = flags.pure ?? true;
    this.body = this.pure ? body : marking(body);
    this.minArgs = signature.minDirect;
    this.maxArgs = signature.maxDirect;
    this.direct = flags.direct ?? withDefaults(signature, this.body);
    this.full = flags.direct === undefined && isPlain(signature) ? this.body : this.direct;
  }

  override invoke(thread: Thread, args: Value[], names: readonly string[] | null): Result {
    return this.body(thread, ...bindBuiltin(this.name, this.signature, args, names));
  }

  override writeRepr(out: ReprWriter): void {
    out.text(`<built-in function ${this.name}>`);
  }
}

export function builtin<S extends string>(
  name: string,
  signature: S,
  body: (thread: Thread, ...args: ParamsOf<S>) => Result,
  flags: BuiltinFlags = {},
): Builtin {
  return new Builtin(name, parseSignature(signature), body as Body, flags);
}

/** A method of a built-in type: like a built-in, with the receiver as an argument of its own. */
export class Method {
  readonly name: string;
  readonly signature: Signature;
  /** Counted without the receiver. */
  readonly minArgs: number;
  readonly maxArgs: number;
  /** `direct(thread, self, a, b, …)` */
  readonly direct: PositionalFn;
  /** Like `direct`, for callers that supply what `leftOut` says as well. */
  readonly full: PositionalFn;
  readonly async: boolean;
  readonly pure: boolean;
  private readonly body: Body;

  constructor(name: string, signature: Signature, body: Body, flags: BuiltinFlags) {
    this.name = name;
    this.signature = signature;
    this.async = flags.async ?? false;
    this.pure = flags.pure ?? true;
    this.body = this.pure ? body : marking(body);
    this.minArgs = signature.minDirect;
    this.maxArgs = signature.maxDirect;
    this.direct = withReceiverAndDefaults(signature, this.body);
    this.full = isPlain(signature) ? this.body : this.direct;
  }

  invoke(thread: Thread, self: Value, args: Value[], names: readonly string[] | null): Result {
    return this.body(thread, self, ...bindBuiltin(this.name, this.signature, args, names));
  }

  /** The method as a value: `x.append`. */
  bind(self: Value): BoundMethod {
    return new BoundMethod(this, self);
  }
}

export function method<Self extends Value, S extends string>(
  name: string,
  signature: S,
  body: (thread: Thread, self: Self, ...args: ParamsOf<S>) => Result,
  flags: BuiltinFlags = {},
): Method {
  return new Method(name, parseSignature(signature), body as Body, flags);
}

export class BoundMethod extends Callable {
  readonly type = 'builtin_function_or_method';
  readonly name: string;
  readonly minArgs: number;
  readonly maxArgs: number;
  readonly direct: PositionalFn;
  readonly method: Method;
  readonly self: Value;

  constructor(bound: Method, self: Value) {
    super();
    this.method = bound;
    this.self = self;
    this.name = bound.name;
    this.minArgs = bound.minArgs;
    this.maxArgs = bound.maxArgs;
    this.direct = (thread, ...args) => bound.direct(thread, self, ...args);
  }

  override invoke(thread: Thread, args: Value[], names: readonly string[] | null): Result {
    return this.method.invoke(thread, this.self, args, names);
  }

  override writeRepr(out: ReprWriter): void {
    out.text(`<built-in method ${this.name} of ${typeName(this.self)} value>`);
  }
}

/** Counts the call on the thread: what ran is then no longer a function of its inputs. */
function marking(body: Body): Body {
  return (thread, ...slots) => {
    thread.impureCalls++;
    return body(thread, ...slots);
  };
}

/** Every slot is one ordinary parameter. */
function isPlain(signature: Signature): boolean {
  return signature.restSlot < 0 && !signature.keywords;
}

/** What `full` gets after `count` arguments by position: the defaults of the others, undefined where there is none. */
export function defaultsAfter(callee: Builtin | Method, count: number): readonly (Value | undefined)[] {
  return callee.full === callee.direct ? [] : callee.signature.defaults.slice(count);
}

const NO_KEYWORDS: ReadonlyMap<string, Value> = new Map();

/**
 * Missing arguments arrive as undefined; only a signature with stated defaults, or that collects arguments, needs a
 * function between.
 */
function withDefaults(signature: Signature, body: Body): PositionalFn {
  const { defaults, keywords } = signature;
  if (signature.restSlot === 0) {
    const tail = keywords ? [...defaults, NO_KEYWORDS] : defaults;
    const [x, y] = tail;
    if (tail.length > 2) return (thread, ...args) => body(thread, args, ...tail);
    return (thread, ...args) => body(thread, args, x, y);
  }
  if (keywords) return padding(defaults, body);
  return signature.hasDefaults ? filling(defaults, body) : body;
}

function withReceiverAndDefaults(signature: Signature, body: Body): PositionalFn {
  const { defaults, keywords } = signature;
  if (signature.restSlot === 0) {
    const tail = keywords ? [...defaults, NO_KEYWORDS] : defaults;
    const [x, y] = tail;
    if (tail.length > 2) return (thread, self, ...args) => body(thread, self, args, ...tail);
    return (thread, self, ...args) => body(thread, self, args, x, y);
  }
  if (keywords) return padding([undefined, ...defaults], body);
  return signature.hasDefaults ? filling([undefined, ...defaults], body) : body;
}

/** For a body that wants `**kwargs` after its other slots. */
function padding(d: readonly (Value | undefined)[], body: Body): PositionalFn {
  switch (d.length) {
    case 0:
      return (thread) => body(thread, NO_KEYWORDS);
    case 1:
      return (thread, a) => body(thread, valueOr(a, d[0]), NO_KEYWORDS);
    default:
      return (thread, ...args) => body(thread, ...d.map((each, i) => valueOr(args[i], each)), NO_KEYWORDS);
  }
}

function filling(d: readonly (Value | undefined)[], body: Body): PositionalFn {
  switch (d.length) {
    case 1:
      return (thread, a) => body(thread, a ?? valueOr(a, d[0]));
    case 2:
      return (thread, a, b) => body(thread, a ?? valueOr(a, d[0]), b ?? valueOr(b, d[1]));
    case 3:
      return (thread, a, b, c) =>
        body(thread, a ?? valueOr(a, d[0]), b ?? valueOr(b, d[1]), c ?? valueOr(c, d[2]));
    case 4:
      return (thread, a, b, c, e) =>
        body(thread, valueOr(a, d[0]), valueOr(b, d[1]), valueOr(c, d[2]), valueOr(e, d[3]));
    default:
      return (thread, ...args) => body(thread, ...d.map((each, i) => valueOr(args[i], each)));
  }
}

/** None is an argument; undefined is the want of one. */
function valueOr(value: Value | undefined, otherwise: Value | undefined): Value | undefined {
  return value === undefined ? otherwise : value;
}
