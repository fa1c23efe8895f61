/**
 * The arguments of a tool call held against the tool's JSON Schema: the part of it that tools use, with messages a model
 * can act on. Nothing is converted: a text is never taken for a number. Keywords not listed here are not checked.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { MAX_PAYLOAD_NESTING } from '../../base/json-text.ts';
import { didYouMean } from '../../base/spelling.ts';
import { compileRegex } from '../../match/regex.ts';

export type CheckedArguments =
  /** With the defaults of the schema filled in. */
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problems: readonly string[] };

/** More than a model can put right at once. */
const MOST_PROBLEMS = 10;
/** References that lead to each other would be followed for ever. */
const MOST_REFERENCES = 64;

/** Whether everything that recurses over payloads, hooks and transcripts among it, can take these arguments. */
export function isTooDeep(args: JsonObject): boolean {
  return deeperThan(args, MAX_PAYLOAD_NESTING);
}

export function checkArguments(schema: JsonObject, given: JsonObject): CheckedArguments {
  if (isTooDeep(given)) {
    return { ok: false, problems: [`args is nested deeper than ${MAX_PAYLOAD_NESTING} levels`] };
  }
  const args = withDefaults(schema, given);
  const check = new Check(schema);
  check.value(schema, args, 'args');
  const problems = check.problems.slice(0, MOST_PROBLEMS);
  return problems.length === 0 ? { ok: true, args } : { ok: false, problems };
}

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
    check.say(`${path} is ${shown(value)} (want ${names.join(' or ')})`);
  },
  enum(check, wanted, value, path) {
    if (!Array.isArray(wanted) || wanted.some((choice: Json) => same(choice, value))) return;
    const texts = wanted.filter((choice): choice is string => typeof choice === 'string');
    const hint = typeof value === 'string' ? didYouMean(value, texts) : '';
    check.say(
      `${path} is ${shown(value)} (want one of ${wanted.map((c) => JSON.stringify(c)).join(', ')})${hint}`,
    );
  },
  const(check, wanted, value, path) {
    if (!same(wanted, value)) check.say(`${path} is ${shown(value)} (want ${JSON.stringify(wanted)})`);
  },
  required(check, wanted, value, path, schema) {
    if (!Array.isArray(wanted) || !isJsonObject(value)) return;
    for (const name of wanted as readonly Json[]) {
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
      if (Object.hasOwn(value, name)) check.value(schema, value[name]!, `${path}.${name}`);
    }
  },
  additionalProperties(check, wanted, value, path, schema) {
    if (wanted === true || !isJsonObject(value)) return;
    const known = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      if (wanted === false) check.say(`${path}.${name} is unknown${didYouMean(name, known)}`);
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
    const regex = compileRegex(wanted);
    // A pattern RE2 cannot have is the tool author's, and no reason to refuse the call.
    if (regex.ok && !regex.test(value)) check.say(`${path} is ${shown(value)} (want a match of ${wanted})`);
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

class Check {
  readonly problems: string[] = [];
  private readonly root: JsonObject;
  private references = 0;

  constructor(root: JsonObject) {
    this.root = root;
  }

  say(problem: string): void {
    this.problems.push(problem);
  }

  value(schema: Json, value: Json, path: string): void {
    if (schema === false) this.say(`${path} may not be given`);
    if (!isJsonObject(schema) || this.problems.length >= MOST_PROBLEMS) return;
    for (const [keyword, wanted] of Object.entries(schema)) {
      if (Object.hasOwn(KEYWORDS, keyword)) KEYWORDS[keyword]!(this, wanted, value, path, schema);
    }
  }

  /** Whether a value fits a schema, without saying why not. */
  fits(schema: Json, value: Json): string[] {
    const inner = new Check(this.root);
    inner.references = this.references;
    inner.value(schema, value, '');
    return inner.problems;
  }

  /** The schema a local reference such as `#/$defs/path` stands for. */
  follow(reference: string): Json | undefined {
    if (!reference.startsWith('#') || ++this.references > MOST_REFERENCES) return undefined;
    let schema: Json | undefined = this.root;
    for (const part of reference.slice(1).split('/').filter(Boolean)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      schema = isJsonObject(schema) && Object.hasOwn(schema, name) ? schema[name] : undefined;
    }
    return schema;
  }
}

function alternatives(enough: (fitting: number) => boolean, message: string): Keyword {
  return (check, wanted, value, path) => {
    if (!Array.isArray(wanted)) return;
    const attempts = (wanted as readonly Json[]).map((schema) => check.fits(schema, value));
    if (!enough(attempts.filter((problems) => problems.length === 0).length)) {
      check.say(`${path} is ${shown(value)}: it ${message}`);
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

/** What stands there, as a person calls it: short values as they are, others by their kind. */
function shown(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  const text = JSON.stringify(value);
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return typeof value === 'string'
    ? `the text ${short}`
    : value === null
      ? 'null'
      : `the ${typeof value} ${short}`;
}

function same(a: Json, b: Json): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/** Walks with a stack of its own: what goes too deep must not end in a stack overflow here. */
function deeperThan(root: Json, limit: number): boolean {
  let level: Json[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((value) =>
      Array.isArray(value) ? (value as Json[]) : isJsonObject(value) ? Object.values(value) : [],
    );
    level = level.filter((value) => typeof value === 'object' && value !== null);
  }
  return false;
}
