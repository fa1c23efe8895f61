/** The label of a result: what the policy says of its tool, else what the call does. And the files that a call writes. */
import { isJsonObject, type JsonObject, normalForm } from '../base/index.ts';
import { locateCall, type ObservedEvent, relativeTo } from '../engine/index.ts';
import { type Effect, effectsIn, type ReadOptions, readCached } from '../shell/index.ts';
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
/** Folders with what others wrote, inside a workspace. */
const VENDORED = /(?:^|\/)(?:vendor|node_modules|third[_-]party|site-packages|bower_components)\/./;
const WRITING = new Set(['write_file', 'edit_file']);

export function labelCall(heard: ObservedEvent, sources: Sources, known: SessionLabels): LabelledCall {
  const payload = isJsonObject(heard.payload) ? heard.payload : {};
  const name = String(payload.name ?? '');
  const native = isJsonObject(payload.native) ? payload.native : {};
  const names = typeof native.name === 'string' ? [name, native.name] : [name];
  const stated = sources.stated(names);
  const { source, words } = defaultSource(name);
  const args = (isJsonObject(payload.args) ? payload.args : {}) as JsonObject;
  const cwd = locateCall(payload, heard.session)?.cwd ?? heard.session.cwd ?? '/';
  const absolute = (path: string) => realOf(normalForm(relativeTo(cwd, path)), heard);
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
  const reason = writes.length > 0 ? null : distrusted(looked, isSearch, known);
  return { label: reason === null ? TRUSTED : UNTRUSTED, words: reason ?? words, writes };
}

/** Why what stands there is not the workspace's own; null: it is. */
function distrusted(paths: readonly string[], withBelow: boolean, known: SessionLabels): string | null {
  if (paths.some((path) => known.isTainted(path, withBelow))) return 'a file written after an untrusted read';
  return paths.some((path) => VENDORED.test(path)) ? 'a vendored file' : null;
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
  const reading = readCached(text, options);
  const effects = effectsIn(reading);
  const from =
    effects.find(isFromOthers)?.command ?? reading.commands.find(({ program }) => OTHERS.has(program));
  const found = effects.flatMap(({ kind, from: origin, paths, recursive, command }) => {
    if (kind !== 'read' && (kind !== 'run' || origin !== 'file')) return [];
    const places = paths.map(({ path }) => absolute(path));
    // What an installed program prints is no more than what other programs print.
    const reason = distrusted(
      kind === 'run' ? places.filter((path) => !VENDORED.test(path)) : places,
      recursive,
      known,
    );
    return reason === null ? [] : [`${reason}, printed by ${command.program}`];
  });
  const words =
    from === undefined ? (found[0] ?? 'the output of a command') : `the output of ${from.program}`;
  const label = from === undefined && found.length === 0 ? TRUSTED : UNTRUSTED;
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
function realOf(path: string, { host }: ObservedEvent): string {
  return host.realPath?.(path) ?? path;
}
