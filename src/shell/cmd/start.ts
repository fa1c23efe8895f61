/** Starts a command of cmd: its own ones in the words of a program that the table has a row for, every other as it stands. */
import { PLAIN } from '../dialect.ts';
import { type Field, knownField } from '../known/values.ts';
import { slashed } from '../powershell/nodes.ts';
import type { Result, Run } from '../run/run.ts';
import { UNKNOWN } from '../run/run.ts';
import { type Started, start } from '../run/start.ts';

/** What its switches become; those that are not listed are left out. */
interface Own {
  readonly to: string;
  readonly switches?: Readonly<Record<string, string>>;
}

const OWN: Readonly<Record<string, Own>> = {
  'del erase': { to: 'rm', switches: { s: '-r', q: '-f', f: '-f' } },
  'rd rmdir': { to: 'rmdir', switches: { s: '-r', q: '-f' } },
  copy: { to: 'cp' },
  'xcopy robocopy': { to: 'cp -r', switches: { mir: '--remove-destination' } },
  move: { to: 'mv' },
  'ren rename': { to: 'mv' },
  'type more': { to: 'cat' },
  'md mkdir': { to: 'mkdir -p' },
  'dir tree vol': { to: 'ls' },
  'cd chdir': { to: 'cd' },
  pushd: { to: 'pushd' },
  popd: { to: 'popd' },
  echo: { to: 'echo' },
  'find findstr': { to: 'grep' },
  where: { to: 'which' },
  mklink: { to: 'ln -s' },
  tasklist: { to: 'ps' },
  'cls exit pause title color prompt setlocal endlocal goto shift ver verify break date time chcp mode assoc ftype':
    { to: 'true' },
};
const BY_NAME = new Map(
  Object.entries(OWN).flatMap(([names, own]) => names.split(' ').map((name) => [name, own] as const)),
);
/** They start what stands behind them. */
const STARTS: ReadonlySet<string> = new Set(['call', 'start']);

export function startCmd(run: Run, started: Started): Result {
  const words = started.words.flatMap(apart);
  const first = words[0]!;
  const plain: Started = { ...started, frame: { ...started.frame, dialect: PLAIN }, words };
  const name = first.text.toLowerCase().replace(/\.(?:exe|com)$/, '');
  if (STARTS.has(name)) {
    const at = words.findIndex(({ text }, i) => i > 0 && text !== '' && !/^\/\w+$/.test(text));
    return at === -1 ? UNKNOWN : startCmd(run, { ...started, words: words.slice(at) });
  }
  if (name === 'set') return start(run, { ...plain, words: [knownField('export'), ...words.slice(1)] });
  const own = first.known ? BY_NAME.get(name) : undefined;
  if (own === undefined) return start(run, { ...plain, shell: 'none' });
  const switches = words.slice(1).filter(isSwitch);
  const options = switches.flatMap(({ text }) => own.switches?.[text.slice(1).toLowerCase()] ?? []);
  const operands = words.slice(1).filter((field) => !isSwitch(field));
  const removes = own.to === 'rmdir' && options.includes('-r');
  const to = removes ? ['rm'] : own.to.split(' ');
  return start(run, { ...plain, words: [...[...to, ...options].map(knownField), ...operands] });
}

/** `/s/q` is two switches. */
function apart(field: Field, at: number): readonly Field[] {
  if (at === 0 || !field.known || !/^(?:\/[A-Za-z?]){2,8}$/.test(field.text)) return [pathField(field)];
  return field.text
    .slice(1)
    .split('/')
    .map((letter) => ({ ...field, text: `/${letter}` }));
}

function isSwitch({ text, known }: Field): boolean {
  return known && /^\/[A-Za-z?][\w:-]*$/.test(text);
}

function pathField(field: Field): Field {
  const text = slashed(field.text);
  return text === field.text ? field : { ...field, text };
}
