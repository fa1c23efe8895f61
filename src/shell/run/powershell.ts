/**
 * Starts a command of PowerShell: one of its own is given in the words of a program that the table has a row for, blocks among
 * its arguments are run, and every other name is a program as it stands.
 */
import { PLAIN, POWERSHELL, shellReading } from '../dialect.ts';
import {
  type Alt,
  certain,
  type Field,
  knownField,
  UNTAINTED,
  unknown,
  unknownField,
  type Value,
} from '../known/values.ts';
import { COMPUTED, PROGRAM, slashed } from '../powershell/nodes.ts';
import {
  argumentsIn,
  cmdletNamed,
  type GivenArguments,
  pathField,
  readParameters,
} from '../powershell/parameters.ts';
import { callFunction } from './functions.ts';
import { runStdin } from './interpret.ts';
import { runTexts } from './nested.ts';
import { type Frame, type Input, type Result, type Run, SILENT, UNKNOWN } from './run.ts';
import { emit, type Started, start } from './start.ts';
import { join, variable } from './state.ts';
import { joinWords } from './unwrap.ts';

const READ_OPTIONS = { dialect: POWERSHELL, other: null, posixOnly: false };
const BLOCK = /^\{[\s\S]*\}$/;
/** Of other systems' programs, too: with options that no cmdlet has, it is the program. */
const PROGRAMS: ReadonlySet<string> = new Set(
  'rm rmdir cp mv ls cat echo kill ps sort tee diff sleep pwd cd curl wget history mkdir man select start sc type'.split(
    ' ',
  ),
);
const SERVICE_VERBS = /^(?:stop|start|delete|config|create|query|qc|failure|sdset|pause|\\\\.*)$/i;

export function startPowerShell(run: Run, started: Started): Result {
  const { words } = started;
  const first = words[0]!;
  const frame = { ...started.frame, dialect: PLAIN };
  const plain = { ...started, frame, words: words.filter(({ text }) => text !== COMMA_TEXT) };
  if (first.text === COMPUTED) return { ...UNKNOWN };
  if (BLOCK.test(first.text) && first.known)
    return runBlock(run, started, first.text, { args: words.slice(1) });
  for (const word of words.slice(1))
    if (word.known && BLOCK.test(word.text) && !STORES_BLOCK.has(first.text))
      runArgumentBlock(run, started, word.text);
  if (!first.known || first.many) return start(run, plain);
  if (first.text.startsWith(PROGRAM)) {
    const named = [
      { ...first, text: first.text.slice(PROGRAM.length) },
      ...plain.words.slice(1).map(pathField),
    ];
    return start(run, { ...plain, words: named });
  }
  const name = first.text.toLowerCase().replace(/^microsoft\.powershell\.\w+\\/, '');
  const alias = started.env.get(aliasOf(name))?.value;
  const target = alias === undefined ? null : certain(alias);
  if (target !== null && started.tries < MOST_ALIASES)
    return startPowerShell(run, {
      ...started,
      words: [{ ...first, text: target }, ...words.slice(1)],
      tries: started.tries + 1,
    });
  const bodies = started.env.bodies(name);
  if (bodies !== undefined && bodies.nodes.length > 0) {
    const call = { ...started, words: called(plain.words, name) };
    if (bodies.sure) return callFunction(run, call, name, bodies.nodes);
    const layer = started.env.fork();
    callFunction(run, { ...call, env: layer, state: layer }, name, bodies.nodes);
    join(started.state, [layer], false);
  }
  const read = cmdletNamed(name);
  if (read !== undefined) {
    const home = run.home ?? '~';
    const groups = argumentsIn(words.slice(1)).map((group) =>
      group.map((field) => homeField(pathField(field), home)),
    );
    const given = readParameters(read, groups);
    const isProgram =
      PROGRAMS.has(name) && (given.strange || (name === 'sc' && SERVICE_VERBS.test(words[1]?.text ?? '')));
    if (!isProgram) return startCmdlet(run, plain, read.cmdlet.to, read.cmdlet.piped === true, given);
  }
  const own = /^[a-z]+-[a-z]\w*$/.test(name);
  // A rehearsal.
  if (own && words.some(({ text }) => /^-wh(?:a(?:t(?:if?)?)?)?$/i.test(text))) return UNKNOWN;
  const rest = plain.words.slice(1).map(own ? lowerName : pathField);
  return start(run, { ...plain, shell: 'none', words: [{ ...first, text: slashed(first.text) }, ...rest] });
}

