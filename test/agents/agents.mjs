// The agents that are tested, one recipe each: pinned packages, names of tools and events, how a hook answers in the agent's
// own words, the configuration it is given and the line that starts it.
import { claudeCode } from './claude-code.mjs';
import { codex } from './codex.mjs';
import { geminiCli } from './gemini-cli.mjs';
import { opencode } from './opencode.mjs';

export const AGENTS = [claudeCode, codex, geminiCli, opencode];
