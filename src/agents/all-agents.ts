/** Every agent's record, for commands, pages, checks and tests; the launcher loads the one adapter it needs (`load-adapter.ts`). */
import { agent as claudeCode } from './claude-code/agent.ts';
import { agent as cline } from './cline/agent.ts';
import { agent as codex } from './codex/agent.ts';
import type { CodingAgent } from './coding-agent.ts';
import { agent as copilot } from './copilot/agent.ts';
import { agent as cursor } from './cursor/agent.ts';
import { agent as geminiCli } from './gemini-cli/agent.ts';
import { agent as goose } from './goose/agent.ts';
import { agent as opencode } from './opencode/agent.ts';
import { agent as pi } from './pi/agent.ts';
import { agent as qwenCode } from './qwen-code/agent.ts';

export const ALL_AGENTS: readonly CodingAgent[] = [
  ...[claudeCode, codex, geminiCli, qwenCode, copilot],
  ...[cline, opencode, pi, cursor, goose],
];

/** By the name on the command line. */
export const AGENTS: ReadonlyMap<string, CodingAgent> = new Map(
  ALL_AGENTS.map((agent) => [agent.adapter.agent, agent]),
);

/** By any name that people use. */
export function agentNamed(name: string): CodingAgent | undefined {
  return AGENTS.get(name) ?? ALL_AGENTS.find(({ otherNames }) => otherNames.includes(name));
}

export function agentOfProgram(name: string): CodingAgent | null {
  return ALL_AGENTS.find(({ programs }) => programs.includes(name)) ?? null;
}
