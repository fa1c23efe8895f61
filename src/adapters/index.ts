/** Every adapter at once, for pages, checks and tests; the launcher loads the one it needs (`load-adapter.ts`). */
import type { Adapter } from './adapter.ts';
import { adapter as claudeCode } from './claude-code/index.ts';
import { adapter as cline } from './cline/index.ts';
import { adapter as codex } from './codex/index.ts';
import { adapter as copilot } from './copilot/index.ts';
import { adapter as cursor } from './cursor/index.ts';
import { adapter as geminiCli } from './gemini-cli/index.ts';
import { adapter as goose } from './goose/index.ts';
import { adapter as opencode } from './opencode/index.ts';
import { adapter as pi } from './pi/index.ts';
import { adapter as qwenCode } from './qwen-code/index.ts';

export const ALL_ADAPTERS: readonly Adapter[] = [
  ...[claudeCode, codex, geminiCli, qwenCode, copilot],
  ...[cline, opencode, pi, cursor, goose],
];
