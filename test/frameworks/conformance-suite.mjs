// The conformance suite of the protocol as a program: what it says of each thing it looks at, and what of it is missing elsewhere.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const SUITE = join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** The suite wants a newer Node for a command that is not used here. */
const GLOB = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(\`
export const resolve = (name, context, next) => name === 'fs' && context.parentURL?.includes('/conformance/')
  ? { url: 'glob:fs', format: 'module', shortCircuit: true } : next(name, context);
export const load = (url, context, next) => url === 'glob:fs'
  ? { format: 'module', shortCircuit: true, source: "export * from 'node:fs'; export const globSync = () => [];" } : next(url, context);\`));`;

function run(args, env, stdout) {
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(GLOB)}`, SUITE, ...args];
  const stdio = ['ignore', stdout, 'ignore'];
  return spawn(process.execPath, argv, { stdio, env: { ...process.env, ...env } });
}

/** Scenarios of a client in an era: those that it requires, and the rest that the suite runs. */
export async function clientScenarios(era) {
  const child = run(['list', '--client', '--requirements', era], {}, 'pipe');
  let said = '';
  for await (const chunk of child.stdout) said += chunk;
  const [required, rest] = said.split('Client scenarios')[1].split('never scored');
  const names = (text) => [...text.matchAll(/^ *- (\S+)/gm)].map(([, name]) => name);
  const extensions = [...rest.matchAll(/^ *- (\S+) \[client\]/gm)].map(([, name]) => name);
  return { required: names(required), extensions };
}

/** One line for each thing it looks at: where, its name and its status. LATE: it passes but for its time, as on a busy machine. */
export function suite(args, env = {}) {
  const out = mkdtempSync(join(tmpdir(), 'harness-conformance-'));
  const child = run([...args, '-o', out], env, 'ignore');
  return new Promise((resolve) => {
    child.once('exit', () => {
      const files = readdirSync(out, { recursive: true }).filter((name) => name.endsWith('checks.json'));
      const said = files.flatMap((file) =>
        JSON.parse(readFileSync(join(out, file), 'utf8'))
          .filter(({ status }) => status !== 'INFO')
          .map(({ id, status, errorMessage = '' }) => {
            const counted = /\blate\b/.test(errorMessage) ? 'LATE' : status;
            return `${file.replace(/-20\d\d-\d\d-\d\dT.*/, '')} ${id} ${counted}`;
          }),
      );
      resolve([...new Set(said)].sort());
    });
  });
}

export const named = (lines, status) =>
  lines.filter((line) => line.endsWith(` ${status}`)).map((line) => line.slice(0, -status.length - 1));

/** What passes straight and not through; what is late passes only where it is late straight too. A name that also fails does not pass. */
export function missing(plain, through) {
  const passes = (lines, status) => {
    const fails = named(lines, 'FAILURE');
    return named(lines, status).filter((name) => !fails.includes(name));
  };
  const gone = (status, enough) =>
    passes(plain, status).filter((name) => !enough.some((each) => passes(through, each).includes(name)));
  return [...gone('SUCCESS', ['SUCCESS']), ...gone('LATE', ['SUCCESS', 'LATE'])];
}
