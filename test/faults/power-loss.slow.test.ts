/**
 * Loss of power at any moment of real sessions. Launchers are run as an agent runs them, and each change they make to files is recorded;
 * states that the disk may be left in are made from that (test/support/power-loss.ts) and gone on with. Whatever is there: everything
 * opens by itself, calls are decided as before, and with `tape.sync` every answer given is on the tape and every grant is counted.
 *
 * By hand: `npm run test:power -- --states 5000 --seed 7`.
 */
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bootId } from '../../src/machine/this-machine.ts';
import { PowerLoss, type Recorded, randomFrom } from '../support/power-loss.ts';
import { asLauncher, check, decideHere, NAMES, placeSession, work } from '../support/power-session.ts';
import { remove } from '../support/remove.ts';

const STATES = Number(process.env.POWER_STATES ?? 200);
const SEED = Number(process.env.POWER_SEED ?? Math.floor(Math.random() * 1e9));
const RECORDER = new URL('../support/record-files.cjs', import.meta.url).pathname;

/** As it is after the machine was started again: what names the boot names another one. */
function recordedIn(log: string): Recorded[] {
  const other = bootId().replace(/[0-9a-f]/g, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16));
  return readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded)
    .map((one) => {
      if (one.op !== 'write' || bootId() === '') return one;
      const text = Buffer.from(one.data, 'base64').toString('latin1').replaceAll(bootId(), other);
      return { ...one, data: Buffer.from(text, 'latin1').toString('base64') };
    });
}

interface Variant {
  readonly sync: boolean;
  readonly withDaemon: boolean;
  /** Of the states. */
  readonly share: number;
}

/** The changes of one run of the sessions, in their order. */
async function record(folder: string, home: string, { sync, withDaemon }: Variant) {
  const session = placeSession(home, sync);
  const disk = new PowerLoss(home);
  const log = join(folder, 'log');
  const tell = (...changes: readonly Recorded[]) =>
    appendFileSync(log, changes.map((one) => `${JSON.stringify(one)}\n`).join(''));
  await work(session, {
    env: { NODE_OPTIONS: `--require=${RECORDER}`, RECORD_ROOT: home, RECORD_LOG: log },
    withDaemon,
    onAnswer: (call) => tell({ op: 'answered', call }),
    onRule: (path, text) =>
      tell(
        { op: 'create', path: `${path}~`, ino: -1 },
        { op: 'write', ino: -1, at: 0, data: Buffer.from(text).toString('base64') },
        { op: 'sync', ino: -1 },
        { op: 'rename', path: `${path}~`, to: path },
        { op: 'syncdir', path: dirname(path) },
      ),
  });
  return { session, disk, recorded: recordedIn(log) };
}

const LOSES_NOTHING = 'nothing that was answered is lost, and everything opens by itself';

describe.each<[string, Variant]>([
  [`by launchers, with tape.sync: ${LOSES_NOTHING}`, { sync: true, withDaemon: false, share: 0.4 }],
  [`by a daemon, with tape.sync: ${LOSES_NOTHING}`, { sync: true, withDaemon: true, share: 0.4 }],
  [
    'by launchers, without tape.sync: everything opens by itself',
    { sync: false, withDaemon: false, share: 0.1 },
  ],
  [
    'by a daemon, without tape.sync: everything opens by itself',
    { sync: false, withDaemon: true, share: 0.1 },
  ],
])('a loss of power at any moment of a session that is decided %s', (_name, variant) => {
  const states = Math.ceil(STATES * variant.share);
  const folder = mkdtempSync(join(tmpdir(), 'harness-power-'));
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    remove(folder);
  });

  it(`in ${states} states (seed ${SEED})`, async () => {
    const { session, disk, recorded } = await record(folder, join(folder, 'home'), variant);
    const kinds = new Set(recorded.map(({ op }) => op));
    for (const kind of ['answered', 'create', 'link', 'mkdir', 'rename', 'sync', 'unlink', 'write'] as const)
      expect(kinds).toContain(kind);
    asLauncher(session);
    const wrong: string[] = [];
    for (let state = 0; state < states && wrong.length < 20; state++) {
      const random = randomFrom(SEED + state);
      const until = Math.floor(random() * (recorded.length + 1));
      disk.strike(recorded.slice(0, until), random);
      const answered = recorded.slice(0, until).flatMap((one) => (one.op === 'answered' ? [one.call] : []));
      const names = NAMES[state % NAMES.length]!;
      const found = await check(session, decideHere, names, answered, variant.sync).catch(
        (thrown: unknown) => [`threw ${String(thrown)}`],
      );
      wrong.push(
        ...found.map((what) => `seed ${SEED + state}, ${until} of ${recorded.length} changes: ${what}`),
      );
    }
    expect(wrong).toEqual([]);
  });
});
