/**
 * Limits of the system on one program and all it starts, as words for `prlimit`. They are set inside: the number of processes
 * is then counted for this sandbox alone.
 */
import type { SandboxLimits } from './sandbox.ts';

const MB = 1024 * 1024;

interface Row {
  readonly flag: string;
  /** As `/proc/self/limits` calls it. */
  readonly name: string;
  readonly value: (limits: SandboxLimits) => number;
}

const ROWS: readonly Row[] = [
  { flag: '--nproc', name: 'Max processes', value: ({ processes }) => processes },
  // What it may write to of its memory. The whole address space would be the wrong measure: some programs reserve far more than they use.
  { flag: '--data', name: 'Max data size', value: ({ memory_mb }) => memory_mb * MB },
  { flag: '--fsize', name: 'Max file size', value: ({ file_mb }) => file_mb * MB },
  { flag: '--nofile', name: 'Max open files', value: ({ open_files }) => open_files },
  { flag: '--cpu', name: 'Max cpu time', value: ({ cpu_seconds }) => cpu_seconds },
];

/** By name; one that is not there has no end. */
export type HardLimits = ReadonlyMap<string, number>;

/** From the text of `/proc/self/limits`. */
export function readHardLimits(text: string): HardLimits {
  const rows = text.matchAll(/^(Max [a-z ]+?) {2,}\S+ +(\d+)/gm);
  return new Map([...rows].map(([, name, hard]) => [name!, Number(hard)]));
}

/** Nobody without rights can go beyond what holds for itself: the smaller counts. */
export function limitWords(limits: SandboxLimits, prlimit: string, hard: HardLimits): readonly string[] {
  const set = ROWS.map(({ flag, name, value }) => [flag, value(limits), hard.get(name)] as const)
    .filter(([, value]) => value > 0)
    .map(([flag, value, most = value]) => `${flag}=${Math.min(value, most)}`);
  // A core file is memory that was never meant to be read.
  return [prlimit, '--core=0', ...set, '--'];
}