/** Commands of the shell look at `~` themselves, so that quotes change nothing. */
function homeField(field: Field, home: string): Field {
  if (field.tilde || !/^~(?:\/|$)/.test(field.text)) return field;
  return { ...field, text: `${home}${field.text.slice(1)}`, tilde: true };
}

/** Names of parameters are the same in large and small letters; with a colon their value stands in the same word. */
function lowerName(field: Field): Field {
  return /^-[A-Za-z]/.test(field.text) ? { ...field, text: field.text.toLowerCase() } : pathField(field);
}

const aliasOf = (name: string): string => `alias:${name.toLowerCase()}`;
const MOST_ALIASES = 8;
const COMMA_TEXT = '\0,';
/** They are given a block to keep, not to run. */
const STORES_BLOCK: ReadonlySet<string> = new Set([
  'foreach-object',
  'foreach',
  '%',
  'invoke-command',
  'icm',
]);

/** With names of parameters among them, which argument is which is not known. */
function called(words: readonly Field[], name: string): readonly Field[] {
  const named = words.some(({ text }, at) => at > 0 && /^-[A-Za-z]/.test(text));
  if (!named) return [knownField(name), ...words.slice(1)];
  const values = words.slice(1).filter(({ text }) => !/^-[A-Za-z]/.test(text));
  const from = values.flatMap((value) => value.from);
  return [
    knownField(name),
    ...values.map((value) => (values.length === 1 ? value : unknownField('$()', true, from))),
  ];
}

/** Runs a block of the text in the scope that it stands in. */
function runBlock(
  run: Run,
  started: Started,
  text: string,
  more: { readonly args?: readonly Field[]; readonly frame?: Partial<Frame>; readonly item?: Value } = {},
): Result {
  const layer = started.state.fork();
  layer.args = more.args ?? started.state.args;
  if (more.item !== undefined) layer.set('_item', variable(more.item));
  const frame: Frame = {
    ...started.frame,
    dialect: POWERSHELL,
    place: { start: started.start, end: started.end },
    ...more.frame,
  };
  const result = runTexts(run, [{ text: text.slice(1, -1), known: true }], READ_OPTIONS, layer, frame);
  layer.args = started.state.args;
  join(started.state, [layer], false);
  return result;
}

function runArgumentBlock(run: Run, started: Started, text: string): void {
  runBlock(run, started, text, {
    frame: { repeats: true, capture: false, input: started.input },
    item: itemOf(started.input),
  });
}

const ITEM = `\${${'_'}}`;

/** What `$_` may be: a line of the input. */
function itemOf(input: Input): Value {
  const all = input.alts;
  if (all === null || all.some((alt) => !alt.known)) return unknown(ITEM, input.from);
  const lines = [...new Set(all.flatMap(({ text }) => text.split('\n')).filter((line) => line !== ''))];
  if (lines.length === 0 || lines.length > 32) return unknown(ITEM, input.from);
  return { alts: lines.map((text) => ({ text, known: true })), numeric: false, from: input.from };
}

const operandsOf = ({ operands }: GivenArguments): readonly Field[] =>
  [...operands].sort(([a], [b]) => a - b).flatMap(([, fields]) => fields);

function startCmdlet(run: Run, started: Started, to: string, piped: boolean, given: GivenArguments): Result {
  if (given.named.has('whatif')) return UNKNOWN;
  if (to.startsWith('!')) {
    const [name, ...rest] = to.slice(1).split(' ');
    return OWN[name!]!(run, started, given, rest.map(knownField));
  }
  if (to === COMPUTED) return UNKNOWN;
  const operands = operandsOf(given);
  const drive = driveOf(operands[0]);
  if (drive !== null) return startOnDrive(run, started, to, drive, operands);
  const words = [...to.split(' ').map(knownField), ...given.options, ...operands];
  const takesPipe = piped && !given.operands.has(1) && started.input.kind === 'pipe';
  return program(run, started, takesPipe ? [knownField('xargs'), ...words] : words);
}

