/**
 * The arguments of a tool call held against the tool's JSON Schema: the part of it that tools use, with messages a model
 * can act on. The check converts nothing; `coerced` does, before anybody judges the call. Keywords not listed here are not checked.
 */
import {
  Budget,
  type Compiled,
  clip,
  compileRegex,
  describeValue,
  didYouMean,
  isJsonObject,
  type Json,
  type JsonObject,
  MAX_PAYLOAD_NESTING,
  SMALL_BUDGET,
} from '../base/index.ts';

export type CheckedArguments =
  /** With the defaults of the schema filled in. */
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problems: readonly string[] };

/** More than a model can put right at once. */
const MOST_PROBLEMS = 10;
const MOST_CHOICES = 50;
/** Schemas inside one another, references followed: half of what the stack was seen to take. */
const MOST_DEPTH = 500;
/** What each value of a call adds to the work its check may take. */
const VISITS_A_VALUE = 20;

const TOO_COMPLEX = 'args cannot be checked: the parameters of this tool are too complex';

/** Whether everything that recurses over payloads, hooks and transcripts among it, can take these arguments. */
export function isTooDeep(args: JsonObject): boolean {
  return sizeOf(args) === null;
}

export function checkArguments(schema: JsonObject, given: JsonObject): CheckedArguments {
  const args = withDefaults(schema, given);
  const problems = problemsOf(schema, args, 'args', TOO_COMPLEX);
  return problems.length === 0 ? { ok: true, args } : { ok: false, problems };
}

/** What of a value does not fit a schema; `name` is what it is called in the messages. */
export function problemsOf(
  schema: JsonObject,
  value: Json,
  name: string,
  tooComplex = `${name} cannot be checked: its schema is too complex`,
): readonly string[] {
  const size = sizeOf(value);
  if (size === null) return [`${name} is nested deeper than ${MAX_PAYLOAD_NESTING} levels`];
  const budget = new Budget(SMALL_BUDGET + VISITS_A_VALUE * size);
  const check = new Check({ root: schema, budget, patterns: new Map(), depth: 0 }, MOST_PROBLEMS);
  check.value(schema, value, name);
  return budget.spent ? [tooComplex] : check.problems;
}

/**
 * The arguments with numbers and truth values that the model wrote as texts: `"3"` where the parameter is an integer. Only a text
 * that is that value in JSON, and only where the parameter can be nothing else.
 */
export function coerced(schema: JsonObject, given: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return given;
  const changed = Object.entries(given).flatMap(([name, text]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const type = isJsonObject(property) ? property.type : undefined;
    if (typeof text !== 'string' || (type !== 'integer' && type !== 'number' && type !== 'boolean'))
      return [];
    const value = PLAIN.test(text) ? (JSON.parse(text) as Json) : text;
    return isOfType(type, value) && String(value) === text ? [[name, value] as const] : [];
  });
  return changed.length === 0 ? given : { ...given, ...Object.fromEntries(changed) };
}

const PLAIN = /^(?:true|false|-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?)$/;

function withDefaults(schema: JsonObject, given: JsonObject): JsonObject {
  if (!isJsonObject(schema.properties)) return given;
  const missing = Object.entries(schema.properties).filter(
    ([name, property]) =>
      isJsonObject(property) && property.default !== undefined && !Object.hasOwn(given, name),
  );
  if (missing.length === 0) return given;
  return {
    ...given,
    ...Object.fromEntries(missing.map(([name, property]) => [name, (property as JsonObject).default!])),
  };
}

type Keyword = (check: Check, wanted: Json, value: Json, path: string, schema: JsonObject) => void;

