/** Whose program is on the other end of a connection from this machine, as the kernel's table has it. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

/** Null if that cannot be told: from elsewhere, through another network namespace, on another system than Linux. */
export function peerUser({ remotePort, localPort }: Pick<Socket, 'remotePort' | 'localPort'>): number | null {
  if (remotePort === undefined || localPort === undefined) return null;
  const [theirs, ours] = [hex(remotePort), hex(localPort)];
  for (const table of TABLES) {
    try {
      for (const line of readFileSync(table, 'latin1').split('\n')) {
        // A number, both ends as theirs has them, state, queues, timers, retransmissions, and then the user.
        const [, from = '', to = '', , , , , user] = line.trim().split(/ +/);
        if (from.endsWith(theirs) && to.endsWith(ours)) return Number(user);
      }
    } catch {
      // There is no such table here.
    }
  }
  return null;
}

function hex(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}
