/** The page's server as a process of its own, and a browser that is none: requests with exactly the headers that are given. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { CLI_FILE } from '../../scripts/build-cli.mjs';
import { remove } from '../support/remove.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into is what they test
  readonly json: any;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Page {
  readonly link: URL;
  readonly token: string;
  /** Where its data is. */
  readonly room: string;
  /** What a key is given for. */
  open(key: string): Promise<{ readonly answer: Answered; readonly cookie: string; readonly room: string }>;
  /** As a browser that has opened the link asks; `/api` is its room. */
  get(path: string, sent?: Sent): Promise<Answered>;
  post(path: string, body: unknown, sent?: Sent): Promise<Answered>;
  /** As anybody asks, with no header but what is given. */
  raw(path: string, sent?: Sent): Promise<Answered>;
  /** Asks again until the answer says that it is done. */
  done(path: string): Promise<Answered>;
  readonly process: ChildProcess;
}

/** As JSON, or as a person reads it; whole if something comes after it. */
const LINK = /http:[\w:/.?=-]+(?=[^\w:/.?=-])/;

/** Ended after the tests of the file. */
const made: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of made) await end();
});

/** Whether `script` can give a command a terminal. */
export const canBePerson = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

export function openPage(dir: string, ...args: readonly string[]): Promise<Page> {
  return openWith([process.execPath, CLI_FILE, 'ui', '--dir', dir, '--json', ...args], {});
}

/** As a person opens it, for whoever has that home. `opener`: a folder with a browser of theirs, which is opened. */
export function openAtTerminal(dir: string, home: string, opener: string | null = null): Promise<Page> {
  const line = [process.execPath, CLI_FILE, 'ui', '--dir', dir, ...(opener === null ? ['--json'] : [])]
    .map((word) => `'${word}'`)
    .join(' ');
  const PATH = opener === null ? process.env.PATH! : `${opener}:${process.env.PATH}`;
  return openWith(['script', '-qec', line, '/dev/null'], { HOME: home, PATH });
}

async function openWith(
  [program = '', ...args]: readonly string[],
  env: Record<string, string>,
): Promise<Page> {
  const home = mkdtempSync(join(tmpdir(), 'harness-page-'));
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  made.push(() => {
    child.kill('SIGKILL');
    return remove(home);
  });
  const link = await new Promise<string>((resolve, reject) => {
    let [said, told] = ['', ''];
    child.stdout!.on('data', (chunk: Buffer) => {
      said += String(chunk);
      const [link] = LINK.exec(said) ?? [];
      if (link !== undefined) resolve(link);
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      told += String(chunk);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${told}`)));
  });
  return { ...(await browse(link)), process: child };
}

/** As a browser does that has been given the link. */
export async function browse(text: string): Promise<Omit<Page, 'process'>> {
  const link = new URL(text);
  const token = link.searchParams.get('token')!;
  const raw: Page['raw'] = (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      // The path goes out as it is written: a URL would tidy it up.
      const asked = request(
        { host: link.hostname, port: link.port, path, method, headers: { host: link.host, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const json = /json/.test(response.headers['content-type'] ?? '') ? JSON.parse(text) : null;
            resolve({ status: response.statusCode!, headers: response.headers, text, json });
          });
        },
      );
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const json = { origin: link.origin, 'content-type': 'application/json' };
  const open: Page['open'] = async (key) => {
    const answer = await raw('/api/open', { method: 'POST', headers: json, body: { key } });
    const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
    return { answer, cookie, room: `/api/${answer.json.room}` };
  };
  const { room, cookie } = await open(token);
  const get: Page['get'] = (path, sent = {}) =>
    raw(path.replace(/^\/api(?=\/)/, room), { ...sent, headers: { cookie, ...sent.headers } });
  return {
    link,
    token,
    room,
    raw,
    get,
    open,
    post: (path, body, sent = {}) =>
      get(path, {
        method: 'POST',
        body,
        ...sent,
        headers: { ...json, ...sent.headers },
      }),
    done: async (path) => {
      for (;;) {
        const answer = await get(path);
        if (answer.status !== 200 || answer.json.done === true) return answer;
      }
    },
  };
}
