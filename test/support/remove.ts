/**
 * Removes a folder in which a process may still be at work, such as one that makes a heap snapshot after an `install`. `rmSync` looks
 * into a folder once, and its own retries find what came later in the way each time.
 */
import { rmSync } from 'node:fs';
import { until } from './until.ts';

export function remove(dir: string): Promise<void> {
  return until(() => {
    try {
      rmSync(dir, { recursive: true, force: true });
      return true;
    } catch {
      return false;
    }
  });
}
