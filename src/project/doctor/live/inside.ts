/**
 * The script that runs inside the namespaces: it lays the scratch copy over the user's folders, starts the scripted model and
 * then the agent, with an environment of nothing but what it is given here. Plain POSIX shell; needs `ip` and `mount`.
 */
import { quoted } from '../../../agents/index.ts';

/** In a network namespace of its own every port is free. */
export const MODEL_PORT = 18_471;
export const MODEL_URL = `http://127.0.0.1:${MODEL_PORT}`;

/** How the script ends if the model did not start. */
export const NO_MODEL = 97;
/** How it ends if something could not be laid over the user's folders: then nothing was started. */
export const NOT_COVERED = 98;

export interface InsideOptions {
  readonly folder: string;
  readonly covers: readonly string[];
  readonly kept: readonly string[];
  readonly cwd: string;
  /** Node and our own command. */
  readonly harness: readonly [node: string, command: string];
  readonly agent: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function insideScript({ folder, covers, kept, cwd, harness, agent, env }: InsideOptions): string {
  const at = (...names: string[]) => quoted([folder, ...names].join('/'));
  const model = [...harness, 'model', '--script', `${folder}/story.json`, '--port', String(MODEL_PORT)];
  const words = [...model, '--record', `${folder}/requests.jsonl`, '--json'].map(quoted).join(' ');
  const given = Object.entries(env).map(([name, value]) => quoted(`${name}=${value}`));
  return [
    `fail() { echo "$1" >&2; exit ${NOT_COVERED}; }`,
    "ip link set lo up || fail 'the loopback device could not be started'",
    ...kept.flatMap((path, i) => bind(quoted(path), at('kept', String(i)))),
    ...covers.flatMap((path) => [
      `mount --bind ${at('image')}${quoted(path)} ${quoted(path)} || fail 'a folder could not be covered'`,
    ]),
    ...kept.flatMap((path, i) => bind(at('kept', String(i)), quoted(path))),
    `cd ${quoted(cwd)} || fail 'the folder is not there'`,
    `${words} >${at('model.txt')} 2>&1 </dev/null &`,
    `i=0; until grep -q '"url"' ${at('model.txt')}; do i=$((i+1)); [ "$i" -lt 600 ] || exit ${NO_MODEL}; sleep 0.1; done`,
    `env -i ${given.join(' ')} ${agent.map(quoted).join(' ')} </dev/null >${at('stdout.txt')} 2>${at('stderr.txt')}`,
    `echo $? >${at('exit.txt')}`,
  ].join('\n');
}

/** A folder or a file, at a place that is made for it. */
function bind(from: string, to: string): string[] {
  return [
    `if [ -d ${from} ]; then mkdir -p ${to}; else mkdir -p "$(dirname ${to})" && : >>${to}; fi`,
    `mount --bind ${from} ${to} || fail 'a program could not be kept in reach'`,
  ];
}
