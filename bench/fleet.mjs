// `npm run bench:fleet`: what it costs a hub to take tapes, beside a raw COPY of the same lines into the same PostgreSQL, in one run.
// CPU is that of the hub and of all processes of the database; disk is what their tables take. Exits 1 where a bar is missed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { entryBody, entryLine, hashLine, headerLine } from '../dist/tape/chain.js';
import { CLI_FILE } from '../scripts/build-cli.mjs';
import { startPostgres } from '../scripts/postgres.mjs';
import { printTable } from './measure.mjs';

const [TAPES, ENTRIES] = [20, 2000];
const COUNT = TAPES * ENTRIES;
const BARS = { cpu: 2, disk: 0.5 };
/** Clock ticks of /proc. */
const TICK_US = 10_000;

const scratch = mkdtempSync(join(tmpdir(), 'harness-bench-fleet-'));
const runs = join(scratch, 'work/.harness/runs');
mkdirSync(runs, { recursive: true });
const lines = writeTapes();
const server = await startPostgres();
if (server === null) {
  console.error('SKIPPED: PostgreSQL is missing and cannot be installed here');
  process.exit(0);
}
const hubs = [];
let missed = false;
try {
  const postmaster = Number(readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const database = new pg.Client({ connectionString: server.url('postgres') });
  await database.connect();
  await database.query('CREATE DATABASE hub');
  const copied = await copyRaw(postmaster);
  const onPostgres = await ingest('postgres', ['--db', server.url('hub')], postmaster);
  const onSqlite = await ingest('sqlite', ['--dir', join(scratch, 'hub')], null);
  const size = async (name, ...tables) => {
    const client = new pg.Client({ connectionString: server.url(name) });
    await client.connect();
    const { rows } = await client.query(
      'SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class WHERE relname ~ $1',
      [`^(?:${tables.join('|')})(?:_d[0-9]+)?$`],
    );
    await client.end();
    return Number(rows[0].size);
  };
  const raw = await size('postgres', 'raw');
  const stored = await size('hub', 'segments', 'decisions');
  const embedded = ['hub.db', 'hub.db-wal'].reduce(
    (sum, name) => sum + (statSync(join(scratch, 'hub', name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const us = (ticks) => (ticks * TICK_US) / COUNT;
  const row = (name, hub, db, bytes) => {
    const cpu = us(hub + db) / us(copied);
    return [
      name,
      us(hub).toFixed(1),
      us(db).toFixed(1),
      `${cpu.toFixed(2)}×`,
      (bytes / COUNT).toFixed(0),
      `${(bytes / raw).toFixed(2)}×`,
    ];
  };
  printTable(
    `${COUNT} entries of ${Math.round(lines / COUNT)} bytes; CPU in µs an entry`,
    ['', 'hub', 'database', 'CPU to COPY', 'bytes', 'disk to COPY'],
    [
      row('raw COPY of the lines', 0, copied, raw),
      row('hub on PostgreSQL', onPostgres.hub, onPostgres.database, stored),
      row('hub on SQLite', onSqlite.hub, 0, embedded),
    ],
  );
  const cpu = (onPostgres.hub + onPostgres.database) / copied;
  console.log(
    `bars: CPU ${cpu.toFixed(2)} ≤ ${BARS.cpu}, disk ${(stored / raw).toFixed(2)} ≤ ${BARS.disk}, SQLite ${onSqlite.hub} ≤ PostgreSQL ${onPostgres.hub + onPostgres.database} ticks`,
  );
  missed = cpu > BARS.cpu || stored / raw > BARS.disk || onSqlite.hub > onPostgres.hub + onPostgres.database;
  await database.end();
} finally {
  for (const hub of hubs) hub.kill('SIGKILL');
  server.stop();
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = missed ? 1 : 0;

/** Lines as a session leaves them, with texts that do not compress to nothing. Gives their bytes. */
function writeTapes() {
  const words =
    'the run of a test in src with files and a build that reads writes fails passes again because'.split(' ');
  let state = 1;
  const word = () => words[(state = (state * 48271) % 2147483647) % words.length] + (state % 97);
  const text = (count) => Array.from({ length: count }, word).join(' ');
  let bytes = 0;
  for (let tape = 0; tape < TAPES; tape++) {
    const session = `bench-${tape}`;
    const policy = { digest: '0'.repeat(64), files: {}, hooks: [], settings: {} };
    const header = {
      tape: 2,
      session,
      engine: 'bench',
      host: 'bench',
      policy,
      started: '2026-01-01T00:00:00.000Z',
    };
    const all = [headerLine(header)];
    for (let i = 1; i <= ENTRIES; i++) {
      const payload = {
        id: `call_${i}`,
        name: 'run_command',
        args: { command: text(30), description: text(10) },
      };
      const hooks = [
        { hook: 'audit', steps: 31, effects: [{ kind: 'log', level: 'info', message: text(120) }] },
      ];
      const record = {
        type: 'decision',
        in: { dispatch: i, run: 1, event: 'tool.pre', payload },
        out: { action: 'allow', hooks },
      };
      all.push(entryLine(i, hashLine(all.at(-1)), entryBody(record, 1_770_000_000_000 + i, [0.5, 0.1])));
    }
    const file = `${all.join('\n')}\n`;
    bytes += Buffer.byteLength(file);
    writeFileSync(join(runs, `${session}.jsonl`), file);
  }
  return bytes;
}

/** Ticks of all processes of the database, those that have ended included. */
function databaseTicks(postmaster) {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = statOf(name);
      if (Number(name) === postmaster) ticks += fields.own + fields.ended;
      else if (fields.parent === postmaster) ticks += fields.own;
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks;
}

function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return { parent: fields[1], own: fields[11] + fields[12], ended: fields[13] + fields[14] };
}

/** One row a line, sent by psql. Gives the ticks of both sides. */
async function copyRaw(postmaster) {
  const file = join(server.folder, 'lines.copy');
  const rows = [];
  for (const name of readdirSync(runs))
    readFileSync(join(runs, name), 'utf8')
      .trimEnd()
      .split('\n')
      .forEach((line, seq) => {
        rows.push(`${name}\t${seq}\t${line.replaceAll('\\', '\\\\')}`);
      });
  writeFileSync(file, `${rows.join('\n')}\n`, { mode: 0o644 });
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  await client.query('CREATE TABLE raw (tape text, seq bigint, line text)');
  const before = databaseTicks(postmaster);
  const copy = `TIMEFORMAT='%U %S'; time psql -q -d ${server.url('postgres')} -c "\\copy raw from '${file}'"`;
  const { stderr } = spawnSync('bash', ['-c', copy], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  const seconds = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  await client.query('CREATE UNIQUE INDEX raw_key ON raw (tape, seq)');
  await client.query('CHECKPOINT');
  const ticks = databaseTicks(postmaster) - before + ((seconds[0] + seconds[1]) * 1e6) / TICK_US;
  await client.end();
  rmSync(file);
  return ticks;
}

async function ingest(name, place, postmaster) {
  const home = join(scratch, `home-${name}`);
  const env = { PATH: process.env.PATH, HOME: home };
  const harness = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI_FILE, ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`harness ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  mkdirSync(home);
  if (place[0] === '--db') harness('hub', 'migrate', ...place);
  const hub = spawn(process.execPath, [CLI_FILE, 'hub', 'serve', ...place, '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  hubs.push(hub);
  const [line] = await once(hub.stdout, 'data');
  const { url } = JSON.parse(line);
  const { token } = JSON.parse(harness('hub', 'token', '--join', ...place, '--json'));
  harness('fleet', 'join', url, '--token', token);
  const folders = join(home, '.local/state/harness/fleet/folders');
  mkdirSync(folders, { recursive: true, mode: 0o700 });
  writeFileSync(join(folders, 'bench'), runs);
  const [hubBefore, databaseBefore] = [
    statOf(hub.pid).own,
    postmaster === null ? 0 : databaseTicks(postmaster),
  ];
  const sent = JSON.parse(harness('fleet', 'agent', '--once', '--json'));
  if (sent.entries !== COUNT) throw new Error(`want ${COUNT} entries to be sent, got ${sent.entries}`);
  if (postmaster !== null) {
    const client = new pg.Client({ connectionString: server.url('hub') });
    await client.connect();
    await client.query('CHECKPOINT');
    await client.end();
  }
  return {
    hub: statOf(hub.pid).own - hubBefore,
    database: postmaster === null ? 0 : databaseTicks(postmaster) - databaseBefore,
  };
}
