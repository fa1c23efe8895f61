/**
 * The page in the daemon's process: `harness ui` asks over the socket, and the daemon mounts it. It does so only for one that sees what the
 * daemon sees (the same build, files and settings): a page that shows another policy than the caller's would hide a guard that is off.
 */

import { BoundedMap } from '../base/index.ts';
import {
  askDaemon,
  daemonFolder,
  entryIdentity,
  hasSocket,
  mountSpace,
  type Request,
} from '../launcher/index.ts';
import { machineHost } from '../machine/index.ts';
import { mountPage, type PageRequest } from './mount.ts';
import type { Listening } from './server/listen.ts';

export interface DaemonPage {
  readonly link: string;
  readonly once: string;
  readonly port: number;
  readonly pid: number;
}

/** The first page opens files and a port. */
const ANSWER_MS = 5000;
/** Those asked for longest ago are closed. */
const MOST_PAGES = 8;

/** What says where policies, tapes and agents are. */
const SETTINGS =
  /^(?:HOME|USERPROFILE|XDG_\w+_HOME|HARNESS_\w+|CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|PI_CODING_AGENT_DIR)$/;

function settings(): string[] {
  return Object.entries(machineHost.variables())
    .filter(([name, value]) => SETTINGS.test(name) && value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .sort();
}

/** The daemon's; or why it is not the daemon's to show, null if none runs. */
export async function askForPage(wish: PageRequest, entry: string): Promise<DaemonPage | string | null> {
  const folder = daemonFolder(machineHost);
  if (folder === null || !hasSocket(folder)) return null;
  const request: Request = {
    operation: 'page',
    entry: entryIdentity(entry),
    words: [JSON.stringify(wish), mountSpace()],
    environment: settings(),
    payload: new Uint8Array(),
  };
  const asked = await askDaemon(folder, request, { greetingMs: ANSWER_MS, answerMs: ANSWER_MS });
  if (!('missing' in asked)) return JSON.parse(asked.stdout) as DaemonPage;
  // What a daemon that was killed left behind.
  return asked.missing === 'ECONNREFUSED' ? null : asked.missing;
}

/** The daemon's end. */
export class DaemonPages {
  private readonly pages = new BoundedMap<string, Promise<Listening>>(MOST_PAGES, {
    onDrop: (page) => this.end(page),
  });
  private readonly entry: string;
  private readonly identity: string;
  private readonly onRequest: () => void;

  constructor(entry: string, identity: string, onRequest: () => void) {
    this.entry = entry;
    this.identity = identity;
    this.onRequest = onRequest;
  }

  async open({ entry, words, environment }: Request): Promise<DaemonPage | { readonly refused: string }> {
    const [wish = '', mount] = words;
    if (entry !== this.identity) return { refused: 'it is of another build' };
    if (mount !== mountSpace()) return { refused: 'it sees other files' };
    const [here, there] = [new Set(settings()), new Set(environment)];
    const other = [...here].find((line) => !there.has(line)) ?? [...there].find((line) => !here.has(line));
    if (other !== undefined) return { refused: `it was started with another ${other.split('=')[0]}` };
    const page = await this.page(wish);
    return { link: page.link, once: page.linkOnce(), port: page.port, pid: process.pid };
  }

  close(): void {
    for (const page of this.pages.values()) this.end(page);
  }

  private page(wish: string): Promise<Listening> {
    const { entry, onRequest } = this;
    const page = this.pages.useOrMake(wish, () =>
      mountPage(JSON.parse(wish) as PageRequest, { entry, onRequest }),
    );
    page.catch(() => this.pages.delete(wish));
    return page;
  }

  private end(page: Promise<Listening>): void {
    page.then(
      ({ close }) => close(),
      () => {},
    );
  }
}
