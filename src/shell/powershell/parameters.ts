/** Arguments of a command of PowerShell, put in order by the parameters of its row: as words of a program. */
import { type Field, knownField } from '../known/values.ts';
import { CMDLETS, type Cmdlet, COMMON } from './cmdlets.ts';
import { COMMA, slashed } from './nodes.ts';

interface Parameter {
  readonly name: string;
  /** `1`, `2+`, `2:-d`, `-r`, `-o:`, `:`, or a word that run.ts asks for. */
  readonly role: string;
}

interface Read {
  readonly cmdlet: Cmdlet;
  readonly parameters: readonly Parameter[];
}

const COMMONS = parametersIn(COMMON);
const READ = new Map<string, Read>();
const BY_NAME = new Map<string, Cmdlet>(
  CMDLETS.flatMap((cmdlet) => cmdlet.names.split(' ').map((name) => [name, cmdlet] as const)),
);

function parametersIn(text: string): readonly Parameter[] {
  return text
    .split(/\s+/)
    .filter((each) => each !== '')
    .map((each) => {
      const equals = each.indexOf('=');
      return { name: each.slice(0, equals), role: each.slice(equals + 1) };
    });
}

export function cmdletNamed(name: string): Read | undefined {
  let read = READ.get(name);
  const cmdlet = BY_NAME.get(name);
  if (read === undefined && cmdlet !== undefined) {
    read = { cmdlet, parameters: parametersIn(cmdlet.takes ?? '') };
    READ.set(name, read);
  }
  return read;
}

/** What was given to a command. */
export interface GivenArguments {
  /** By place: operands in the order in which the program takes them. */
  readonly operands: ReadonlyMap<number, readonly Field[]>;
  /** Options of the program. */
  readonly options: readonly Field[];
  /** Parameters with a role of their own. */
  readonly named: ReadonlyMap<string, readonly Field[]>;
  /** A parameter that the row does not have. */
  readonly strange: boolean;
}

/** The elements of each argument. */
export function argumentsIn(words: readonly Field[]): readonly (readonly Field[])[] {
  const groups: Field[][] = [];
  let joins = false;
  for (const word of words) {
    if (word.text === COMMA) joins = true;
    else {
      if (joins && groups.length > 0) groups.at(-1)!.push(word);
      else groups.push([word]);
      joins = false;
    }
  }
  return groups;
}

/** A place among the operands: one word, this and further ones, or the value of an option. */
const POSITION = /^(\d)(\+|:-\S+)?$/;
const NAME = /^[-\u2013\u2014\u2015](?!\d)([A-Za-z?]\w*)(:?)/;

export function readParameters(read: Read, groups: readonly (readonly Field[])[]): GivenArguments {
  const operands = new Map<number, Field[]>();
  const named = new Map<string, Field[]>();
  const options: Field[] = [];
  const positional: (readonly Field[])[] = [];
  let strange = false;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    const word = group[0]!;
    const found = NAME.exec(word.text);
    if (found === null || !(word.known || found[2] === ':')) {
      positional.push(group);
      continue;
    }
    const role = roleOf(read, found[1]!.toLowerCase());
    if (role === null) {
      strange = true;
      continue;
    }
    const fillPositions = POSITION.exec(role)?.[1];
    const takes = fillPositions !== undefined || role.endsWith(':');
    const attached = word.text.slice(found[0].length);
    let values: readonly Field[] = [];
    if (found[2] === ':' && attached !== '') values = [{ ...word, text: attached }, ...group.slice(1)];
    else if (takes && groups[i + 1] !== undefined) values = groups[++i]!;
    if (!takes && /^(?:false|0)$/i.test(values[0]?.text ?? '')) continue;
    if (fillPositions !== undefined)
      operands.set(Number(fillPositions), [...(operands.get(Number(fillPositions)) ?? []), ...values]);
    else if (role.startsWith('-')) {
      options.push(knownField(role.replace(/:$/, '')));
      if (takes) options.push(...values.slice(0, 1));
    } else if (role !== '' && role !== ':') named.set(role.replace(/:$/, ''), [...values]);
  }
  place(read, positional, operands);
  for (const { role } of read.parameters) {
    const [, number, option] = /^(\d):(-\S+)$/.exec(role) ?? [];
    const value = operands.get(Number(number))?.[0];
    if (option === undefined || value === undefined) continue;
    options.push(knownField(option), value);
    operands.delete(Number(number));
  }
  return { operands, options, named, strange };
}

/** Arguments without a name fill the places that are left; the last one what comes last, as in `cp a b folder`. */
function place(read: Read, positional: readonly (readonly Field[])[], operands: Map<number, Field[]>): void {
  const roles = read.parameters.map(({ role }) => POSITION.exec(role)).filter((each) => each !== null);
  const left = [...new Set(roles.map((role) => Number(role[1])))]
    .sort((a, b) => a - b)
    .filter((number) => !operands.has(number));
  const takesMore = new Set(roles.filter((role) => role[2] === '+').map((role) => Number(role[1])));
  const rest = [...positional];
  for (const [at, number] of left.entries()) {
    const behind = left.length - at - 1;
    const count = takesMore.has(number) ? Math.max(1, rest.length - behind) : 1;
    const own = rest.splice(0, count).flat();
    if (own.length > 0) operands.set(number, own);
  }
  const first = left[0] ?? 1;
  if (rest.length > 0) operands.set(first, [...(operands.get(first) ?? []), ...rest.flat()]);
}

/** By its name or an unambiguous beginning of it; of an ambiguous one the first. Null if there is none. */
function roleOf({ parameters }: Read, name: string): string | null {
  const all = [...parameters, ...COMMONS];
  const exact = all.find((each) => each.name === name);
  return (exact ?? all.find((each) => each.name.startsWith(name)))?.role ?? null;
}

/** A path as programs of the table have it. */
export function pathField(field: Field): Field {
  const text = slashed(field.text);
  return text === field.text ? field : { ...field, text };
}
