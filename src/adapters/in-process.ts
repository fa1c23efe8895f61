/**
 * The part that the files for agents with in-process hooks share: plain JavaScript without dependencies that calls the
 * launcher as a child and waits for its answer. No answer in time, an answer without its mark, a child that is killed, cannot be
 * started or prints something else: each is an error, which the agents take for a refusal.
 */
import { MARK } from './guard-line.ts';

export interface InProcessOptions {
  /** The whole command line of the launcher for an event, `--mark` included: program first. */
  readonly launch: (event: string) => readonly string[];
  /** How long an answer is waited for. The launcher's own deadline is below it. */
  readonly deadlineMs: number;
  /** Said when no answer arrives: what the person can do about it. */
  readonly help?: string;
}

/** Declares `ask(event, payload)`, a promise of the launcher's answer as an object: empty if it has nothing to say. */
export function askSource(
  events: readonly string[],
  { launch, deadlineMs, help = '' }: InProcessOptions,
): string {
  const lines = Object.fromEntries(events.map((event) => [event, launch(event)]));
  return `import { spawn } from 'node:child_process';

const LAUNCH = ${JSON.stringify(lines, null, 2)};
const DEADLINE_MS = ${JSON.stringify(deadlineMs)};
const MARK = ${JSON.stringify(MARK)};
const HELP = ${JSON.stringify(help)};
const MOST_BYTES = 32 * 1024 * 1024;

function ask(event, payload) {
  return new Promise((resolve, reject) => {
    let child = null;
    let timer;
    const refuse = (why) => {
      clearTimeout(timer);
      child?.kill('SIGKILL');
      const help = HELP === '' ? '' : \` \${HELP}\`;
      reject(new Error(\`Blocked: the policy gave no answer (\${why}).\${help}\`));
    };
    timer = setTimeout(() => refuse('not in time'), DEADLINE_MS);
    try {
      const [program, ...args] = LAUNCH[event];
      child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
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
        if (!text.endsWith(MARK)) return refuse(signal ?? \`exit code \${code}\`);
        try {
          const answer = text.length === MARK.length ? {} : JSON.parse(text.slice(0, -MARK.length));
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
