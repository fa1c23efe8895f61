/** Whose program is on the other end of a connection from this machine, as the kernel's table has it. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/** Null where that cannot be told: from elsewhere, through another network namespace, on another system than Linux. */
export function peerUser({ remotePort, localPort }: Pick<Socket, 'remotePort' | 'localPort'>): number | null {
  if (remotePort === undefined || localPort === undefined) return null;
  const ends = new RegExp(`^ *\\d+: [0-9A-F]+:${hex(remotePort)} [0-9A-F]+:${hex(localPort)} (.*)$`, 'm');
  for (const table of TABLES) {
    try {
      // State, queues, timers, retransmissions, and then the user.
      const user = ends.exec(readFileSync(table, 'latin1'))?.[1]?.trim().split(/ +/)[4];
      if (user !== undefined) return Number(user);
    } catch {
      // There is no such table here.
    }
  }
  return null;
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
