/** The label of a result: what the policy says of its tool, else what the call does. And the files that a call writes. */
import { isJsonObject, type JsonObject, normalForm } from '../base/index.ts';
import { below, type HeardEvent, placeOf } from '../engine/index.ts';
import { type Effect, effectsIn, type ReadOptions, readRemembered } from '../shell/index.ts';
import { defaultSource, type Label, type Sources, TRUSTED, UNTRUSTED } from './sources.ts';

/** What the ledger knows of a session, as a label depends on it. */
export interface SessionLabels {
  readonly untrusted: boolean;
  isTainted(path: string, withBelow: boolean): boolean;
}

export interface LabelledCall {
  readonly label: Label;
  readonly words: string;
  /** Absolute paths that it wrote, which inherit the label. */
  readonly writes: readonly string[];
}

/** Programs that print what others wrote, whatever they are asked. */
const OTHERS = new Set(['gh', 'glab', 'hub', 'tea', 'jira', 'lynx', 'w3m', 'ssh', 'mail', 'mutt']);
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0)(?::|$)/;
const WRITING = new Set(['write_file', 'edit_file']);

export function labelCall(heard: HeardEvent, sources: Sources, known: SessionLabels): LabelledCall {
  const payload = isJsonObject(heard.payload) ? heard.payload : {};
  const name = String(payload.name ?? '');
  const native = isJsonObject(payload.native) ? payload.native : {};
  const names = typeof native.name === 'string' ? [name, native.name] : [name];
  const stated = sources.stated(names);
  const { source, words } = defaultSource(name);
  const args = (isJsonObject(payload.args) ? payload.args : {}) as JsonObject;
  const cwd = placeOf(payload, heard.session)?.cwd ?? heard.session.cwd ?? '/';
  const absolute = (path: string) => realOf(normalForm(below(cwd, path)), heard);
  if (source === 'command') {
    const { command, shell } = args;
    const text = Array.isArray(command) ? command.map(String) : String(command ?? '');
    const found = commandFlow(text, typeof shell === 'string' ? { shell } : {}, absolute, known);
    return { label: stated ?? found.label, words: found.words, writes: found.writes };
  }
  const paths = [args.path, args.to]
    .filter((path) => typeof path === 'string' && path !== '')
    .map((path) => absolute(String(path)));
  const writes = WRITING.has(name) ? paths : [];
  if (stated !== null) return { label: stated, words, writes };
  if (source === 'session') return { label: known.untrusted ? UNTRUSTED : TRUSTED, words, writes };
  if (source !== 'workspace') return { label: source, words, writes };
  const isSearch = name === 'search_files' || name === 'list_files';
  const looked = paths.length > 0 || !isSearch ? paths : [absolute('.')];
  const tainted = writes.length === 0 && looked.some((path) => known.isTainted(path, isSearch));
  return {
    label: tainted ? UNTRUSTED : TRUSTED,
    words: tainted ? 'a file written after an untrusted read' : words,
    writes,
  };
}

interface CommandFlow {
  readonly label: Label;
  readonly words: string;
  readonly writes: readonly string[];
}

function commandFlow(
  text: string | readonly string[],
  options: ReadOptions,
  absolute: (path: string) => string,
  known: SessionLabels,
): CommandFlow {
  const reading = readRemembered(text, options);
  const effects = effectsIn(reading);
  const from =
    effects.find(isFromOthers)?.command ?? reading.commands.find(({ program }) => OTHERS.has(program));
  const tainted = effects.find(
    ({ kind, from: origin, paths, recursive }) =>
      (kind === 'read' || (kind === 'run' && origin === 'file')) &&
      paths.some(({ path }) => known.isTainted(absolute(path), recursive)),
  );
  const label = from === undefined && tainted === undefined ? TRUSTED : UNTRUSTED;
  const program = (from ?? tainted?.command)?.program ?? '';
  const what = from === undefined ? 'a file written after an untrusted read, printed by' : 'the output of';
  const words = label === TRUSTED ? 'the output of a command' : `${what} ${program}`;
  const writes = effects
    .filter(({ kind }) => kind === 'write')
    .flatMap(({ paths }) => paths.map(({ path }) => absolute(path)));
  return { label, words, writes };
}

function isFromOthers({ kind, hosts, certainty }: Effect): boolean {
  if (kind !== 'receive' || certainty === 'possible') return false;
  return hosts.length === 0 || !hosts.every((host) => LOOPBACK.test(host));
}

/** Where links lead, as far as the machine can say it. */
function realOf(path: string, { host }: HeardEvent): string {
  return host.realPath?.(path) ?? path;
}
