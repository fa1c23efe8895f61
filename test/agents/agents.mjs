// The agents that are tested, one recipe each: pinned packages, names of tools and events, how a hook answers in the agent's
// own words, the configuration it is given and the line that starts it.
import { claudeCode } from './claude-code.mjs';
import { cline } from './cline.mjs';
import { codex } from './codex.mjs';
import { copilot } from './copilot.mjs';
import { geminiCli } from './gemini-cli.mjs';
import { goose } from './goose.mjs';
import { opencode } from './opencode.mjs';
import { pi } from './pi.mjs';
import { qwenCode } from './qwen-code.mjs';

export const AGENTS = [claudeCode, codex, geminiCli, opencode, qwenCode, copilot, cline, pi, goose];
