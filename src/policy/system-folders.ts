/**
 * Where an administrator says what agents may do on a machine: one table of folders for the three systems, read by the guard of these
 * files, by the switches of each agent, and by `install --managed`.
 */

type System = 'linux' | 'darwin' | 'win32';

/** Of each program its folders. The first of a system is the one that current versions read. */
const SYSTEM_FOLDERS: Readonly<Record<string, Readonly<Record<System, readonly string[]>>>> = {
  'claude-code': {
    linux: ['/etc/claude-code'],
    darwin: ['/Library/Application Support/ClaudeCode'],
    win32: ['C:/Program Files/ClaudeCode', 'C:/ProgramData/ClaudeCode'],
  },
  codex: {
    linux: ['/etc/codex'],
    darwin: ['/etc/codex', '/Library/Application Support/Codex'],
    win32: ['C:/ProgramData/OpenAI/Codex', 'C:/ProgramData/Codex'],
  },
  'gemini-cli': {
    linux: ['/etc/gemini-cli'],
    darwin: ['/Library/Application Support/GeminiCli'],
    win32: ['C:/ProgramData/gemini-cli'],
  },
  'qwen-code': {
    linux: ['/etc/qwen-code'],
    darwin: ['/Library/Application Support/QwenCode'],
    win32: ['C:/ProgramData/qwen-code'],
  },
  copilot: {
    linux: ['/etc/github-copilot'],
    darwin: ['/Library/Application Support/GitHubCopilot'],
    win32: ['C:/ProgramData/GitHubCopilot'],
  },
  cursor: {
    linux: ['/etc/cursor'],
    darwin: ['/Library/Application Support/Cursor'],
    win32: ['C:/ProgramData/Cursor'],
  },
  opencode: {
    linux: ['/etc/opencode'],
    darwin: ['/Library/Application Support/opencode'],
    win32: ['C:/ProgramData/opencode'],
  },
  harness: {
    linux: ['/etc/harness'],
    darwin: ['/etc/harness', '/Library/Application Support/harness'],
    win32: ['C:/ProgramData/harness'],
  },
};

/** The folder of an agent on a system: this one by default. */
export function systemFolder(agent: string, system: string = process.platform): string {
  const folders = SYSTEM_FOLDERS[agent]!;
  return folders[Object.hasOwn(folders, system) ? (system as System) : 'linux'][0]!;
}

/** All of them on all systems: a path in a payload may be of another system than this one. */
export const ALL_SYSTEM_FOLDERS: readonly string[] = [
  ...new Set(Object.values(SYSTEM_FOLDERS).flatMap((each) => [...each.linux, ...each.darwin, ...each.win32])),
  // Profiles that a device manager of macOS places.
  '/Library/Managed Preferences',
];
