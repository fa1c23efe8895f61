/** The version of an installed agent, from the package its program belongs to. No agent is started to find out. */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../base/json.ts';

/** The program on the PATH, and the packages it may belong to. */
const PROGRAMS: Readonly<Record<string, readonly [program: string, ...packages: string[]]>> = {
  'claude-code': ['claude', '@anthropic-ai/claude-code', '@anthropic-ai/claude-code-linux-x64'],
  codex: ['codex', '@openai/codex'],
  'gemini-cli': ['gemini', '@google/gemini-cli'],
  'qwen-code': ['qwen', '@qwen-code/qwen-code'],
  copilot: ['copilot', '@github/copilot'],
  cline: ['cline', 'cline'],
  opencode: ['opencode', 'opencode-ai'],
  pi: ['pi', '@mariozechner/pi-coding-agent', '@earendil-works/pi-coding-agent'],
  goose: ['goose', '@aaif/goose'],
};

/** Null if it is not on the PATH or not from a package. */
export function agentVersion(agent: string, path: string): string | null {
  const [, ...packages] = PROGRAMS[agent] ?? [''];
  const file = programOf(agent, path);
  return file === null ? null : versionAbove(file, packages);
}

/** The program of an agent, where it really stands; null if it is not on the PATH. */
export function programOf(agent: string, path: string): string | null {
  const [program] = PROGRAMS[agent] ?? [''];
  if (program === '') return null;
  for (const folder of path.split(':').filter((part) => part.startsWith('/'))) {
    try {
      return realpathSync(join(folder, program));
    } catch {
      // Not in this one.
    }
  }
  return null;
}

function versionAbove(file: string, packages: readonly string[]): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (isJsonObject(value) && packages.includes(String(value.name)) && typeof value.version === 'string') {
        return value.version;
      }
    } catch {
      // Not here: the package is further up.
    }
  }
  return null;
}
