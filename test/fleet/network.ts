/**
 * A machine behind a network of its own: a namespace with one wire to this one, which a test cuts and throttles. The hub listens on loopback
 * only, so a relay at each end of the wire brings its bytes over.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const [OUTER, INNER] = ['10.231.77.1', '10.231.77.2'];
const PORT = 7177;

export function canUseNetworks(): boolean {
  return (
    process.getuid?.() === 0 &&
    spawnSync('unshare', ['-n', 'true']).status === 0 &&
    ['ip', 'tc', 'nsenter'].every((program) => spawnSync(program, ['-V']).error === undefined)
  );
}

const INNER_RELAY = `
require('node:net').createServer((socket) => {
  const on = require('node:net').connect(${PORT}, '${OUTER}');
  socket.on('error', () => on.destroy()).pipe(on).on('error', () => socket.destroy()).pipe(socket);
}).listen(${PORT}, '127.0.0.1', () => console.log('ready'));`;

export class Wire {
  /** Where the machine reaches the hub. */
  readonly url = `http://127.0.0.1:${PORT}`;
  private readonly outer = `hw${process.pid % 100_000}`;
  private readonly sockets = new Set<Socket>();
  private readonly children: ChildProcess[] = [];
  private readonly relay: Server;
  private inside: readonly string[] = [];

  constructor(hubPort: number) {
    this.relay = createServer((socket) => {
      const hub = connect(hubPort, '127.0.0.1');
      for (const [one, other] of [
        [socket, hub],
        [hub, socket],
      ] as const) {
        this.sockets.add(one);
        one.on('error', () => other.destroy()).pipe(other);
      }
    });
  }

  async open(): Promise<void> {
    const holder = this.start([
      'unshare',
      '-n',
      'sh',
      '-c',
      'ip link set lo up; echo ready; exec sleep 1000',
    ]);
    await once(holder.stdout!, 'data');
    this.inside = ['nsenter', '-t', String(holder.pid), '-n'];
    run('ip', 'link', 'add', this.outer, 'type', 'veth', 'peer', 'name', 'wire', 'netns', String(holder.pid));
    run('ip', 'address', 'add', `${OUTER}/30`, 'dev', this.outer);
    run('ip', 'link', 'set', this.outer, 'up');
    run(...this.inside, 'ip', 'address', 'add', `${INNER}/30`, 'dev', 'wire');
    run(...this.inside, 'ip', 'link', 'set', 'wire', 'up');
    await new Promise<void>((done) => this.relay.listen(PORT, OUTER, done));
    const relay = this.start([...this.inside, process.execPath, '-e', INNER_RELAY]);
    await once(relay.stdout!, 'data');
  }

  /** A command on the machine. */
  start(command: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const child = spawn(command[0]!, command.slice(1), { env, stdio: ['ignore', 'pipe', 'ignore'] });
    this.children.push(child);
    return child;
  }

  startInside(command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
    return this.start([...this.inside, ...command], env);
  }

  cut(): void {
    run('ip', 'link', 'set', this.outer, 'down');
  }

  mend(): void {
    run('ip', 'link', 'set', this.outer, 'up');
  }

  /** Of one direction; null: as fast as it goes. */
  limit(direction: 'requests' | 'answers', rate: string | null): void {
    const [at, device] = direction === 'requests' ? [this.inside, 'wire'] : [[], this.outer];
    spawnSync([...at, 'tc'][0]!, [
      ...at.slice(1),
      ...(at.length > 0 ? ['tc'] : []),
      'qdisc',
      'del',
      'dev',
      device,
      'root',
    ]);
    if (rate !== null)
      run(
        ...at,
        'tc',
        'qdisc',
        'add',
        'dev',
        device,
        'root',
        'tbf',
        'rate',
        rate,
        'burst',
        '8kb',
        'latency',
        '400ms',
      );
  }

  close(): void {
    this.relay.close();
    for (const socket of this.sockets) socket.destroy();
    for (const child of this.children) child.kill('SIGKILL');
    spawnSync('ip', ['link', 'del', this.outer]);
  }
}

function run(...command: readonly string[]): void {
  execFileSync(command[0]!, command.slice(1));
}
