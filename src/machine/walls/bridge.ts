/**
 * The little program that runs inside in front of another one if the network is `allowed`: it listens on a port of the
 * sandbox's own loopback, hands what comes to the socket of our proxy outside, and ends with the program it started. Text,
 * because it is handed to Node as an argument and so needs no file that could be missing inside.
 */

/** The network inside belongs to nobody else: the port is free. */
export const BRIDGE_PORT = 3128;

export const BRIDGE = `
const net = require('node:net');
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const [socket, program, ...args] = process.argv.slice(1);
const server = net.createServer((inside) => {
  const outside = net.connect(socket);
  inside.pipe(outside);
  outside.pipe(inside);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
});
server.listen(${BRIDGE_PORT}, '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    process.stderr.write(program + ': ' + error.message + '\\n');
    process.exit(127);
  });
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
});
`;
