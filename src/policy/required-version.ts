/**
 * `requires` of a layer: an engine that is older than the policy was written for would overlook what it does not know, so it blocks
 * every gate and says how to get a newer one.
 */
import { type Problem, VERSION } from '../base/index.ts';
import type { RequiresInFile } from '../frontends/index.ts';

const REQUIREMENT = /^>=\s*(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?$/;
const OWN = /^(\d+)\.(\d+)\.(\d+)/;

/** The first requirement that this engine does not meet, or null. Sources have no version and meet every one. */
export function unmetVersion(requires: readonly RequiresInFile[], version = VERSION): Problem | null {
  const own = numbersOf(OWN.exec(version));
  for (const { file, line, version: wanted } of requires) {
    const least = numbersOf(REQUIREMENT.exec(wanted?.trim() ?? ''));
    const problem = (message: string): Problem => ({
      ...{ severity: 'error', code: 'VERSION_TOO_OLD', message },
      position: { file, line, col: 1 },
    });
    if (least === null)
      return problem(`requires: want a version such as ">=0.3", got ${JSON.stringify(wanted)}`);
    if (own !== null && isBefore(own, least)) {
      return problem(
        `this policy requires Harness ${wanted}, and this is ${version}. Run: npm install -D harness-hooks@latest, then: npx harness-hooks install AGENT`,
      );
    }
  }
  return null;
}

function numbersOf(found: RegExpExecArray | null): readonly number[] | null {
  return found === null ? null : found.slice(1, 4).map((part) => Number(part ?? 0));
}

function isBefore(own: readonly number[], least: readonly number[]): boolean {
  const at = own.findIndex((part, i) => part !== least[i]);
  return at !== -1 && own[at]! < least[at]!;
}
