/**
 * What `shell.parse` returns: a reading of a command and its commands as values that scripts can look at and not change.
 * Fields are made when they are read, and charged then.
 */
import { didYouMean } from '../../base/index.ts';
import {
  type Command,
  type CommandReading,
  type Effect,
  type EffectPath,
  effectsIn,
  inZone,
  type RunLocation,
  sentencesFor,
  ZONE_NAMES,
} from '../../shell/index.ts';
import {
  BOUND_METHOD,
  ENTRY,
  fail,
  LIST,
  List,
  listBytes,
  type Method,
  method,
  type ReprWriter,
  STRUCT_SIZE,
  StarObject,
  Struct,
  type Thread,
  textBytes,
  type Value,
  wantSmallInt,
  wantString,
} from '../../starlark/index.ts';

/** A value with two references. */
const WRAPPED = 64;

export class ShellReading extends StarObject {
  readonly type = 'shell.reading';
  readonly reading: CommandReading;
  /** Where the command runs, which decides the zones of its paths. */
  readonly place: RunLocation;
  private readonly wrapped: Map<Command, ShellCommandValue>;
  private readonly known = new Map<string, Value>();

  constructor(thread: Thread, reading: CommandReading, place: RunLocation) {
    super();
    this.place = place;
    thread.charge(2 * WRAPPED + (WRAPPED + ENTRY) * reading.commands.length);
    this.reading = reading;
    this.wrapped = new Map(
      reading.commands.map((command) => [command, new ShellCommandValue(this, command)]),
    );
  }

  of(command: Command): ShellCommandValue {
    return this.wrapped.get(command)!;
  }

  override attr(name: string, thread: Thread | null = null): Value | undefined {
    return fieldOf(READING_FIELDS, this, this.known, name, thread);
  }

  override attrNames(): readonly string[] {
    return [...READING_FIELDS.keys()];
  }

  override writeRepr(out: ReprWriter): void {
    out.text(`shell.reading(${this.reading.commands.length} commands`);
    if (!this.reading.complete) out.text(', not complete');
    out.text(')');
  }
}

export class ShellCommandValue extends StarObject {
  readonly type = 'shell.command';
  readonly within: ShellReading;
  readonly command: Command;
  private readonly known = new Map<string, Value>();

  constructor(within: ShellReading, command: Command) {
    super();
    this.within = within;
    this.command = command;
  }

  override attr(name: string, thread: Thread | null = null): Value | undefined {
    const bound = COMMAND_METHODS.get(name);
    if (bound === undefined) return fieldOf(COMMAND_FIELDS, this, this.known, name, thread);
    thread?.charge(BOUND_METHOD);
    return bound.bind(this);
  }

  override attrNames(): readonly string[] {
    return [...COMMAND_FIELDS.keys(), ...COMMAND_METHODS.keys()];
  }

  override writeRepr(out: ReprWriter): void {
    out.text('shell.command(');
    out.value(this.command.text);
    out.text(')');
  }
}

/** Of one effect: paths are put into their zones. */
const STEPS_PER_EFFECT = 8;

export class ShellEffectValue extends StarObject {
  readonly type = 'shell.effect';
  readonly within: ShellReading;
  readonly effect: Effect;
  private readonly known = new Map<string, Value>();

  constructor(within: ShellReading, effect: Effect) {
    super();
    this.within = within;
    this.effect = effect;
  }

  override attr(name: string, thread: Thread | null = null): Value | undefined {
    const bound = EFFECT_METHODS.get(name);
    if (bound === undefined) return fieldOf(EFFECT_FIELDS, this, this.known, name, thread);
    thread?.charge(BOUND_METHOD);
    return bound.bind(this);
  }

  override attrNames(): readonly string[] {
    return [...EFFECT_FIELDS.keys(), ...EFFECT_METHODS.keys()];
  }

  override writeRepr(out: ReprWriter): void {
    const { kind, verb } = this.effect;
    out.text(`shell.effect(${verb === '' ? kind : `${kind} ${verb}`})`);
  }
}

type Fields<T> = ReadonlyMap<string, (self: T, thread: Thread | null) => Value>;

/** Made once for each value: a script that reads a field again pays for reading it, not for making it. */
function fieldOf<T>(
  fields: Fields<T>,
  self: T,
  known: Map<string, Value>,
  name: string,
  thread: Thread | null,
): Value | undefined {
  const make = fields.get(name);
  if (make === undefined) return undefined;
  let value = known.get(name);
  if (value === undefined) {
    value = make(self, thread);
    if (value instanceof StarObject) known.set(name, value);
  }
  return value;
}

function frozen(thread: Thread | null, items: Value[]): List {
  thread?.charge(ENTRY + listBytes(items.length));
  thread?.spend(1 + items.length);
  const list = new List(items);
  list.frozen = true;
  return list;
}

/** A frozen view: the strings are those of the reading. */
function strings(pick: (command: Command) => readonly string[]) {
  return (self: ShellCommandValue, thread: Thread | null): Value => {
    const items = pick(self.command);
    thread?.charge(ENTRY + LIST);
    thread?.spend(1 + items.length);
    return List.view(items);
  };
}

function record(thread: Thread | null, fields: Readonly<Record<string, Value>>): Struct {
  const entries = Object.entries(fields);
  thread?.charge(STRUCT_SIZE + ENTRY * entries.length);
  return new Struct(entries);
}

function records<T>(pick: (command: Command) => readonly T[], show: (each: T) => Record<string, Value>) {
  return (self: ShellCommandValue, thread: Thread | null): Value =>
    frozen(
      thread,
      pick(self.command).map((each) => record(thread, show(each))),
    );
}

