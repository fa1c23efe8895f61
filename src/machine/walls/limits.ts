/**
 * Limits of the system on one program and all it starts, as lines of the shell that sets them and then is the program. One that cannot
 * be set ends it: the program does not start.
 */
import type { SandboxLimits } from './sandbox.ts';

const MB = 1024 * 1024;

interface Row {
  /** Of `ulimit`; shells that know a second spelling do not take the first one. */
  readonly options: readonly [string, string?];
  /** In which the option counts. */
  readonly unit: number;
  /** As `/proc/self/limits` calls it. */
  readonly name: string;
  readonly value: (limits: SandboxLimits) => number;
}

const PROCESSES: Row = {
  ...{ options: ['-p', '-u'], unit: 1, name: 'Max processes' },
  value: ({ processes }) => processes,
};
const OTHERS: readonly Row[] = [
  // What it may write to of its memory. The whole address space would be the wrong measure: some programs reserve far more than they use.
  { options: ['-d'], unit: 1024, name: 'Max data size', value: ({ memory_mb }) => memory_mb * MB },
  { options: ['-f'], unit: 512, name: 'Max file size', value: ({ file_mb }) => file_mb * MB },
  { options: ['-n'], unit: 1, name: 'Max open files', value: ({ open_files }) => open_files },
  { options: ['-t'], unit: 1, name: 'Max cpu time', value: ({ cpu_seconds }) => cpu_seconds },
];

/** By name; one that is not there has no end. */
export type HardLimits = ReadonlyMap<string, number>;

/** From the text of `/proc/self/limits`. */
export function readHardLimits(text: string): HardLimits {
  const rows = text.matchAll(/^(Max [a-z ]+?) {2,}\S+ +(\d+)/gm);
  return new Map([...rows].map(([, name, hard]) => [name!, Number(hard)]));
}

/**
 * `counted`: the number of processes is limited too, which has to happen inside, where only those of this sandbox are counted; root is not held by it.
 * Nobody without rights can go beyond what holds for itself: the smaller counts.
 */
export function limitLines(limits: SandboxLimits, hard: HardLimits, counted: boolean): string {
  const set = (counted ? [PROCESSES, ...OTHERS] : OTHERS)
    .filter(({ value }) => value(limits) > 0)
    .map(({ options: [option, other], unit, name, value }) => {
      const most = Math.floor(Math.min(value(limits), hard.get(name) ?? Infinity) / unit);
      const line = `ulimit ${option} ${most}`;
      return other === undefined ? line : `{ ${line} 2>/dev/null || ulimit ${other} ${most}; }`;
    });
  // A core file is memory that was never meant to be read.
  return `{ ${['ulimit -c 0', ...set].join(' && ')}; } || exit 125`;
}

/** The words of a shell that does so, and then is what follows. */
export function shellBefore(lines: string, ...words: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', `${lines}; exec "$@"`, 'sh', ...words];
}