function program(run: Run, started: Started, words: readonly Field[], more: Partial<Started> = {}): Result {
  return start(run, { ...started, words, ...more });
}

const word = knownField;

/** `env:PATH`, `HKCU:/Software`: what is no file. */
function driveOf(field: Field | undefined): { readonly drive: string; readonly rest: string } | null {
  const found = /^(env|hk\w+|registry:|function|alias|variable|cert|wsman):[:/\\]*(.*)$/is.exec(
    field?.text ?? '',
  );
  return found === null ? null : { drive: found[1]!.toLowerCase(), rest: found[2]! };
}

function startOnDrive(
  run: Run,
  started: Started,
  to: string,
  { drive, rest }: { readonly drive: string; readonly rest: string },
  operands: readonly Field[],
): Result {
  const name = to.split(' ')[0]!;
  const deletes = name === 'rm';
  if (drive === 'env') {
    const words = deletes ? ['unset', rest] : rest === '' || rest === '*' ? ['env'] : ['printenv', rest];
    return program(run, started, words.map(word));
  }
  if (!drive.startsWith('hk') && drive !== 'registry:') return UNKNOWN;
  const verb = deletes ? 'delete' : /^(?:cp|mv|mkdir|tee|touch|chmod)$/.test(name) ? 'add' : 'query';
  return program(run, started, [word('reg'), word(verb), ...operands]);
}

type Own = (run: Run, started: Started, given: GivenArguments, words: readonly Field[]) => Result;

