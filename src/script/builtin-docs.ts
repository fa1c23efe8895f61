/**
 * What each name of the hook environment is for. Signatures come from the built-ins themselves, so the reference page
 * made from this cannot disagree with them.
 */
import { Builtin, Module, type Value } from '../starlark/index.ts';
import { CallableModule } from './builtins/callable-module.ts';
import { CONDITION_ENVIRONMENT, HOOK_BUILTINS } from './environment.ts';

export interface BuiltinDoc {
  /** `metrics.incr` */
  readonly name: string;
  /** `metrics.incr(name, by=1)`; the name alone for a constant. */
  readonly signature: string;
  readonly doc: string;
  /** Also usable in `when`. */
  readonly inConditions: boolean;
}

const DOCS: Readonly<Record<string, string>> = {
  allow: 'No opinion: the call goes on. With every decision, `context` is a text the model is to know.',
  block: 'Rejects; the agent sees the reason.',
  modify: 'Lays a dict over the payload, or replaces a payload that is a string.',
  ask: 'A person has to confirm; where no person can be asked, it is a block.',
  delegate: 'Hands the work to someone else, on events that allow it.',
  permit: 'Answers `permission.asked` with yes.',
  remind: 'Leaves a note for the model, which reads it with its next request, whatever is decided.',

  'metrics.incr': 'Adds to a counter of the run and returns its new value.',
  'metrics.set': 'Sets a gauge of the run.',
  'metrics.get': 'The value of a counter or gauge.',
  'metrics.reset': 'Forgets one metric, or all of them.',
  'metrics.snapshot': 'All metrics of the run, as a dict.',

  log: 'A line at level info; the same as `log.info`.',
  'log.info': 'A line for `turn.end`; fields given by name follow the message.',
  'log.warn': 'The same, at level warn.',
  'log.error': 'The same, at level error.',

  actor:
    'The person or program the agent works for, as the host says: a dict with `id`, and None if the host does not say. Nothing can change it.',
  caller: 'The agent the event comes from: a dict with `name`, `depth`, `chain` and `parent_session_id`.',
  data: 'The tables of the policy: `.harness/data/NAME.yaml`, `.json` or `.csv` is `data.NAME`. Frozen.',
  annotate: 'Facts given by name, for the record and for `harness tape audit`; nothing follows from them.',

  'state.get':
    'A value this hook kept for the session. Only it, and hooks of its layer with the same `state_group`, can see or change it.',
  'state.set': 'Keeps a value that is JSON data for the session.',
  'state.incr': 'Adds to a number in one step, also across processes, and returns the new value.',
  'state.once': 'True the first time it is asked in a session.',
  'flow.of':
    'Where a value comes from: a dict with `origin` (`user`, `trusted`, `untrusted`, `unknown`), `labels`, `entries` of the tape and `source` in words. Of a list or a dict the worst of its parts; of `shell.parse(…)` or an effect its hosts, objects and paths.',
  'flow.labels': 'Labels of what the session has read: `untrusted`, and those of `confidential` sources.',
  'flow.endorse':
    "Lets a value pass a sink, named by its `of` and `what` (`authority recipient`). Only for hooks of the user's and the managed layer.",
  'rate.limit':
    'Takes one of `n` within any `per`, at once and for all sessions and processes; true if there was one, with `left` and `retry_after` in seconds. Given back if the call does not happen.',
  'budget.spend':
    'Takes an amount of a limit, in all or within any `per`, in the same way; after the fact it takes what is left.',

  'cache.get':
    'A value kept for the run and shared with tools, which may change it: nothing a guard may rely on. What comes out is frozen.',
  'cache.set': 'Keeps a value that is JSON data for the run.',
  'cache.has': 'Whether a key is stored.',
  'cache.delete': 'Forgets a key and returns whether it was there.',
  'cache.clear': 'Forgets everything.',
  'ctx.get': 'A value kept for the turn. What comes out is frozen.',
  'ctx.set': 'Keeps a value that is JSON data for the turn.',
  'ctx.has': 'Whether a key is stored.',
  'ctx.delete': 'Forgets a key and returns whether it was there.',
  'ctx.clear': 'Forgets everything.',
  'ctx.snapshot': 'Everything stored for the turn, as a dict.',

  'http.get': 'Fetches a URL of a listed domain; returns a dict with `status`, `ok`, `headers` and `body`.',
  'http.post': 'Posts text, or anything else as JSON; returns the same dict as `http.get`.',
  emit: 'Fires a `custom.*` event through the same chain and returns its final payload; a block raises.',
  'events.emit': 'The same as `emit`.',
  'meta.call_tool':
    'Calls a tool of the agent through the whole chain, at most 5 deep; returns its text, or one that begins with `error: `.',

  'policy.hooks':
    'Every hook of the policy in the order it runs: name, event, priority (None if none is stated), source, front_matter, body, …',
  'policy.tools': 'Every tool of the folders of the policy: name, source, front_matter, body.',

  'os.cwd': 'The folder of the session; empty if there is none.',
  'os.hostname': 'The name of the machine, from the host, so that replay repeats it.',
  'os.platform': '`linux`, `darwin`, `windows`, …, from the host.',
  'os.leaves_workspace':
    'Why a tool call leaves the workspace of its payload, as text, or None: every path that its arguments name is read in each way in which a tool may read it, links followed. `also` lists folders and patterns outside that absolute paths may name.',
  'os.real_path':
    'A path as the machine would open it, seen from a folder: links followed, as far as they are there. In tests, and where there are no files, as `path.normal`.',

  'json.encode': 'A value as JSON text, keys sorted.',
  'json.decode': 'JSON text as a value; with a default, never raises for bad text.',
  'json.indent': 'JSON text laid out over lines.',
  'json.encode_indent': 'A value as JSON text laid out over lines.',

  're.search': 'The first match anywhere in the text, or None.',
  're.match': 'A match at the start of the text, or None.',
  're.fullmatch': 'A match of the whole text, or None.',
  're.findall': 'All matches, as strings or as tuples of their groups.',
  're.split': 'The text between matches.',
  're.replace': 'The text with every match replaced.',

  'string.truncate': 'At most `n` characters, the suffix included.',
  'string.upper': 'In upper case.',
  'string.lower': 'In lower case.',
  'string.trim': 'Without white space at either end.',
  'string.split': 'The parts between separators.',
  'string.join': 'The strings, with the separator between them.',
  'string.pad_left': 'Filled up on the left to a width.',
  'string.pad_right': 'Filled up on the right to a width.',
  'string.reveal':
    'The text with hidden characters named, such as `[hidden: U+202E]`: tags, runs without width, turned directions.',

  'shell.parse':
    'What a command line, or a list of words, would run: a value with `commands`, `effects`, `summary`, `errors`, `complete` and `dynamic`. `cwd`, `workspace` and `home` say where it runs, which decides the zones of paths. `shell` is the one that reads it: `posix` (or `bash`, `zsh`, …), `powershell` or `cmd`; calls carry it as `args.shell`, and where that is missing it is a POSIX shell. Commands of PowerShell and cmd come out as the programs that do the same: `Remove-Item -Recurse x` as `rm -r x`. Never raises for a text. See [commands as values](#commands-as-values).',
  'path.match':
    'Whether a path fits a glob: `*` within one part, `**` over parts, `{a,b}`, `[a-z]`; without a slash it is the last name, and `~/` is the home folder of anybody. A path that is itself a pattern fits if something it may stand for does. Braces that stand for more than 1000 patterns raise.',
  'path.within': 'Whether a path is a folder or stands below it, by its text alone.',
  'path.is_disk': 'Whether a path is a disk or a partition.',
  'path.normal':
    'A path without `.`, `..` and doubled slashes, the home folder as `~`. Links are not looked up.',
  'secrets.redact':
    'The text with every secret in it replaced by `[redacted]`; with `personal=True` card, account and national numbers too.',
  'secrets.find':
    'The secrets of a text in order, each a struct with `rule`, `start` and `end`; `personal` as in `redact`.',

  hash: 'A number equal for equal strings.',
  'hash.sha256': 'The SHA-256 of the text in UTF-8, in hexadecimal.',
  'base64.encode': 'The text in UTF-8, as base64.',
  'base64.decode': 'The text that was encoded; raises for anything else.',

  struct: 'A record with the given fields.',
  uuid: 'A random UUID, from the host, so that replay repeats it.',
  'uuid.v4': 'The same.',
  random: 'A whole number from `min` to `max`, both included, from the host, so that replay repeats it.',
  assert: 'Fails the script where the condition does not hold.',
  'url.encode': 'The text as part of an address, with `%` before what has a meaning there.',
  'url.parse':
    'The parts of an address: `scheme`, `host`, `port`, `path`, `query`, `fragment`, `user`; all empty for what is none.',
  'validate.email': 'Whether the text is an e-mail address.',
  'validate.url': 'Whether the text is an absolute address with a host.',
  'validate.json': 'Whether `json.decode` reads the text; its limits raise.',
  'time.now': 'The time of the host, so that replay repeats it.',
  'time.time': 'A time from its parts.',
  'time.from_timestamp': 'A time from seconds since 1970.',
  'time.parse_time': 'A time from text.',
  'time.parse_duration': 'A duration from text such as "1h30m".',
  'time.is_valid_timezone': 'Whether a time zone has that name.',
  'time.hour': 'A duration.',
  'time.minute': 'A duration.',
  'time.second': 'A duration.',
  'time.millisecond': 'A duration.',
  'time.microsecond': 'A duration.',
  'time.nanosecond': 'A duration.',
};

