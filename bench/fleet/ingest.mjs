// What it costs a hub to take tapes, beside a raw COPY of the same lines into the same PostgreSQL: CPU of the hub and of all processes of
// the database, disk of their tables. A hub lives for days, so one set of tapes goes through each before the first round.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { median, printTable } from '../measure.mjs';
import { homeAt, startHub } from './commands.mjs';
import { cpuOf, cpuOfDatabase } from './cpu.mjs';
import { longTape } from './lines.mjs';

const [TAPES, ENTRIES, ROUNDS] = [20, 1000, Number(process.env.BENCH_ROUNDS ?? 5)];
const COUNT = TAPES * (ENTRIES + 1);

/** Rows for the table of bars. */
export async function benchIngest(server, scratch) {
  const runs = join(scratch, 'ingest/.harness/runs');
  mkdirSync(runs, { recursive: true });
  await withClient(server, 'postgres', (client) => client.query('CREATE DATABASE ingest'));
  const ways = {
    postgres: await wayOf(scratch, runs, 'postgres', ['--db', server.url('ingest')]),
    sqlite: await wayOf(scratch, runs, 'sqlite', ['--dir', join(scratch, 'hub')]),
  };
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const tapes = Array.from({ length: TAPES }, (_, i) => [
      `r${round}-${i}`,
      longTape(`r${round}-${i}`, ENTRIES),
    ]);
    for (const [session, tape] of tapes) writeFileSync(join(runs, `${session}.jsonl`), tape);
    const raw = await copyRaw(server, tapes, `raw_d${round}`);
    const postgres = await ingest(ways.postgres, server);
    const sqlite = await ingest(ways.sqlite, null);
    for (const [session] of tapes) rmSync(join(runs, `${session}.jsonl`));
    if (round > 0) rounds.push({ raw, postgres, sqlite });
  }
  const bytes = {
    raw: await sizeOf(server, 'postgres', ['raw']),
    postgres: await sizeOf(server, 'ingest', ['segments', 'decisions']),
    sqlite: ['hub.db', 'hub.db-wal'].reduce(
      (sum, name) => sum + (statSync(join(scratch, 'hub', name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    ),
  };
  const us = (of) => median(rounds.map(of)) / COUNT;
  const sumOf = ({ hub, database }) => hub + database;
  const ratio = (of) => median(rounds.map((round) => of(round) / sumOf(round.raw)));
  const row = (name, key) => [
    name,
    us((round) => round[key].hub).toFixed(1),
    us((round) => round[key].database).toFixed(1),
    `${ratio((round) => sumOf(round[key])).toFixed(2)}×`,
    (bytes[key] / COUNT / (ROUNDS + 1)).toFixed(0),
    `${(bytes[key] / bytes.raw).toFixed(2)}×`,
  ];
  printTable(
    `Ingest: ${ROUNDS} rounds of ${COUNT} entries; CPU in µs an entry, medians`,
    ['', 'hub', 'database', 'CPU to COPY', 'bytes', 'disk to COPY'],
    [
      row('raw COPY of the lines', 'raw'),
      row('hub on PostgreSQL', 'postgres'),
      row('hub on SQLite', 'sqlite'),
    ],
  );
  return [
    ['verified ingest, CPU to raw COPY', ratio(({ postgres }) => sumOf(postgres)), 2],
    ['its disk to that of raw COPY', bytes.postgres / bytes.raw, 0.5],
    [
      'ingest, CPU of SQLite to PostgreSQL',
      median(rounds.map(({ sqlite, postgres }) => sumOf(sqlite) / sumOf(postgres))),
      1,
    ],
  ];
}

async function wayOf(scratch, runs, name, place) {
  const home = homeAt(join(scratch, `home-${name}`));
  const hub = await startHub(home, place);
  const { token } = JSON.parse(home.harness('hub', 'token', '--join', ...place, '--json'));
  home.harness('fleet', 'join', hub.url, '--token', token);
  const folders = join(home.folder, '.local/state/harness/fleet/folders');
  mkdirSync(folders, { recursive: true, mode: 0o700 });
  writeFileSync(join(folders, 'bench'), runs);
  return { ...home, hub };
}

async function ingest({ harness, hub }, server) {
  const before = { hub: cpuOf(hub.pid), database: server === null ? 0 : cpuOfDatabase(server) };
  const sent = JSON.parse(harness('fleet', 'agent', '--once', '--json'));
  if (sent.entries !== COUNT) throw new Error(`want ${COUNT} entries to be sent, got ${sent.entries}`);
  if (server !== null) await withClient(server, 'ingest', (client) => client.query('CHECKPOINT'));
  return {
    hub: cpuOf(hub.pid) - before.hub,
    database: server === null ? 0 : cpuOfDatabase(server) - before.database,
  };
}

/** One row a line, sent by psql, and then a unique index over all of them. */
async function copyRaw(server, tapes, table) {
  const file = join(server.folder, 'lines.copy');
  const rows = tapes.flatMap(([session, tape]) =>
    tape
      .trimEnd()
      .split('\n')
      .map((line, seq) => `${session}\t${seq}\t${line.replaceAll('\\', '\\\\')}`),
  );
  writeFileSync(file, `${rows.join('\n')}\n`, { mode: 0o644 });
  const run = (...statements) =>
    withClient(server, 'postgres', async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  await run(`CREATE TABLE ${table} (tape text, seq bigint, line text)`);
  const before = cpuOfDatabase(server);
  const copy = `TIMEFORMAT='%U %S'; time psql -q -d ${server.url('postgres')} -c "\\copy ${table} from '${file}'"`;
  const { stderr } = spawnSync('bash', ['-c', copy], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  const [user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  await run(`CREATE UNIQUE INDEX ${table}_key ON ${table} (tape, seq)`, 'CHECKPOINT');
  rmSync(file);
  return { hub: (user + system) * 1e6, database: cpuOfDatabase(server) - before };
}

async function sizeOf(server, name, tables) {
  return withClient(server, name, async (client) => {
    const { rows } = await client.query(
      'SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class WHERE relname ~ $1',
      [`^(?:${tables.join('|')})(?:_d[0-9]+)?$`],
    );
    return Number(rows[0].size);
  });
}

async function withClient(server, name, work) {
  const client = new pg.Client({ connectionString: server.url(name) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
