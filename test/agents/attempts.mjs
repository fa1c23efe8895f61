// What a program tries that an agent was allowed to run; copied into the workspace, beside `targets.json`. Says of each attempt
// `done` or why not. It leaves nothing behind where it succeeds.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

const { credential, policy, registered, newRule, newTape, host, port } = JSON.parse(
  readFileSync('targets.json', 'utf8'),
);
const proxy = process.env.HTTP_PROXY === undefined ? null : new URL(process.env.HTTP_PROXY);

const ATTEMPTS = {
  'read a credential': () => readFileSync(credential),
  'change a rule': () => appendFileSync(policy, ''),
  'add a rule': () => made(newRule),
  'add a tape': () => made(newTape),
  ...Object.fromEntries(registered.map((path) => [`change ${path}`, () => appendFileSync(path, '')])),
  'reach a listener': () => spoken(host, port, 'HEAD / HTTP/1.0\r\n\r\n'),
  'reach it by the proxy': () =>
    spoken(
      proxy?.hostname ?? host,
      Number(proxy?.port ?? port),
      `HEAD http://${host}:${port}/ HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
    ),
};

const said = {};
for (const [name, attempt] of Object.entries(ATTEMPTS)) {
  try {
    await attempt();
    said[name] = 'done';
  } catch (error) {
    said[name] = error.code ?? error.message;
  }
}
writeFileSync('attempts.json', JSON.stringify(said));
console.log('ATTEMPTS_MADE');

/** One that can be made is one too many. */
function made(path) {
  writeFileSync(path, '');
  rmSync(path);
}

function spoken(host, port, words) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(words));
    socket.on('error', reject);
    socket.on('data', (data) => {
      const status = data.toString('latin1').split(' ')[1];
      socket.destroy();
      if (status === '200') resolve();
      else reject(new Error(status));
    });
  });
}
