/**
 * Whether this command was started by a coding agent: by the variables that agents set for their shells, and by the names of
 * the programs around it. It can be fooled by an agent that works at it; the built-in layer refuses the command line itself.
 */

/** Variables that agents set for what they start. */
const VARIABLES: Readonly<Record<string, string>> = {
  CLAUDECODE: 'Claude Code',
  CLAUDE_CODE_ENTRYPOINT: 'Claude Code',
  CODEX_SANDBOX: 'Codex',
  CODEX_THREAD_ID: 'Codex',
  GEMINI_CLI: 'Gemini CLI',
  QWEN_CODE: 'Qwen Code',
  COPILOT_CLI: 'Copilot CLI',
  COPILOT_AGENT_SESSION_ID: 'Copilot CLI',
  CLINE_ACTIVE: 'Cline',
  OPENCODE: 'OpenCode',
  PI_CODING_AGENT: 'pi',
  CURSOR_AGENT: 'Cursor',
  GOOSE_TERMINAL: 'Goose',
};

/** A word of the command line of a process around this one, as the end of a path. */
const PROGRAMS: ReadonlyArray<readonly [RegExp, string]> = [
  [/(^|\/)claude$/, 'Claude Code'],
  [/(^|\/)codex$/, 'Codex'],
  [/(^|\/)(gemini|gemini\.js)$/, 'Gemini CLI'],
  [/(^|\/)qwen$|\/qwen-code\/cli\.js$/, 'Qwen Code'],
  [/(^|\/)copilot$/, 'Copilot CLI'],
  [/(^|\/)cline$/, 'Cline'],
  [/(^|\/)opencode$/, 'OpenCode'],
  [/(^|\/)pi$|\/pi-coding-agent\//, 'pi'],
  [/(^|\/)(cursor-agent|cursor)$/, 'Cursor'],
  [/(^|\/)goosed?$/, 'Goose'],
];

const MAX_DEPTH = 64;

/** The name of the agent, or null. `read` gives a file of /proc; where there is none only the variables count. */
export function parentAgent(
  variables: Readonly<Record<string, string | undefined>>,
  parent: number,
  read: (file: string) => string | null,
): string | null {
  const set = Object.keys(VARIABLES).find((name) => (variables[name] ?? '') !== '');
  if (set !== undefined) return VARIABLES[set]!;
  let pid = parent;
  for (let depth = 0; depth < MAX_DEPTH && pid > 1; depth++) {
    // The program and, if an interpreter runs it, its script.
    const words = (read(`/proc/${pid}/cmdline`) ?? '').split('\0').slice(0, 2);
    const found = PROGRAMS.find(([pattern]) => words.some((word) => pattern.test(word)));
    if (found !== undefined) return found[1];
    // The name of the program may hold spaces and brackets; what follows it does not.
    const fields = (read(`/proc/${pid}/stat`) ?? '').split(') ').at(-1)?.split(' ') ?? [];
    pid = Number(fields[1] ?? 0);
  }
  return null;
}
