/**
 * Loss of power on a real ext4: sessions are at work in an image that is mounted, and copies of the image are what the disk had at moments
 * when no process was in a system call. Each copy is mounted in the same place, the file system's journal is played back, and the sessions
 * go on. The kernel is asked to write as late as it can.
 *
 * By hand: `TMPDIR=/dev/shm npm run test:power -- --states 5000`; in memory it takes half of the time.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { system } from '../../src/machine/this-machine.ts';
import {
  asLauncher,
  check,
  decideHere,
  decideThere,
  NAMES,
  type PowerSession,
  placeSession,
  work,
} from '../support/power-session.ts';
import { remove } from '../support/remove.ts';

/** Copies of the image, each at a random moment of a call. */
const COPIES = Number(process.env.POWER_COPIES ?? 12);
/** Of one run of the sessions: each takes 24 MB until it is checked. */
const MOST_AT_ONCE = 40;
const OPTIONS = 'loop,commit=600,noauto_da_alloc,nodev,nosuid';

const run = (program: string, ...args: readonly string[]) => spawnSync(program, args, { encoding: 'utf8' });
const folder = mkdtempSync(join(tmpdir(), 'harness-image-'));
const image = join(folder, 'disk');
const home = join(folder, 'home');

/** Null if an image can be mounted here; else why not. */
function whyNot(): string | null {
  mkdirSync(home);
  if (run('truncate', '-s', '24M', image).status !== 0) return 'no file of 24 MB can be made';
  const made = run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image);
  if (made.error !== undefined) return 'mkfs.ext4 is not there (Debian: apt install e2fsprogs)';
  const mounted = mount(image);
  return made.status === 0 && mounted === null
    ? null
    : `an ext4 image cannot be mounted: ${mounted ?? made.stderr}`;
}

function mount(file: string): string | null {
  const { status, stderr } = run('mount', '-t', 'ext4', '-o', OPTIONS, file, home);
  return status === 0 ? null : stderr.trim();
}

const reason = whyNot();
if (reason !== null) process.stderr.write(`SKIPPED: loss of power on a real ext4 image: ${reason}\n`);

afterAll(() => {
  if (reason === null) run('umount', home);
  remove(folder);
});

/** The processes of a launcher in this project. */
function launchers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`--dir\0${home}/project`);
      } catch {
        return false;
      }
    });
}

const isStopped = (pid: number) => {
  try {
    return /\) [TZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Copy {
  readonly file: string;
  /** Calls that were answered before. */
  readonly answered: readonly string[];
}

/** The sessions from their beginning, with copies of the image while they are at work and one after their end. */
async function workAndCopy(most: number): Promise<{ session: PowerSession; copies: Copy[] }> {
  for (const name of readdirSync(home))
    if (name !== 'lost+found') rmSync(join(home, name), { recursive: true });
  const session = placeSession(home, true);
  run('sync', '-f', home);
  const answered: string[] = [];
  const copies: Copy[] = [];
  const copy = () => {
    const file = join(folder, `copy-${copies.length}`);
    const before = [...answered];
    copyFileSync(image, file);
    copies.push({ file, answered: before });
  };
  let over = false;
  const interrupted = (async () => {
    while (!over && copies.length < most - 1) {
      await pause(Math.random() * (2000 / most));
      const pids = launchers();
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      while (!pids.every(isStopped)) await pause(1);
      if (pids.length > 0) copy();
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
  })();
  await work(session, { onAnswer: (call) => void answered.push(call) });
  over = true;
  await interrupted;
  copy();
  expect(run('umount', home).status).toBe(0);
  return { session, copies };
}

describe.skipIf(reason !== null)('a loss of power on a real ext4', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it(`loses no answer that was given with tape.sync, and everything opens by itself, in ${COPIES} copies of the image`, async () => {
    const wrong: string[] = [];
    let at = 0;
    while (at < COPIES && wrong.length < 20) {
      const { session, copies } = await workAndCopy(Math.min(COPIES - at, MOST_AT_ONCE));
      asLauncher(session);
      vi.spyOn(system, 'bootId').mockReturnValue('another');
      for (const { file, answered } of copies) {
        expect(mount(file)).toBeNull();
        // Processes of their own for the first, as an agent has them.
        const decide = at < 12 ? decideThere : decideHere;
        const names = NAMES[at % NAMES.length]!;
        const found = await check(session, decide, names, answered, true).catch((thrown: unknown) => [
          `threw ${String(thrown)}`,
        ]);
        wrong.push(...found.map((what) => `copy ${at}, after ${answered.length} answers: ${what}`));
        expect(run('umount', home).status).toBe(0);
        rmSync(file);
        at++;
      }
      vi.restoreAllMocks();
      expect(mount(image)).toBeNull();
      expect(existsSync(session.dir)).toBe(true);
    }
    process.stderr.write(`loss of power on ext4: ${at} copies\n`);
    expect(wrong).toEqual([]);
  });
});
