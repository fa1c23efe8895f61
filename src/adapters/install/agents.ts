/** The installers by the name on the command line. */
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { geminiCli, qwenCode } from './gemini-cli.ts';
import { goose } from './goose.ts';
import { opencode, pi } from './in-process.ts';
import type { Installer } from './installer.ts';

const ALL: readonly Installer[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  copilot,
  cline,
  opencode,
  pi,
  cursor,
  goose,
];

export const INSTALLERS: ReadonlyMap<string, Installer> = new Map(
  ALL.map((installer) => [installer.agent, installer]),
);

/** What people also call them. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  gemini: 'gemini-cli',
  qwen: 'qwen-code',
  'copilot-cli': 'copilot',
  'github-copilot': 'copilot',
};
