/** What the launcher is told on its command line. Parsed without the tables of the other commands: every call pays for it. */

export interface HookOptions {
  readonly agent: string;
  /** The event it is registered for; null if the payload says it. */
  readonly event: string | null;
  /** Installed for a project: without its policy nothing runs. */
  readonly dir: string | null;
  /** The user's policy folder. Without `dir` it is installed for the user, wherever an agent works. */
  readonly user: string | null;
  /** Installed for everybody on a machine: without its policy nothing runs. */
  readonly managed?: boolean;
  readonly fail: 'open' | 'closed';
  readonly deadlineMs: number;
  /** Whether a guard line waits for the mark after the answer. */
  readonly mark: boolean;
  /** The daemon was asked already, and did not answer. */
  readonly cold: boolean;
}

export const DEADLINE_MS = 10_000;

const VALUES: ReadonlySet<string> = new Set(['--dir', '--user', '--fail', '--deadline']);

/** A text if something is wrong with it. */
export function parseHookOptions(argv: readonly string[]): HookOptions | string {
  const words: string[] = [];
  const given = new Map<string, string>();
  let mark = false;
  let cold = false;
  let managed = false;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === '--mark') mark = true;
    else if (word === '--cold') cold = true;
    else if (word === '--managed') managed = true;
    else if (VALUES.has(word)) {
      const value = argv[++i];
      if (value === undefined) return `${word} wants a value`;
      given.set(word, value);
    } else if (word.startsWith('-')) return `unknown option ${word}`;
    else words.push(word);
  }
  const [agent, event = null] = words;
  if (agent === undefined || words.length > 2) return `want AGENT [EVENT], got ${words.length} words`;
  const fail = given.get('--fail') ?? 'closed';
  if (fail !== 'open' && fail !== 'closed') return `--fail: want open or closed, got ${fail}`;
  const deadlineMs = Number(given.get('--deadline') ?? DEADLINE_MS);
  if (!(deadlineMs > 0 && deadlineMs < 2 ** 31)) return '--deadline: want milliseconds';
  const [dir, user] = [given.get('--dir') ?? null, given.get('--user') ?? null];
  return {
    agent,
    event,
    dir: dir ?? (user === null && !managed ? '.' : null),
    user,
    managed,
    fail,
    deadlineMs,
    mark,
    cold,
  };
}
