/** A balancer of the tests' own: connections go to the hubs in turn, and on request an answer is lost on its way back. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class RoundRobin {
  /** Ports of the hubs. */
  readonly ports: number[];
  /** So many answers are cut off before the machine hears them. */
  lose = 0;
  /** So many requests are cut off in the middle. */
  halve = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private turn = 0;

  constructor(ports: number[]) {
    this.ports = ports;
    this.server = createServer((socket) => this.serve(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket): void {
    this.track(socket);
    const [first, second] = [this.turn, this.turn + 1].map((turn) => this.ports[turn % this.ports.length]!);
    this.turn++;
    socket.pause();
    this.open(first!, (one) =>
      one === null ? this.open(second!, (two) => this.join(socket, two)) : this.join(socket, one),
    );
  }

  private open(port: number, then: (hub: Socket | null) => void): void {
    const hub = connect(port, '127.0.0.1');
    const failed = () => then(null);
    hub.once('error', failed);
    hub.once('connect', () => {
      hub.off('error', failed);
      this.track(hub);
      then(hub);
    });
  }

  private join(socket: Socket, hub: Socket | null): void {
    if (hub === null) return void socket.destroy();
    if (this.halve > 0) {
      this.halve--;
      socket.once('data', (bytes: Buffer) => {
        hub.write(bytes.subarray(0, bytes.length >> 1), () => hub.destroy());
        socket.destroy();
      });
      socket.resume();
      return;
    }
    if (this.lose > 0) {
      this.lose--;
      // The hub has done its work by the time it answers.
      hub.once('data', () => {
        socket.destroy();
        hub.destroy();
      });
      socket.pipe(hub);
      return;
    }
    socket.pipe(hub);
    hub.pipe(socket);
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
  }
}
