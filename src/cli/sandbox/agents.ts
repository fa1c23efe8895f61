/**
 * What each outside agent needs in a sandbox of its own: where it keeps its settings and sessions, what it is installed in,
 * which hosts its model has, and the variables that hold its keys. A table; docs/agents.md shows it.
 */

export interface SandboxedAgent {
  readonly agent: string;
  /** Its programs, by name. */
  readonly programs: readonly string[];
  /** Written to: settings, sessions, caches. */
  readonly writes: readonly string[];
  /** Where it may be installed in a home folder. */
  readonly reads: readonly string[];
  readonly hosts: readonly string[];
  /** Variables it is given beyond the usual ones. */
  readonly variables: readonly string[];
  /** Set for it. */
  readonly env?: Readonly<Record<string, string>>;
  /** What its user has to know or do. */
  readonly note: string;
}

export const SANDBOXED_AGENTS: readonly SandboxedAgent[] = [
  {
    agent: 'claude-code',
    programs: ['claude'],
    writes: ['~/.claude', '~/.claude.json', '~/.cache/claude', '~/.cache/claude-cli-nodejs'],
    reads: ['~/.local/share/claude', '~/.local/bin/claude'],
    hosts: ['anthropic.com', 'claude.ai', 'claude.com'],
    variables: ['ANTHROPIC_*', 'CLAUDE_*', 'DISABLE_*'],
    // It renews itself into a folder that is read-only here.
    env: { DISABLE_AUTOUPDATER: '1' },
    note: '`~/.claude.json` is held by its name: it cannot be replaced by renaming',
  },
  {
    agent: 'codex',
    programs: ['codex'],
    writes: ['~/.codex'],
    reads: [],
    hosts: ['openai.com', 'chatgpt.com'],
    variables: ['OPENAI_*', 'CODEX_*'],
    note: 'its own sandbox needs namespaces, which are off inside: `sandbox_mode = "danger-full-access"` leaves that part to ours',
  },
  {
    agent: 'gemini-cli',
    programs: ['gemini'],
    writes: ['~/.gemini'],
    reads: [],
    hosts: ['googleapis.com', 'accounts.google.com'],
    variables: ['GEMINI_*', 'GOOGLE_*'],
    note: 'log in before: a browser cannot be opened inside',
  },
  {
    agent: 'qwen-code',
    programs: ['qwen'],
    writes: ['~/.qwen'],
    reads: [],
    hosts: ['aliyuncs.com', 'qwen.ai'],
    variables: ['DASHSCOPE_*', 'OPENAI_*', 'QWEN_*'],
    note: '',
  },
  {
    agent: 'cursor',
    programs: ['cursor-agent', 'agent'],
    writes: ['~/.cursor', '~/.config/cursor'],
    reads: ['~/.local/share/cursor-agent', '~/.local/bin/cursor-agent'],
    hosts: ['cursor.com', 'cursor.sh'],
    variables: ['CURSOR_*'],
    note: '',
  },
  {
    agent: 'copilot',
    programs: ['copilot'],
    writes: ['~/.copilot', '~/.config/github-copilot'],
    reads: [],
    hosts: ['githubcopilot.com', 'api.github.com', 'github.com'],
    variables: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
    note: 'start it once outside before: `config.json`, which says whose hooks it trusts, is read-only inside; the keyring of a desktop is not there: use `GH_TOKEN`; it unpacks itself anew at each start',
  },
  {
    agent: 'opencode',
    programs: ['opencode'],
    writes: ['~/.config/opencode', '~/.local/share/opencode', '~/.local/state/opencode', '~/.cache/opencode'],
    reads: ['~/.opencode'],
    hosts: ['models.dev', 'opencode.ai', 'anthropic.com', 'openai.com'],
    variables: ['OPENCODE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: 'packages that it installs when it starts have to be there before, or `registry.npmjs.org` be listed',
  },
  {
    agent: 'cline',
    programs: ['cline'],
    writes: ['~/.cline'],
    reads: [],
    hosts: ['cline.bot', 'anthropic.com', 'openai.com'],
    variables: ['CLINE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: '',
  },
  {
    agent: 'goose',
    programs: ['goose'],
    writes: ['~/.config/goose', '~/.local/share/goose', '~/.local/state/goose'],
    reads: ['~/.local/bin/goose'],
    hosts: ['anthropic.com', 'openai.com'],
    variables: ['GOOSE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: 'its hooks observe only: here the walls are all that holds',
  },
  {
    agent: 'pi',
    programs: ['pi'],
    writes: ['~/.pi'],
    reads: [],
    hosts: ['anthropic.com', 'openai.com'],
    variables: ['PI_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    note: '',
  },
];

export function agentOfProgram(name: string): SandboxedAgent | null {
  return SANDBOXED_AGENTS.find(({ programs }) => programs.includes(name)) ?? null;
}