const READING_FIELDS: Fields<ShellReading> = new Map<
  string,
  (self: ShellReading, thread: Thread | null) => Value
>([
  [
    'commands',
    (self, thread) =>
      frozen(
        thread,
        self.reading.commands.map((each) => self.of(each)),
      ),
  ],
  [
    'errors',
    ({ reading }, thread) =>
      frozen(
        thread,
        reading.errors.map(({ kind, message, offset }) => record(thread, { kind, message, offset })),
      ),
  ],
  [
    'effects',
    (self, thread) => {
      const effects = effectsIn(self.reading, self.place);
      thread?.spend(STEPS_PER_EFFECT * effects.length);
      thread?.charge((WRAPPED + ENTRY) * effects.length);
      return frozen(
        thread,
        effects.map((effect) => new ShellEffectValue(self, effect)),
      );
    },
  ],
  [
    'summary',
    (self, thread) => {
      const text = sentencesFor(effectsIn(self.reading, self.place)).join(' ');
      thread?.charge(textBytes(text.length));
      return text;
    },
  ],
  ['complete', ({ reading }) => reading.complete],
  ['dynamic', ({ reading }) => reading.dynamic],
]);

const COMMAND_FIELDS: Fields<ShellCommandValue> = new Map<
  string,
  (self: ShellCommandValue, thread: Thread | null) => Value
>([
  ['program', ({ command }) => command.program],
  ['path', ({ command }) => command.path],
  ['args', strings(({ args }) => args)],
  ['operands', strings(({ operands }) => operands)],
  ['flags', strings(({ flags }) => flags)],
  ['reads', strings(({ reads }) => reads)],
  ['writes', strings(({ writes }) => writes)],
  ['deletes', strings(({ deletes }) => deletes)],
  ['via', strings(({ via }) => via)],
  [
    'words',
    records(
      ({ words }) => words,
      ({ text, known, glob, many }) => ({ text, known, glob, many }),
    ),
  ],
  [
    'assigns',
    records(
      ({ assigns }) => assigns,
      ({ name, value, known }) => ({ name, value, known }),
    ),
  ],
  [
    'redirects',
    records(
      ({ redirects }) => redirects,
      ({ op, fd, target, known }) => ({ op, fd, target, known }),
    ),
  ],
  [
    'stdin',
    ({ command }, thread) => {
      const { kind, text, path } = command.stdin;
      return record(thread, { kind, text, path });
    },
  ],
  [
    'code',
    ({ command }, thread) => {
      if (command.code === null) return null;
      const { language, text, known } = command.code;
      return record(thread, { language, text, known });
    },
  ],
  ['runs_stdin', ({ command }) => command.runsStdin],
  ['wrapper', ({ command }) => command.wrapper],
  ['is_function', ({ command }) => command.isFunction],
  ['recursive', ({ command }) => command.recursive],
  ['elevated', ({ command }) => command.elevated],
  ['remote', ({ command }) => command.remote],
  ['background', ({ command }) => command.background],
  ['dynamic', ({ command }) => command.dynamic],
  ['cwd', ({ command }) => command.cwd],
  ['cwd_certain', ({ command }) => command.cwdCertain],
  ['text', ({ command }) => command.text],
]);

const COMMAND_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'sub',
    method('sub', 'n=0, /', (thread, self: ShellCommandValue, n) => {
      thread.spend(1 + (self.command.words.length >> 3));
      const text = self.command.sub(wantSmallInt('sub', 'n', n));
      thread.charge(textBytes(0));
      return text;
    }),
  ],
  [
    'has',
    method('has', '*flags', (thread, self: ShellCommandValue, flags) => {
      thread.spend(1 + flags.length * (1 + (self.command.words.length >> 2)));
      return self.command.has(...flags.map((flag) => wantString('has', 'flags', flag)));
    }),
  ],
  [
    'sources',
    method('sources', '', (thread, self: ShellCommandValue) => {
      const { sources } = self.command;
      // The command itself holds the same list.
      thread.charge(8 * sources.length);
      return frozen(
        thread,
        sources.map((source) => self.within.of(source)),
      );
    }),
  ],
]);

const EFFECT_FIELDS: Fields<ShellEffectValue> = new Map<
  string,
  (self: ShellEffectValue, thread: Thread | null) => Value
>([
  ['kind', ({ effect }) => effect.kind],
  ['verb', ({ effect }) => effect.verb],
  ['resource', ({ effect }) => effect.resource],
  ['origin', ({ effect }) => effect.from],
  ['certainty', ({ effect }) => effect.certainty],
  ['recursive', ({ effect }) => effect.recursive],
  ['paths', ({ effect }, thread) => zonedPaths(effect.paths, thread)],
  ['hosts', ({ effect }, thread) => frozen(thread, [...effect.hosts])],
  ['objects', ({ effect }, thread) => frozen(thread, [...effect.objects])],
  ['command', ({ within, effect }) => within.of(effect.command) ?? null],
]);

function zonedPaths(paths: readonly EffectPath[], thread: Thread | null): Value {
  return frozen(
    thread,
    paths.map(({ path, zone }) => record(thread, { path, zone })),
  );
}

const EFFECT_METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'touches',
    method('touches', '*zones', (thread, self: ShellEffectValue, zones) => {
      const { paths } = self.effect;
      thread.spend(1 + paths.length * zones.length);
      const named = zones.map((zone) => wantZone(zone));
      return paths.some(({ zone }) => inZone(zone, named));
    }),
  ],
]);

function wantZone(value: Value): string {
  const name = wantString('touches', 'zones', value);
  const known: readonly string[] = ZONE_NAMES;
  return known.includes(name) ? name : fail(`touches: there is no zone ${name}${didYouMean(name, known)}`);
}
