// LOG PORT PROGRAM...: a server on loopback that writes down what it is asked, for as long as the program beside it runs.
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [log, port, ...program] = process.argv.slice(2);
writeFileSync(log, '');
const server = createServer((request, response) => {
  appendFileSync(log, `${request.url} ${request.headers.authorization ?? ''}\n`);
  response.end('{}');
});
// A connection counts, also one that asks for nothing.
server.on('connection', () => appendFileSync(log, 'connected\n'));
server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(process.execPath, program, { stdio: 'inherit' });
  child.on('exit', (code, signal) =>
    signal === null ? process.exit(code) : process.kill(process.pid, signal),
  );
});
