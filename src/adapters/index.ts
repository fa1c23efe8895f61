/** Every adapter at once, for pages, checks and tests; the launcher loads the one it needs (`load-adapter.ts`). */
import type { Adapter } from './adapter.ts';
import { adapter as claudeCode } from './claude-code/index.ts';

export const ALL_ADAPTERS: readonly Adapter[] = [claudeCode];
