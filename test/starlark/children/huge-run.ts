/**
 * Calls every built-in, method and operator with huge arguments under limits and prints how each ended. An exception that
 * is no Starlark error, or a result that took more than it was charged for, ends the process with code 1.
 */
import { getHeapStatistics } from 'node:v8';
import {
  compile,
  SourceFile,
  StarlarkError,
  Thread,
  UNIVERSE,
  type Value,
} from '../../../src/exports/starlark.ts';
import { modules } from '../environment.ts';

const LIMITS = { steps: 2_000_000, memory: 60_000_000, depth: 100, intBits: 65_536 };
/** A single call may take this long on a machine that is busy with other things; the limits allow far less. */
const CPU_SECONDS = 10;

const PRELUDE = `
text = "ab" * 500000
words = "a b " * 100000
lines = "x\\n" * 200000
digits = "9" * 19000
spaces = " " * 500000
data = b"ab" * 500000
long = [0] * 200000
strings = ["ab"] * 100000
pairs = [("k", 1)] * 50000
big_tuple = (1,) * 200000
far = range(1000000000)
table = {i: i for i in range(20000)}
names = {"n%d" % i: i for i in range(20000)}
many = set(range(20000))
number = int(digits)
negative = -number
million = 1000000
billion = 1000000000
tiny = 1e-308
great = 1.7e308
key = lambda x: x
`;
const ARGUMENTS =
  'text words lines digits spaces data long strings pairs big_tuple far table names many number negative million billion great key'.split(
    ' ',
  );
/** Paired with every first argument, to keep the number of calls in hand. */
const SECOND = 'text "a" long million number -1'.split(' ');
const RECEIVERS = ['text', 'words', 'lines', 'data', 'long', 'strings', 'table', 'names', 'many', 'far'];
const OPERATORS = ['+', '-', '*', '/', '//', '%', '&', '|', '^', '<<', '>>', '==', '<', '>=', 'in', 'not in'];

function expressions(): string[] {
  const calls: string[] = [];
  for (const [name, value] of UNIVERSE) {
    if (typeof value !== 'object' || value === null || name === 'fail') continue;
    calls.push(...argumentLists().map((args) => `${name}(${args})`));
  }
  for (const module of ['json', 'math', 're', 'time']) {
    for (const name of memberNames(module))
      calls.push(...argumentLists().map((args) => `${module}.${name}(${args})`));
  }
  for (const receiver of RECEIVERS) {
    for (const name of memberNames(receiver))
      calls.push(...argumentLists().map((args) => `${receiver}.${name}(${args})`));
  }
  for (const a of ARGUMENTS)
    for (const op of OPERATORS) for (const b of ARGUMENTS) calls.push(`${a} ${op} ${b}`);
  for (const a of ARGUMENTS)
    calls.push(`-${a}`, `~${a}`, `not ${a}`, `${a}[::-1]`, `${a}[1:]`, `${a}[million]`, `${a}[number]`);
  calls.push(...SPECIAL);
  return calls;
}

const SPECIAL = [
  'text.replace("a", text)',
  'text.replace("", text)',
  'text.join(strings)',
  '("%s" * 10000) % tuple([text] * 10000)',
  '("{0}" * 100000).format(text)',
  '("{}" * 100000).format(*strings)',
  '"%d" % number',
  '"%x" % number',
  '"%f" % great',
  '"%s" % long',
  'text.split("")',
  'text.split("a")',
  'words.split()',
  'words.rsplit(None, million)',
  'max(*long)',
  'zip(*[long] * 1000)',
  'dict(**names)',
  'struct(**names)',
  'struct(f = long)',
  '[x for x in far]',
  '{x: x for x in far}',
  '[x for x in long for y in long]',
  'int(digits)',
  'int(digits, 36)',
  'int("f" * 1000000, 16)',
  'number * number',
  'number // 3 * number',
  'str(number)',
  'float(number)',
  'math.pow(great, great)',
  're.search("(a+)+c", text)',
  're.findall("a", text)',
  're.split("a", text)',
  're.replace("a", text, text)',
  're.search("(((a{1,100}){1,10}){1,10})", text)',
  're.search("a" * 100000, text)',
  're.search("(" * 10000, text)',
  're.search("|".join(strings), text)',
  'json.decode("[" * 100000)',
  'json.decode("9" * 1000000)',
  'json.decode(json.encode(long))',
  'json.encode([text] * 100000)',
  'json.indent("[" + "1," * 100000 + "1]")',
  'sorted(far)',
  'sorted(strings, key = lambda s: text)',
  'sorted([text] * 1000)',
  'list(table.items()) * 1000',
  'text.elems()',
  'list(text.elems())',
  'long == [0] * 200000',
  'hash(text)',
  '{text: 1}[text]',
  '{big_tuple: 1}',
];

function argumentLists(): string[] {
  return [
    '',
    ...ARGUMENTS,
    ...ARGUMENTS.flatMap((a) => SECOND.map((b) => `${a}, ${b}`)),
    'text, "a", text',
    '"a", text, million',
    'long, million, number',
  ];
}

const environment = new Map<string, Value>(modules());

function evaluate(source: string, backend: 'js' | 'closures'): Value {
  const compiled = compile(new SourceFile('huge.star', source), { environment, backend });
  if (!compiled.ok) throw new Error(`${source}: ${compiled.errors[0]!.message}`);
  const module = compiled.program.run(new Thread({ limits: LIMITS })) as {
    globals: ReadonlyMap<string, Value>;
  };
  return module.globals.get('result') ?? null;
}

function memberNames(expression: string): string[] {
  const names = evaluate(`${PRELUDE}result = dir(${expression})\n`, 'closures') as unknown as {
    items: Value[];
  };
  return names.items.map(String).filter((name) => !['pi', 'e'].includes(name));
}

/** The prelude's values, made once and frozen, are predeclared to every call. */
function prepare(): void {
  const compiled = compile(new SourceFile('prelude.star', PRELUDE), { environment });
  if (!compiled.ok) throw new Error(compiled.errors[0]!.message);
  const module = compiled.program.run(new Thread()) as { globals: ReadonlyMap<string, Value> };
  for (const [name, value] of module.globals) environment.set(name, value);
}

const share = Number(process.argv[2]);
const shares = Number(process.argv[3]);
const all = expressions();
prepare();
const counts = new Map<string, number>();
let failed = false;
all.forEach((expression, i) => {
  if (i % shares !== share) return;
  const before = process.cpuUsage();
  let ending: string;
  try {
    evaluate(`def run():\n    return ${expression}\nresult = type(run())\n`, i % 2 === 0 ? 'js' : 'closures');
    ending = 'value';
  } catch (error) {
    ending = error instanceof StarlarkError ? error.kind : 'host';
    if (ending === 'host') console.log(`HOST EXCEPTION ${expression}: ${String(error)}`);
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  if (ending === 'host' || seconds > CPU_SECONDS) {
    failed = true;
    console.log(`FAILED ${expression}: ${ending} after ${seconds} s`);
  } else if (seconds > 1) console.log(`slow ${expression}: ${ending} after ${seconds.toFixed(1)} s`);
  counts.set(ending, (counts.get(ending) ?? 0) + 1);
});
const heap = Math.round(getHeapStatistics().total_heap_size / 1e6);
console.log(`done ${[...counts].map(([ending, count]) => `${ending}=${count}`).join(' ')} heap=${heap}MB`);
process.exitCode = failed ? 1 : 0;
