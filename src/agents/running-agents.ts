/**
 * Agents that run now with a switch on their command line that keeps our hooks from running. It is seen where the system has a folder of
 * processes; for many of these switches nothing is left to see once the agent has ended.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { isWithin, ownedByMe } from '../machine/index.ts';
import type { CodingAgent } from './coding-agent.ts';
import type { InstallTarget } from './install/installer.ts';
import { isAbout } from './switches.ts';

const PROCESSES = '/proc';

/** Where an installation should guard them, in sentences. */
export function runningUnguarded(agent: CodingAgent, place: InstallTarget): string[] {
  const { scope } = place;
  const flags = agent.switches.flatMap((one) =>
    'words' in one && one.words !== undefined && isAbout(one, place) ? [one] : [],
  );
  if (flags.length === 0) return [];
  return processes()
    .filter(({ argv, cwd }) => isProgramOf(agent, argv) && (!('dir' in scope) || isWithin(cwd, scope.dir)))
    .flatMap(({ pid, argv }) =>
      flags
        .filter(({ words }) => follows(argv, words!))
        .map(
          ({ name, does }) =>
            `process ${pid} runs ${agent.adapter.agent} with ${name}, so that ${does}: end it and start it without`,
        ),
    );
}

/** Started by its name, or by an interpreter that is given the file. */
function isProgramOf({ programs, packages }: CodingAgent, argv: readonly string[]): boolean {
  const [program = '', file = ''] = argv;
  if (programs.includes(basename(program))) return true;
  return (
    /^(?:node|bun)\d*$/.test(basename(program)) &&
    (programs.includes(basename(file)) || packages.some((name) => file.includes(`/node_modules/${name}/`)))
  );
}

function follows(argv: readonly string[], words: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const before = end === -1 ? argv : argv.slice(0, end);
  return before.some((_, at) => words.every((word, i) => before[at + i] === word));
}

interface RunningProcess {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly cwd: string;
}

function processes(): RunningProcess[] {
  let names: string[];
  try {
    names = readdirSync(PROCESSES);
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!ownedByMe(statSync(`${PROCESSES}/${name}`))) return [];
        const argv = readFileSync(`${PROCESSES}/${name}/cmdline`, 'utf8').split('\0').slice(0, -1);
        return [{ pid: Number(name), argv, cwd: readlinkSync(`${PROCESSES}/${name}/cwd`) }];
      } catch {
        // It has ended.
        return [];
      }
    });
}
