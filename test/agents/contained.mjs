// `harness sandbox -- AGENT …` with what `harness install` wrote: the hooks decide as ever, and what they are told to let pass
// meets the walls. The same attempts are made outside before, where every one of them must succeed.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { registeredIn, USER_POLICY } from './guarded.mjs';

/** The model has another address. */
const HOST = '127.0.0.2';

/** What a person with a model server of their own has to say: where it is, and which variable has its key. */
const OWN_MODEL = `---
network: {allowed_domains: [127.0.0.1]}
environment: {pass: [SCRIPTED_KEY]}
---
`;

/** The line that starts an agent inside, and what became of the attempts. */
export async function contain({ agent, argv, modules, cwd, home, root, env, here, harness }) {
  const { listener, count } = await listen();
  agent.startedBefore?.({ cwd, home });
  const credential = join(home, '.aws/credentials');
  mkdirSync(dirname(credential), { recursive: true });
  writeFileSync(credential, 'PLANTED_CREDENTIAL');
  mkdirSync(join(root, USER_POLICY), { recursive: true });
  writeFileSync(join(root, USER_POLICY, 'harness.md'), OWN_MODEL);
  mkdirSync(join(cwd, '.harness/runs'), { recursive: true });
  copyFileSync(join(here, 'attempts.mjs'), join(cwd, 'attempts.mjs'));
  const targets = {
    credential,
    policy: join(cwd, '.harness/hooks/the_rule.md'),
    registered: registeredIn(root),
    newRule: join(cwd, '.harness/hooks/new.md'),
    newTape: join(cwd, '.harness/runs/new.jsonl'),
    ...{ host: HOST, port: listener.address().port },
  };
  writeFileSync(join(cwd, 'targets.json'), JSON.stringify(targets));
  await promisify(execFile)(process.execPath, ['attempts.mjs'], { cwd, env });
  const outside = made(cwd);
  const reachedOutside = count();
  writeFileSync(join(cwd, 'attempts.json'), '{}');

  const bin = join(root, 'bin');
  mkdirSync(bin);
  const at = argv.findIndex((word) => word.includes('/node_modules/'));
  symlinkSync(argv[at], join(bin, agent.program));
  const sandbox = [harness, 'sandbox', '--read', modules, '--', agent.program];
  return {
    argv: [process.execPath, ...sandbox, ...argv.slice(at + 1)],
    env: { PATH: `${bin}:${env.PATH}` },
    finish() {
      listener.close();
      return { outside, inside: made(cwd), reached: [reachedOutside, count() - reachedOutside] };
    },
  };
}

function made(cwd) {
  return JSON.parse(readFileSync(join(cwd, 'attempts.json'), 'utf8'));
}

async function listen() {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.end('HTTP/1.0 200 OK\r\n\r\n');
  });
  await new Promise((done) => listener.listen(0, HOST, done));
  return { listener, count: () => connections };
}
