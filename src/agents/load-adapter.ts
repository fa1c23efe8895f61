/** The adapters by the name on the command line; each is loaded when it is asked for. */
import type { Adapter } from './adapter.ts';
import type { Installer } from './install/installer.ts';
import type { Switch } from './switches.ts';

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

/** Of agents with a switch that leaves some of our hooks running: those whose sessions look for it. */
const GATE_SWITCHES: Readonly<Record<string, () => Promise<{ readonly switches: readonly Switch[] }>>> = {
  codex: () => import('./codex/switches.ts'),
  'gemini-cli': () => import('./gemini-cli/switches.ts'),
  'qwen-code': () => import('./qwen-code/switches.ts'),
};

/** Null for an agent that has none. */
export async function loadGateSwitches(agent: string): Promise<readonly Switch[] | null> {
  if (!Object.hasOwn(GATE_SWITCHES, agent)) return null;
  return (await GATE_SWITCHES[agent]!()).switches;
}

/** Of agents with a gate that is registered on demand: their sessions look whether it is. */
const INSTALLERS: Readonly<Record<string, () => Promise<{ readonly installer: Installer }>>> = {
  'claude-code': () => import('./claude-code/install.ts'),
};

/** For an agent with a gate that is registered on demand. */
export async function loadInstaller(agent: string): Promise<Installer> {
  return (await INSTALLERS[agent]!()).installer;
}

/** Null for a name that is in no table. */
export async function loadAdapter(agent: string): Promise<Adapter | null> {
  if (!Object.hasOwn(ADAPTERS, agent)) return null;
  return (await ADAPTERS[agent]!()).adapter;
}
