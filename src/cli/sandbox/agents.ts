/**
 * What each outside agent needs in a sandbox of its own: where it keeps its settings and sessions, what it is installed in,
 * which hosts its model has, and the variables that hold its keys. A table; docs/guide/containment.md shows it.
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
  },
  {
    agent: 'codex',
    programs: ['codex'],
    writes: ['~/.codex'],
    reads: [],
    hosts: ['openai.com', 'chatgpt.com'],
    variables: ['OPENAI_*', 'CODEX_*'],
  },
  {
    agent: 'gemini-cli',
    programs: ['gemini'],
    writes: ['~/.gemini'],
    reads: [],
    hosts: ['googleapis.com', 'accounts.google.com'],
    variables: ['GEMINI_*', 'GOOGLE_*'],
  },
  {
    agent: 'qwen-code',
    programs: ['qwen'],
    writes: ['~/.qwen'],
    reads: [],
    hosts: ['aliyuncs.com', 'qwen.ai'],
    variables: ['DASHSCOPE_*', 'OPENAI_*', 'QWEN_*'],
  },
  {
    agent: 'cursor',
    programs: ['cursor-agent', 'agent'],
    writes: ['~/.cursor', '~/.config/cursor'],
    reads: ['~/.local/share/cursor-agent', '~/.local/bin/cursor-agent'],
    hosts: ['cursor.com', 'cursor.sh'],
    variables: ['CURSOR_*'],
  },
  {
    agent: 'copilot',
    programs: ['copilot'],
    writes: ['~/.copilot', '~/.config/github-copilot'],
    reads: [],
    hosts: ['githubcopilot.com', 'api.github.com', 'github.com'],
    variables: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
  },
  {
    agent: 'opencode',
    programs: ['opencode'],
    writes: ['~/.config/opencode', '~/.local/share/opencode', '~/.local/state/opencode', '~/.cache/opencode'],
    reads: ['~/.opencode'],
    hosts: ['models.dev', 'opencode.ai', 'anthropic.com', 'openai.com'],
    variables: ['OPENCODE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
  },
  {
    agent: 'cline',
    programs: ['cline'],
    writes: ['~/.cline'],
    reads: [],
    hosts: ['cline.bot', 'anthropic.com', 'openai.com'],
    variables: ['CLINE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
  },
  {
    agent: 'goose',
    programs: ['goose'],
    writes: ['~/.config/goose', '~/.local/share/goose', '~/.local/state/goose'],
    reads: ['~/.local/bin/goose'],
    hosts: ['anthropic.com', 'openai.com'],
    variables: ['GOOSE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
  },
  {
    agent: 'pi',
    programs: ['pi'],
    writes: ['~/.pi'],
    reads: [],
    hosts: ['anthropic.com', 'openai.com'],
    variables: ['PI_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
  },
];

export function agentOfProgram(name: string): SandboxedAgent | null {
  return SANDBOXED_AGENTS.find(({ programs }) => programs.includes(name)) ?? null;
}
