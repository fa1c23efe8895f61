/**
 * What is wrong in a file, as a sentence: "must be X; got Y" with the words of the file's format and the nearest name.
 */
import {
  describeValue,
  didYouMean,
  type ErrorCode,
  expectationOf,
  type Fault,
  hintFor,
  pathText,
  type Tree,
} from '../base/index.ts';

/** How a format is talked about. */
export interface Dialect {
  /** What it calls a map, and what it calls null. */
  readonly map: string;
  readonly nothing: string;
  /** `when:` with nothing after it is the same as no `when`. */
  readonly emptyIsAbsent: boolean;
  readonly missing: (at: FieldLocation) => string;
  readonly unknown: (at: FieldLocation) => string;
  readonly wrong: (at: FieldLocation, wanted: string, got: string) => string;
}

/** `hooks[0].when`: the whole path, and apart the map and the key in it. */
interface FieldLocation {
  readonly whole: string;
  readonly map: string;
  readonly key: string;
}

export const YAML: Dialect = {
  map: 'a map',
  nothing: 'nothing',
  emptyIsAbsent: true,
  missing: ({ whole }) => `${whole} is required`,
  unknown: ({ whole }) => `unknown field ${whole} is ignored`,
  wrong: ({ whole }, wanted, got) => `${whole} must be ${wanted}; got ${got}`,
};

/** JSON, and TOML, which has no null. */
export const JSON_FILE: Dialect = {
  map: 'an object',
  nothing: 'null',
  emptyIsAbsent: false,
  missing: ({ map, key }) => `${map}: ${key} is missing`,
  unknown: ({ map, key }) => `${map}: unknown key ${JSON.stringify(key)}`,
  wrong: ({ whole }, wanted, got) => `${whole}: wanted ${wanted}, got ${got}`,
};

interface Sentence {
  readonly code: ErrorCode;
  readonly text: (fault: Fault, at: FieldLocation, dialect: Dialect) => string;
}

const SENTENCES: Readonly<Record<Fault['kind'], Sentence>> = {
  missing: { code: 'FIELD_MISSING', text: (_fault, at, dialect) => dialect.missing(at) },
  wrong: {
    code: 'FIELD_TYPE',
    text: ({ field, value }, at, dialect) =>
      dialect.wrong(at, expectationOf(field, value, dialect.map), gotOf(value, dialect)) +
      hintFor(field, value),
  },
  'too complex': {
    code: 'FIELD_TYPE',
    text: (_fault, { whole }) =>
      `too complex: more values than can be checked, the last one looked at is ${whole}`,
  },
  unknown: {
    code: 'FIELD_UNKNOWN',
    text: ({ field }, at, dialect) =>
      (field.otherKeys === 'refused' ? `there is no ${at.whole}` : dialect.unknown(at)) +
      didYouMean(at.key, Object.keys(field.fields ?? {})),
  },
  odd: {
    code: 'FIELD_TYPE',
    text: ({ field, value }, { whole }) => `${whole}: ${field.odd?.(value as number)}`,
  },
  ignored: {
    code: 'FIELD_UNKNOWN',
    text: ({ field }, { whole }) => `${whole} is not honoured: ${field.ignored}`,
  },
};

/** The code and the sentence; `prefix` is where the checked value stands: empty, or `hooks[2].` */
export function faultText(
  fault: Fault,
  prefix: string,
  dialect: Dialect,
): { code: ErrorCode; message: string } {
  const { code, text } = SENTENCES[fault.kind];
  const at = {
    whole: prefix + pathText(fault.path),
    map: (prefix + pathText(fault.path.slice(0, -1))).replace(/\.$/, ''),
    key: String(fault.path.at(-1) ?? ''),
  };
  return { code, message: text(fault, at, dialect) };
}

/** How a person calls what stands there: `a list`, `the number 4`. */
export function describe(tree: Tree, dialect = YAML): string {
  return tree.kind === 'scalar' ? gotOf(tree.value, dialect) : tree.kind === 'map' ? dialect.map : 'a list';
}

function gotOf(value: unknown, { map, nothing }: Dialect): string {
  if (value === null) return nothing;
  return typeof value === 'object' && !Array.isArray(value) ? map : describeValue(value);
}
