/** The adapters by the name on the command line; each is loaded when it is asked for. */
import type { Adapter } from './adapter.ts';

export const ADAPTERS: Readonly<Record<string, () => Promise<{ readonly adapter: Adapter }>>> = {
  'claude-code': () => import('./claude-code/index.ts'),
};

/** Null for a name that is in no table. */
export async function loadAdapter(agent: string): Promise<Adapter | null> {
  if (!Object.hasOwn(ADAPTERS, agent)) return null;
  return (await ADAPTERS[agent]!()).adapter;
}