const OWN: Readonly<Record<string, Own>> = {
  'invoke-expression': (run, started, given) => {
    const operands = operandsOf(given);
    const text = joinWords(operands);
    if (operands.length === 0) {
      const command = emit(run, { ...started, words: [word('pwsh')] });
      return runStdin(run, started, command, READ_OPTIONS);
    }
    emit(run, { ...started, words: [word('eval'), ...operands] });
    return runTexts(run, [text], READ_OPTIONS, started.state, nestedFrame(started, 'iex'));
  },
  'foreach-object': (run, started, given) => {
    const blocks = started.words.slice(1).filter(({ text, known }) => known && BLOCK.test(text));
    let result: Result = UNKNOWN;
    for (const { text } of blocks)
      result = runBlock(run, started, text, {
        frame: { repeats: true, input: started.input },
        item: itemOf(started.input),
      });
    const member = given.operands.get(1)?.[0]?.text.toLowerCase();
    if (blocks.length === 0 && member === 'delete')
      return program(run, started, ['xargs', 'rm', '-r'].map(word));
    if (blocks.length === 0 && member === 'kill') return program(run, started, ['xargs', 'kill'].map(word));
    return { ...result, status: -1 };
  },
  'invoke-command': (run, started, given) => {
    const hosts = given.operands.get(1)?.filter(({ text }) => !BLOCK.test(text)) ?? [];
    const remote = hosts.length > 0;
    if (remote) emit(run, { ...started, words: [word('ssh'), ...hosts] });
    const frame = remote ? { remote: true, via: [...started.frame.via, 'ssh'] } : {};
    for (const { text, known } of started.words)
      if (known && BLOCK.test(text)) runBlock(run, started, text, { frame });
    const file = given.named.get('file')?.[0];
    return file === undefined ? UNKNOWN : program(run, started, [file], { shell: 'none' });
  },
  'start-process': (run, started, given) => {
    const [target, ...args] = operandsOf(given);
    if (target === undefined) return UNKNOWN;
    const all = [target, ...args.flatMap(divided)];
    const elevated = given.named.get('verb')?.[0]?.text.toLowerCase() === 'runas';
    // An address or a document is opened, not run.
    if (/^[a-z]+:\/\//i.test(target.text)) return program(run, started, [word('xdg-open'), ...all]);
    const frame = { ...started.frame, background: true };
    return program(run, started, elevated ? [word('sudo'), ...all] : all, { shell: 'none', frame });
  },
  'new-item': (run, started, given) => {
    const type = given.named.get('type')?.[0]?.text.toLowerCase() ?? 'file';
    const [folder, name] = [given.operands.get(1) ?? [], given.operands.get(2)?.[0]];
    const paths =
      name === undefined
        ? folder
        : folder.length === 0
          ? [name]
          : folder.map((each) => joinFields(each, name));
    const value = given.named.get('value') ?? [];
    const drive = driveOf(paths[0]);
    if (drive !== null) return startOnDrive(run, started, 'touch', drive, paths);
    if (type.startsWith('d')) return program(run, started, [word('mkdir'), word('-p'), ...paths]);
    if (/link|junction/.test(type)) {
      const flags = type.startsWith('hard') ? [] : [word('-s')];
      return program(run, started, [word('ln'), ...flags, ...value, ...paths]);
    }
    if (value.length > 0) return writeText(run, started, [], paths, value);
    return program(run, started, [word('touch'), ...paths]);
  },
  tee: (run, started, given, flags) => {
    const [path, value] = [given.operands.get(1) ?? [], given.operands.get(2) ?? given.operands.get(3) ?? []];
    const all = [...flags, ...given.options];
    const drive = driveOf(path[0]);
    if (drive !== null) return startOnDrive(run, started, 'tee', drive, path);
    return writeText(run, started, all, path, value);
  },
  'get-childitem': (run, started, given) => {
    const paths = given.operands.get(1) ?? [];
    const drive = driveOf(paths[0]);
    if (drive !== null) return startOnDrive(run, started, 'ls', drive, paths);
    const filter = given.named.get('filter') ?? [];
    if (!given.named.has('recurse') && filter.length === 0)
      return program(run, started, [word('ls'), ...paths]);
    const names = filter.flatMap((each, at) => [...(at === 0 ? [] : [word('-o')]), word('-name'), each]);
    return program(run, started, [word('find'), ...(paths.length === 0 ? [word('.')] : paths), ...names]);
  },
  'join-path': (_run, _started, given) => {
    const [first, ...others] = operandsOf(given);
    const text = [first, ...others].map((each) => each?.text ?? '').join('/');
    const known = [first, ...others].every((each) => each?.known === true);
    return known ? { text: `${text}\n`, sure: true, status: 0 } : { ...UNKNOWN, text: `${text}\n` };
  },
  'stop-process': (run, started, given) => {
    const names = given.named.get('name') ?? [];
    if (names.length > 0) return program(run, started, [word('pkill'), ...given.options, ...names]);
    const ids = given.operands.get(1) ?? [];
    const listed = ids.length === 0 ? namesListed(run, started) : [];
    if (listed.length > 0) return program(run, started, [word('pkill'), ...given.options, ...listed]);
    const words = [word('kill'), ...given.options, ...ids];
    return program(run, started, ids.length === 0 ? [word('xargs'), ...words] : words);
  },
  'set-service': (run, started, given) => {
    const type = given.named.get('type')?.[0]?.text.toLowerCase() ?? '';
    const status = given.named.get('status')?.[0]?.text.toLowerCase() ?? '';
    const verb = type === 'disabled' ? 'disable' : /stopped|paused/.test(status) ? 'stop' : 'start';
    return program(run, started, [word('systemctl'), word(verb), ...(given.operands.get(1) ?? [])]);
  },
  bits: (run, started, given) => {
    const [source = [], target = []] = [given.operands.get(1), given.operands.get(2)];
    const upload = /^upload/i.test(given.named.get('type')?.[0]?.text ?? '');
    if (upload) return program(run, started, [word('curl'), word('-T'), ...source, ...target]);
    const out = target.length === 0 ? [] : [word('-o'), target[0]!];
    return program(run, started, [word('curl'), ...out, ...source]);
  },
  'set-alias': (run, started, given) => {
    const [name, target] = [given.operands.get(1)?.[0], given.operands.get(2)?.[0]];
    if (name?.known !== true || target?.known !== true) {
      run.error('program', 'what an alias stands for is only known when it runs', started.start);
      return UNKNOWN;
    }
    started.state.set(aliasOf(name.text), variable({ alts: [target], numeric: false, from: target.from }));
    run.version++;
    return SILENT;
  },
  'set-variable': (run, started, given) => {
    const [name, values] = [given.operands.get(1)?.[0], given.operands.get(2) ?? []];
    if (name?.known !== true) return UNKNOWN;
    const { text, known } = joinWords(values);
    const value: Value = {
      alts: [{ text, known }],
      numeric: false,
      from: values.flatMap((each) => each.from),
    };
    started.state.set(name.text.toLowerCase(), variable(value));
    run.version++;
    return SILENT;
  },
  'set-property': (run, started, given) => {
    const path = given.operands.get(1) ?? [];
    const value = given.named.get('value') ?? given.operands.get(2) ?? [];
    const drive = driveOf(path[0]);
    if (drive?.drive === 'env') {
      const text = `${drive.rest.toUpperCase()}=${joinWords(value).text}`;
      return program(run, started, [word('export'), { ...(value[0] ?? word('')), text }]);
    }
    if (drive !== null && /^(?:alias|function)$/.test(drive.drive)) {
      run.error('code', 'what a command stands for is changed', started.start);
      return UNKNOWN;
    }
    if (drive !== null)
      return program(run, started, [
        word('reg'),
        word('add'),
        ...path,
        ...(given.operands.get(2) ?? []),
        ...value,
      ]);
    return program(run, started, [word('chmod'), word('='), ...path]);
  },
  'remove-property': (run, started, given) =>
    program(run, started, [word('reg'), word('delete'), ...operandsOf(given)]),
  'new-object': (run, started, given) => {
    const type = (given.operands.get(1)?.[0]?.text ?? '').toLowerCase().replace(/^system\./, '');
    const args = given.operands.get(2) ?? [];
    if (type === 'net.sockets.tcpclient') return program(run, started, [word('nc'), ...args]);
    if (/^io\.(?:streamwriter|filestream)$/.test(type))
      return program(run, started, [word('tee'), ...args.slice(0, 1)]);
    return UNKNOWN;
  },
  'add-type': (run, started, given) => {
    if (
      given.named.has('code') ||
      started.words.slice(1).some(({ text }) => /\bclass\b|DllImport/.test(text))
    )
      run.error('code', 'code of another language is compiled', started.start);
    return UNKNOWN;
  },
  wmi: (run, started) => {
    const at = started.words.findIndex(({ text }) => /^-commandline$/i.test(text));
    const values = started.words.slice(at + 1).filter(({ text }) => text !== COMMA_TEXT);
    const line = at === -1 ? started.words.find(({ text }) => /\s/.test(text)) : values[0];
    if (line === undefined || !started.words.some(({ text }) => /^create$/i.test(text))) return UNKNOWN;
    return runTexts(
      run,
      [line],
      shellReading('cmd')!,
      started.state.fork(true),
      nestedFrame(started, 'wmic'),
    );
  },
};

/** The processes that the command before it in the pipe asked for by name. */
function namesListed(run: Run, { input }: Started): readonly Field[] {
  for (const [from, to] of input.from)
    for (const { program: name, words } of run.commands.slice(Math.max(from, to - 4), to))
      if (name === 'ps') return words.slice(1);
  return [];
}

function nestedFrame(started: Started, via: string): Frame {
  return {
    ...started.frame,
    via: [...started.frame.via, via],
    place: { start: started.start, end: started.end },
  };
}

/** Writes what is given, or what the pipe brings. */
function writeText(
  run: Run,
  started: Started,
  flags: readonly Field[],
  paths: readonly Field[],
  value: readonly Field[],
): Result {
  const words = [word('tee'), ...flags, ...paths];
  if (value.length === 0) return program(run, started, words);
  const { text, known } = joinWords(value);
  const alts: readonly Alt[] = [{ text: `${text}\n`, known }];
  const from = value.length === 0 ? UNTAINTED : value.flatMap((each) => each.from);
  return program(run, started, words, { input: { kind: 'text', alts, path: null, from, shared: false } });
}

function joinFields(folder: Field, { text, known }: Field): Field {
  return { ...folder, text: `${folder.text.replace(/\/+$/, '')}/${text}`, known: folder.known && known };
}

/** One text of arguments is divided by the program that gets it. */
function divided(field: Field): readonly Field[] {
  if (!field.known || !/\s/.test(field.text)) return [field];
  return [...field.text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((found) => ({
    ...field,
    text: found[1] ?? found[2] ?? found[3]!,
  }));
}
