/**
 * The part that the files for agents with in-process hooks share: plain JavaScript without dependencies that runs the guard as a
 * child and waits for its answer. No answer in time, a guard that is missing, empty or killed, an exit code other than that of an answer, a text
 * that is not JSON: each is an error, which the agents take for a refusal.
 */
import { ANSWERED } from './guard-line.ts';

export interface InProcessOptions {
  readonly agent: string;
  /** The guard, from the folder of the file that is placed; or its absolute path. */
  readonly guard: { readonly beside: string } | { readonly path: string };
  /** How long an answer is waited for. The guard's own limit is below it. */
  readonly deadlineMs: number;
}

/** Declares `ask(event, payload)`, a promise of the guard's answer as an object: empty if there is nothing to say. */
export function askFunctionSource({ agent, guard, deadlineMs }: InProcessOptions): string {
  const path =
    'path' in guard
      ? JSON.stringify(guard.path)
      : `fileURLToPath(new URL(${JSON.stringify(guard.beside)}, import.meta.url))`;
  return `import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const AGENT = ${JSON.stringify(agent)};
const GUARD = ${path};
const DEADLINE_MS = ${JSON.stringify(deadlineMs)};
const MOST_BYTES = 32 * 1024 * 1024;

function ask(event, payload) {
  return new Promise((resolve, reject) => {
    let child = null;
    let timer;
    const refuse = (why) => {
      clearTimeout(timer);
      child?.kill('SIGKILL');
      reject(new Error(\`Harness gave no answer (\${why}). Run: harness doctor\`));
    };
    timer = setTimeout(() => refuse('not in time'), DEADLINE_MS);
    try {
      child = spawn('sh', [GUARD, AGENT, event], { stdio: ['pipe', 'pipe', 'ignore'] });
      const chunks = [];
      let size = 0;
      child.on('error', (error) => refuse(error.code ?? 'it could not be started'));
      child.stdin.on('error', () => {});
      child.stdout.on('data', (chunk) => {
        size += chunk.length;
        if (size > MOST_BYTES) refuse('too long an answer');
        else chunks.push(chunk);
      });
      child.on('close', (code, signal) => {
        const text = Buffer.concat(chunks).toString('utf8');
        if (code !== ${ANSWERED}) return refuse(signal ?? \`exit code \${code}\`);
        try {
          const answer = text === '' ? {} : JSON.parse(text);
          clearTimeout(timer);
          resolve(answer);
        } catch {
          refuse('not JSON');
        }
      });
      child.stdin.end(JSON.stringify(payload));
    } catch (error) {
      refuse(error.message);
    }
  });
}
`;
}