/** One row a keyword. A row is only asked about values it is meant for; `type` says what is wrong with the others. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type(check, wanted, value, path) {
    const names = (Array.isArray(wanted) ? wanted : [wanted]) as readonly Json[];
    if (names.some((name) => isOfType(name, value))) return;
    check.say(`${path} is ${describeValue(value)} (want ${names.join(' or ')})`);
  },
  enum(check, wanted, value, path) {
    if (!Array.isArray(wanted) || wanted.some((choice: Json) => check.same(choice, value))) return;
    const texts = wanted.filter((choice): choice is string => typeof choice === 'string');
    const hint = typeof value === 'string' ? didYouMean(value, texts) : '';
    const some = wanted.slice(0, MOST_CHOICES).map((choice) => clip(JSON.stringify(choice), 100));
    const more = wanted.length > MOST_CHOICES ? ', …' : '';
    check.say(`${path} is ${describeValue(value)} (want one of ${some.join(', ')}${more})${hint}`);
  },
  const(check, wanted, value, path) {
    if (check.same(wanted, value)) return;
    check.say(`${path} is ${describeValue(value)} (want ${clip(JSON.stringify(wanted), 100)})`);
  },
  required(check, wanted, value, path, schema) {
    if (!Array.isArray(wanted) || !isJsonObject(value)) return;
    for (const name of wanted as readonly Json[]) {
      if (check.done) return;
      if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
      const known = isJsonObject(schema.properties) ? schema.properties : {};
      const strangers = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
      const near = strangers.find((key) => didYouMean(key, [name]) !== '');
      check.say(`${path}.${name} is missing${near === undefined ? '' : ` (got ${path}.${near})`}`);
    }
  },
  properties(check, wanted, value, path) {
    if (!isJsonObject(wanted) || !isJsonObject(value)) return;
    for (const [name, schema] of Object.entries(wanted)) {
      if (check.done) return;
      if (Object.hasOwn(value, name)) check.value(schema, value[name]!, `${path}.${name}`);
    }
  },
  additionalProperties(check, wanted, value, path, schema) {
    if (wanted === true || !isJsonObject(value)) return;
    const known = isJsonObject(schema.properties) ? schema.properties : {};
    for (const name of Object.keys(value)) {
      if (check.done) return;
      if (Object.hasOwn(known, name)) continue;
      if (wanted === false) check.say(`${path}.${name} is unknown${didYouMean(name, Object.keys(known))}`);
      else check.value(wanted, value[name]!, `${path}.${name}`);
    }
  },
  items(check, wanted, value, path) {
    if (!Array.isArray(value)) return;
    (value as readonly Json[]).forEach((item, place) => {
      check.value(wanted, item, `${path}[${place}]`);
    });
  },
  minItems: size(Array.isArray, 'items', (length, least) => length >= least, 'at least'),
  maxItems: size(Array.isArray, 'items', (length, most) => length <= most, 'at most'),
  minLength: size(isText, 'characters', (length, least) => length >= least, 'at least'),
  maxLength: size(isText, 'characters', (length, most) => length <= most, 'at most'),
  minimum: bound((value, limit) => value >= limit, 'at least'),
  maximum: bound((value, limit) => value <= limit, 'at most'),
  exclusiveMinimum: bound((value, limit) => value > limit, 'above'),
  exclusiveMaximum: bound((value, limit) => value < limit, 'below'),
  pattern(check, wanted, value, path) {
    if (typeof wanted !== 'string' || typeof value !== 'string') return;
    const regex = check.pattern(wanted);
    // A pattern RE2 cannot have is the tool author's, and no reason to refuse the call.
    if (regex.ok && !regex.test(value))
      check.say(`${path} is ${describeValue(value)} (want a match of ${wanted})`);
  },
  allOf(check, wanted, value, path) {
    if (Array.isArray(wanted))
      for (const schema of wanted as readonly Json[]) check.value(schema, value, path);
  },
  anyOf: alternatives((fitting) => fitting > 0, 'fits none of the forms it may have'),
  oneOf: alternatives((fitting) => fitting === 1, 'does not fit exactly one of the forms it may have'),
  $ref(check, wanted, value, path) {
    const target = typeof wanted === 'string' ? check.follow(wanted) : undefined;
    if (target !== undefined) check.value(target, value, path);
  },
};

/** The schema a local reference such as `#/$defs/path` stands for. */
export function followReference(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let schema: Json | undefined = root;
  for (const part of reference.slice(1).split('/').filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    schema = isJsonObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
  }
  return schema;
}

/** What a check and those inside it share. */
interface Run {
  readonly root: JsonObject;
  readonly budget: Budget;
  readonly patterns: Map<string, Compiled>;
  depth: number;
}