/** Every name of the environment in its order, members under their module. Maths is one line: its names say it. */
export const BUILTIN_DOCS: readonly BuiltinDoc[] = [...HOOK_BUILTINS].flatMap(([name, value]) =>
  name === 'math' ? [mathDoc(value)] : docsOf(name, value, CONDITION_ENVIRONMENT.has(name)),
);

function docsOf(name: string, value: Value, inConditions: boolean): BuiltinDoc[] {
  const docs: BuiltinDoc[] = [];
  if (!(value instanceof Module)) {
    const signature = value instanceof Builtin ? `${name}(${value.signature.text})` : name;
    docs.push({ name, signature, doc: Object.hasOwn(DOCS, name) ? DOCS[name]! : '', inConditions });
  }
  if (value instanceof Module || value instanceof CallableModule) {
    for (const member of value.attrNames()) {
      docs.push(...docsOf(`${name}.${member}`, value.attr(member)!, inConditions));
    }
  }
  return docs;
}

function mathDoc(math: Value): BuiltinDoc {
  const names = math instanceof Module ? math.attrNames().join(', ') : '';
  return { name: 'math', signature: 'math.*', doc: `Mathematics: ${names}.`, inConditions: false };
}

/** Descriptions of names that no longer exist; a test keeps this empty. */
export function staleDocs(): string[] {
  const known = new Set(BUILTIN_DOCS.map((doc) => doc.name));
  return Object.keys(DOCS).filter((name) => !known.has(name));
}
