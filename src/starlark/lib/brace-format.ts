/**
 * `"…{}…".format(…)`: replacement fields by position, number or keyword, with `!r` and `!s`. No attribute access, no
 * indexing, no format specifications: a field can only ever name an argument.
 */
import { fail } from '../run/errors.ts';
import type { Thread } from '../run/thread.ts';
import { repr, str } from '../values/repr.ts';
import type { Value } from '../values/value.ts';

/** Which way the fields without a keyword choose their argument; one format string may not use both. */
type Numbering = 'automatic' | 'manual';

const DECIMAL = /^[0-9]+$/;
const BRACE = /[{}]/g;

export function braceFormat(
  thread: Thread,
  format: string,
  args: readonly Value[],
  keyword: (name: string) => Value | undefined,
): string {
  thread.spend(1 + (format.length >> 4));
  let out = '';
  let numbering: Numbering | null = null;
  let next = 0;

  const append = (text: string): void => {
    thread.charge(text.length);
    out += text;
  };

  const positional = (wanted: Numbering, index: number): Value => {
    if (numbering !== null && numbering !== wanted) fail(SWITCHED[wanted]);
    numbering = wanted;
    return index < args.length ? args[index]! : fail('format: tuple index out of range');
  };

  const argument = (name: string): Value => {
    if (name === '') return positional('automatic', next++);
    if (DECIMAL.test(name)) return positional('manual', Number(name));
    const value = keyword(name);
    return value === undefined ? missing(name) : value;
  };

  let at = 0;
  for (;;) {
    BRACE.lastIndex = at;
    const brace = BRACE.exec(format)?.index ?? format.length;
    append(format.slice(at, brace));
    if (brace === format.length) return out;
    const doubled = format[brace + 1] === format[brace];
    if (doubled) {
      append(format[brace]!);
      at = brace + 2;
      continue;
    }
    if (format[brace] === '}') fail("format: single '}' in format");
    const end = format.indexOf('}', brace);
    if (end === -1) fail("format: unmatched '{' in format");
    const { name, conversion } = parseField(format.slice(brace + 1, end));
    const value = argument(name);
    append(conversion === 'r' ? repr(value, thread) : str(value, thread));
    at = end + 1;
    thread.spend(1);
  }
}

const SWITCHED: Readonly<Record<Numbering, string>> = {
  automatic: 'format: cannot switch from manual field specification to automatic field numbering',
  manual: 'format: cannot switch from automatic field numbering to manual field specification',
};

/** `name`, `name!conversion`, `name:spec` or `name!conversion:spec`. */
function parseField(field: string): { name: string; conversion: string } {
  const name = /^[^!:]*/.exec(field)![0];
  const rest = field.slice(name.length);
  let conversion = 's';
  let spec = rest.slice(1);
  if (rest.startsWith('!')) {
    const colon = rest.indexOf(':');
    conversion = colon === -1 ? rest.slice(1) : rest.slice(1, colon);
    spec = colon === -1 ? '' : rest.slice(colon + 1);
  }
  if (name.includes('{')) fail('format: nested replacement fields not supported');
  if (spec !== '') fail(`format: format spec features not supported in replacement fields: ${spec}`);
  if (conversion !== 's' && conversion !== 'r')
    fail(`format: unknown conversion ${JSON.stringify(conversion)}`);
  return { name, conversion };
}

/** Says what is wrong with a name that no argument has. */
function missing(name: string): never {
  if (name.includes('.'))
    fail(`format: attribute syntax x.y is not supported in replacement fields: ${name}`);
  if (name.includes('[')) fail(`format: element syntax a[i] is not supported in replacement fields: ${name}`);
  fail(`format: keyword ${name} not found`);
}
