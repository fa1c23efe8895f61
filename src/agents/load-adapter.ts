/** The adapters by the name on the command line; each is loaded when it is asked for. */
import type { Adapter } from './adapter.ts';

export const ADAPTERS: Readonly<Record<string, () => Promise<{ readonly adapter: Adapter }>>> = {
  'claude-code': () => import('./claude-code/index.ts'),
  codex: () => import('./codex/index.ts'),
  'gemini-cli': () => import('./gemini-cli/index.ts'),
  'qwen-code': () => import('./qwen-code/index.ts'),
  copilot: () => import('./copilot/index.ts'),
  cline: () => import('./cline/index.ts'),
  opencode: () => import('./opencode/index.ts'),
  pi: () => import('./pi/index.ts'),
  cursor: () => import('./cursor/index.ts'),
  goose: () => import('./goose/index.ts'),
};

/** Null for a name that is in no table. */
export async function loadAdapter(agent: string): Promise<Adapter | null> {
  if (!Object.hasOwn(ADAPTERS, agent)) return null;
  return (await ADAPTERS[agent]!()).adapter;
}
