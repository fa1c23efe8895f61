/**
 * The keys to one page. The token of its link, and codes that open it once, are given for a cookie; what is behind the cookie stands
 * under a path that only who has opened the page knows. Cookies do not know ports: a browser would show one of `/` to every server of
 * this machine, run by any user. One of such a path is shown to nobody else.
 */

import { createHmac, randomBytes } from 'node:crypto';
import { BoundedMap, sameSecret } from '../../base/index.ts';
import { machineHost } from '../../machine/index.ts';

/** What a browser is started with can be read by others in the list of processes: it is good for so long, and once. */
const CODE_MS = 60_000;
const MOST_SESSIONS = 64;

interface Code {
  readonly until: number;
  /** What it has opened. */
  session: string | null;
}

export class PageKeys {
  readonly token: string;
  /** Under `/api/`: where the data of this page is. */
  readonly room: string;
  /** Of the cookie: two pages that had one port after another do not take each other's. */
  readonly name: string;
  private readonly sessions = new BoundedMap<string, true>(MOST_SESSIONS);
  private readonly codes = new Map<string, Code>();

  constructor(token: string) {
    this.token = token;
    this.room = this.derived('room').slice(0, 32);
    this.name = this.derived('name').slice(0, 12);
  }

  code(): string {
    const now = machineHost.now();
    for (const [code, { until }] of this.codes) if (until < now) this.codes.delete(code);
    const code = randomBytes(24).toString('base64url');
    this.codes.set(code, { until: now + CODE_MS, session: null });
    return code;
  }

  /** The secret of a new session; null if that is no key. A code that comes twice was seen by somebody: what it opened is closed. */
  open(key: string): string | null {
    const code = this.codes.get(key);
    if (code === undefined) return sameSecret(key, this.token) ? this.begin() : null;
    if (code.session !== null) this.sessions.delete(code.session);
    else if (code.until >= machineHost.now()) {
      code.session = this.begin();
      return code.session;
    }
    return null;
  }

  holds(secret: string): boolean {
    return this.sessions.has(secret);
  }

  private begin(): string {
    const session = this.derived(randomBytes(24).toString('base64url'));
    this.sessions.set(session, true);
    return session;
  }

  private derived(what: string): string {
    return createHmac('sha256', this.token).update(what).digest('base64url');
  }
}
