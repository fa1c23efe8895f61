/**
 * The line that is registered with an agent for an event: it runs `.harness/guard` and says what happens if that script gives no
 * whole answer. One table says where each agent's line finds the project; what stands after `||` follows from the event's row.
 * A form writes the line for one system: POSIX is the only one so far.
 */
import type { Adapter, EventRow } from './adapter.ts';
import { denyAnswer, unprintedExit } from './deny.ts';
import { blockOf } from './verdict.ts';

/** Written by the engine after its answer, when the guard asks for it with `--mark`. An answer without it is not whole. */
export const MARK = '#harness-answered#';

/** The exit code of a guard that has answered. A shell that is given an empty file or a folder ends with 0, and has said nothing. */
export const ANSWERED = 9;

/** The guard of a project, from its folder; that of a user stands in the user's policy folder. */
export const GUARD = '.harness/guard';
export const USER_GUARD = 'guard';

/** Said where the guard itself is missing, killed or cannot print. */
export const NO_ANSWER = 'Harness gave no answer';

/**
 * How a line finds the folder of the project. A variable is set by the agent itself. `working-folder`: the agent starts hooks of a
 * project in its folder. `walk`: the agent tells nothing, so the line takes the outermost guard between the session's folder
 * and the top level of the repository. `beside`: the registered file is a program, which knows its own place.
 */
type ProjectFolder =
  | { readonly variable: string; readonly braces?: true }
  | 'working-folder'
  | 'walk'
  | 'beside';

const PROJECT_FOLDERS: Readonly<Record<string, ProjectFolder>> = {
  'claude-code': { variable: 'CLAUDE_PROJECT_DIR' },
  codex: 'walk',
  // With braces: both put a quoted path in the place of `$NAME`, also inside quotes.
  'gemini-cli': { variable: 'GEMINI_PROJECT_DIR', braces: true },
  'qwen-code': { variable: 'QWEN_PROJECT_DIR', braces: true },
  copilot: { variable: 'COPILOT_PROJECT_DIR' },
  cline: 'beside',
  opencode: 'beside',
  pi: 'beside',
  cursor: 'working-folder',
  goose: 'walk',
};

/** How one system's shell writes the parts of a line. */
interface LineForm {
  readonly runGuard: Readonly<Record<'variable' | 'working-folder' | 'walk' | 'beside', string>>;
  /** The same for a path that is known. */
  runAt(path: string): string;
  /** What follows is for a guard that has not answered. */
  readonly answered: string;
  readonly goOn: string;
  /** After an answer that already said why: the exit code alone. */
  readonly exit: string;
  readonly sayAndExit: string;
  /** Ends with the line before `|| :` would. */
  print(json: string): string;
}

export const POSIX: LineForm = {
  runGuard: {
    variable: `sh "$VARIABLE/${GUARD}" `,
    'working-folder': `sh ./${GUARD} `,
    walk: `h=${GUARD};until [ -f $h ]&&g=$PWD;[ -e .git -o . -ef / ]||! cd ..;do :;done;sh "$g/$h" `,
    beside: `sh "\${0%/*}/../../${GUARD}" `,
  },
  runAt: (path) => `sh ${quoted(path)} `,
  answered: `;[ $? = ${ANSWERED} ]||`,
  goOn: ':',
  exit: 'exit 2',
  sayAndExit: `{ echo '${NO_ANSWER}' >&2; exit 2; }`,
  print: (json) => `echo ${quoted(json)}||exit 2`,
};

/** The same in fewer characters: a walking line is long already. Codex ignores an exit code of 2 without a word on stderr. */
const WALKING_EXIT = '(echo no>&2;exit 2)';

export interface GuardLine {
  readonly adapter: Adapter;
  readonly row: EventRow;
  /** Of a guard for the user; null: the line finds that of the project. */
  readonly guard: string | null;
}

export function guardLine({ adapter, row, guard }: GuardLine, form: LineForm = POSIX): string {
  const folder = PROJECT_FOLDERS[adapter.agent]!;
  const walks = guard === null && folder === 'walk';
  const run =
    guard !== null
      ? form.runAt(guard)
      : typeof folder === 'string'
        ? form.runGuard[folder]
        : form.runGuard.variable.replace(
            'VARIABLE',
            folder.braces ? `{${folder.variable}}` : folder.variable,
          );
  return `${run}${adapter.agent} ${row.native}${form.answered}${withoutGuard(adapter, row, form, walks)}`;
}

/** What an agent is told if the guard gave no answer. An exit code of 2 blocks at most events; at the others the answer is printed. */
function withoutGuard(adapter: Adapter, row: EventRow, form: LineForm, walks: boolean): string {
  const { stdout, exitCode } = unguardedAnswer(adapter, row);
  if (stdout !== '') return form.print(stdout);
  if (exitCode === 0) return form.goOn;
  if (denyAnswer(adapter, row, NO_ANSWER).exitCode !== 0) return form.exit;
  return walks ? WALKING_EXIT : form.sayAndExit;
}

/** The same as an answer; a line end follows what is printed. */
export function unguardedAnswer(
  adapter: Adapter,
  row: EventRow,
): { readonly stdout: string; readonly exitCode: number } {
  const exitCode = unprintedExit(row) ?? 0;
  return exitCode !== 0 && row.exitTwo !== undefined
    ? { stdout: shortDeny(adapter, row), exitCode: 0 }
    : { stdout: '', exitCode };
}

/** The deny of the dialect, without the copy for the person. */
function shortDeny(adapter: Adapter, row: EventRow): string {
  // It rewrites the prompt, and its usual sentence is too long for a line.
  if (adapter.agent === 'copilot' && row.event === 'turn.start') {
    return JSON.stringify({ modifiedPrompt: `Say only: ${NO_ANSWER}` });
  }
  return adapter.answer(row, null, { ...blockOf(NO_ANSWER), message: null }).stdout;
}

/** What the line of an agent finds in its environment when the agent runs it in a project. */
export function projectEnvironment(agent: string, dir: string): Record<string, string> {
  const folder = PROJECT_FOLDERS[agent];
  return typeof folder === 'object' ? { [folder.variable]: dir } : {};
}

/** A line of ours runs the guard; the group is the agent. Quotes may be escaped, as in JSON. */
const GUARD_LINE =
  /harness\/guard(?:\\?["'])?(?:;until .*?sh \\?"\$g\/\$h\\?")? ([\w-]+) [\w.]+;\[ \$\? = 9 \]\|\|/g;

export function runsGuard(text: string, agent: string): boolean {
  return [...text.matchAll(GUARD_LINE)].some(([, found]) => found === agent);
}

/** One word for a POSIX shell, whatever is in it. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