class Check {
  readonly problems: string[] = [];
  private readonly run: Run;
  private readonly most: number;

  constructor(run: Run, most: number) {
    this.run = run;
    this.most = most;
  }

  /** Enough has been said, or nothing more can be. */
  get done(): boolean {
    return this.problems.length >= this.most || this.run.budget.spent;
  }

  say(problem: string): void {
    if (!this.done) this.problems.push(problem);
  }

  value(schema: Json, value: Json, path: string): void {
    const { run } = this;
    if (schema === false) this.say(`${path} may not be given`);
    if (!isJsonObject(schema)) return;
    // A check that cannot go on refuses: what it did not look at may be anything.
    if (++run.depth > MOST_DEPTH) run.budget.spend(Number.POSITIVE_INFINITY);
    this.spend(schema);
    for (const [keyword, wanted] of Object.entries(schema)) {
      if (this.done) break;
      if (!Object.hasOwn(KEYWORDS, keyword)) continue;
      if (this.spend(wanted, value)) KEYWORDS[keyword]!(this, wanted, value, path, schema);
    }
    run.depth--;
  }

  /** What is long takes longer than one step, so it costs more than one. */
  private spend(...looked: readonly Json[]): boolean {
    return this.run.budget.spend(1 + (looked.reduce((sum: number, value) => sum + lengthOf(value), 0) >> 6));
  }

  /** Whether a value fits a schema, without saying why not. */
  fits(schema: Json, value: Json): boolean {
    const inner = new Check(this.run, 1);
    inner.value(schema, value, '');
    return inner.problems.length === 0;
  }

  follow(reference: string): Json | undefined {
    return followReference(this.run.root, reference);
  }

  pattern(written: string): Compiled {
    const { patterns } = this.run;
    const compiled = patterns.get(written) ?? compileRegex(written);
    patterns.set(written, compiled);
    return compiled;
  }

  /** Whether two values are equal, in whatever order their keys are. */
  same(a: Json | undefined, b: Json | undefined): boolean {
    if (a === b) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b) || !this.run.budget.spend()) return false;
    const [one, other] = [a as JsonObject, b as JsonObject];
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && this.same(one[key], other[key]))
    );
  }
}

function lengthOf(value: Json): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function alternatives(enough: (fitting: number) => boolean, message: string): Keyword {
  return (check, wanted, value, path) => {
    if (!Array.isArray(wanted)) return;
    const fitting = (wanted as readonly Json[]).filter((schema) => check.fits(schema, value));
    if (!enough(fitting.length)) {
      check.say(`${path} is ${describeValue(value)}: it ${message}`);
    }
  };
}

function size(
  applies: (value: unknown) => boolean,
  what: string,
  holds: (length: number, limit: number) => boolean,
  words: string,
): Keyword {
  return (check, wanted, value, path) => {
    if (typeof wanted !== 'number' || !applies(value)) return;
    const { length } = typeof value === 'string' ? [...value] : (value as readonly Json[]);
    if (!holds(length, wanted)) check.say(`${path} has ${length} ${what} (want ${words} ${wanted})`);
  };
}

function bound(holds: (value: number, limit: number) => boolean, words: string): Keyword {
  return (check, wanted, value, path) => {
    if (typeof wanted !== 'number' || typeof value !== 'number' || holds(value, wanted)) return;
    check.say(`${path} is ${value} (want ${words} ${wanted})`);
  };
}

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  string: isText,
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/** A type nobody knows is the tool author's affair. */
function isOfType(name: Json, value: Json): boolean {
  return typeof name !== 'string' || !Object.hasOwn(TYPES, name) || TYPES[name]!(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/**
 * How many values there are, long texts counting for more; null if they are nested too deeply. Walks level by level: what
 * goes too deep must not end in a stack overflow here.
 */
function sizeOf(root: Json): number | null {
  let size = 0;
  let level: readonly Json[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_PAYLOAD_NESTING) return null;
    const next: Json[] = [];
    for (const value of level) {
      size += typeof value === 'string' ? 1 + (value.length >> 6) : 1;
      if (typeof value === 'object' && value !== null)
        for (const inner of Object.values(value)) next.push(inner);
    }
    level = next;
  }
  return size;
}
