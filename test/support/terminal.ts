/**
 * A real terminal for tests: a program in a window of a tmux server of its own, keys that are pressed, and the screen as a person
 * sees it. Where there is no tmux the tests are skipped, and say so.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI_FILE } from '../../scripts/build-cli.mjs';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('SKIPPED: tests in a real terminal want tmux (apt-get install tmux)');

export interface TerminalOptions {
  readonly cwd: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TerminalWindow {
  /** Keys by the names tmux has for them. */
  readonly press: (...keys: string[]) => void;
  /** Text, letter by letter. */
  readonly type: (text: string) => void;
  /** Text as a terminal pastes it. */
  readonly paste: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** What is on it, and with `all` what has scrolled away. */
  readonly screen: (all?: boolean) => string;
  /** The screen once it fits, or an error that shows it. */
  readonly until: (fits: RegExp | ((screen: string) => boolean), ms?: number) => Promise<string>;
  readonly close: () => void;
}

const WAIT_MS = 100_000;

/** Runs `harness` with these arguments; its exit code is written below what it leaves. */
export function openTerminal(args: readonly string[], options: TerminalOptions): TerminalWindow {
  const folder = mkdtempSync(join(tmpdir(), 'harness-terminal-'));
  const socket = join(folder, 'tmux');
  const tmux = (...words: string[]) =>
    execFileSync('tmux', ['-S', socket, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const { columns = 80, rows = 24, cwd } = options;
  const env = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    HARNESS_TRUST: 'all',
    TERM: 'screen-256color',
    ...options.env,
  };
  const words = [
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    process.execPath,
    CLI_FILE,
    ...args,
  ];
  const line = `cd ${quoted(cwd)} && env ${words.map(quoted).join(' ')}; echo "[exit $?]"; exec cat`;
  const window = ['-x', String(columns), '-y', String(rows), '/bin/sh', '-c', line];
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'w', ...window);
  const screen = (all = false) =>
    tmux('capture-pane', '-p', '-t', 'w', ...(all ? ['-S', '-'] : [])).trimEnd();
  return {
    press: (...keys) => void tmux('send-keys', '-t', 'w', ...keys),
    type: (text) => void tmux('send-keys', '-t', 'w', '-l', text),
    paste: (text) => {
      execFileSync('tmux', ['-S', socket, 'load-buffer', '-'], { input: text });
      // -r: line ends stay as they are; -p: between the marks of a paste, if the program asked for them.
      tmux('paste-buffer', '-p', '-r', '-t', 'w');
    },
    resize: (x, y) => void tmux('resize-window', '-t', 'w', '-x', String(x), '-y', String(y)),
    screen,
    until: async (fits, ms = WAIT_MS) => {
      const deadline = Date.now() + ms;
      for (;;) {
        const shown = screen(true);
        if (typeof fits === 'function' ? fits(shown) : fits.test(shown)) return shown;
        if (Date.now() > deadline) throw new Error(`the screen never showed ${fits}:\n${shown}`);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    },
    close: () => {
      try {
        tmux('kill-server');
      } catch {
        // It is gone already.
      }
      // What is ended may still write there: then it is left for the system to clear.
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {}
    },
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
