/** The PostgreSQL that scripts/test-fleet.mjs started: databases of their own, and the server killed and started again. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

interface Server {
  readonly bin: string;
  readonly data: string;
  readonly folder: string;
  readonly port: number;
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

const server = JSON.parse(process.env.HARNESS_FLEET_POSTGRES ?? 'null') as Server;

export function urlOf(name: string): string {
  return `postgres://hub@127.0.0.1:${server.port}/${name}`;
}

/** Whose files are those of the database; null: this user's. */
export function databaseUser(): Server['user'] {
  return server.user;
}

export async function createDatabase(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return urlOf(name);
}

/** As a machine loses its power: the postmaster and its children get SIGKILL or SIGQUIT. */
export function killPostgres(signal: 'SIGKILL' | 'SIGQUIT'): void {
  const [pid] = readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), signal);
}

export function startPostgres(): void {
  const options = `-p ${server.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${server.folder}`;
  const args = [
    '-D',
    server.data,
    '-l',
    join(server.folder, 'log'),
    '-o',
    options,
    '-w',
    '-t',
    '60',
    'start',
  ];
  for (let attempt = 0; attempt < 20; attempt++) {
    const { status } = spawnSync(join(server.bin, 'pg_ctl'), args, {
      stdio: 'ignore',
      cwd: server.folder,
      ...(server.user !== null && { uid: server.user.uid, gid: server.user.gid }),
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
    if (status === 0) return;
    // Children of a killed server have to see that it is gone before another may use the folder.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
  }
  throw new Error(
    `PostgreSQL does not start: ${readFileSync(join(server.folder, 'log'), 'utf8').slice(-2000)}`,
  );
}
