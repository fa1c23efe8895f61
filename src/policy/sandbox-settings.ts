/**
 * The sandbox of a policy, as its layers say together: the highest that asks for one states it, and each below it can only tighten
 * it. One that is written and cannot be understood is the tightest there is.
 */
import type { Problem } from '../base/index.ts';
import type { SandboxInFile } from '../frontends/index.ts';
import { clamped, loosens, type RequestedSandbox, type Sandbox, TIGHTEST_SANDBOX } from '../machine/index.ts';
import type { LoadedLayer } from './loaded-layer.ts';

/** Null: no layer asks for one. */
export function sandboxSettings(layers: readonly LoadedLayer[]): Sandbox | null {
  return written(layers).reduce<Sandbox | null>((above, file) => clamped(above, requestedIn(file)), null);
}

/** A person who writes what is looser than a layer above believes that it counts. */
export function sandboxProblems(layers: readonly LoadedLayer[]): Problem[] {
  const problems: Problem[] = [];
  let above: Sandbox | null = null;
  for (const file of written(layers)) {
    const asked = requestedIn(file);
    const looser = asked === false ? null : loosens(above, asked);
    if (looser !== null) {
      const message = `sandbox can only tighten what a layer above says: ${looser}`;
      const position = { file: file.file, line: file.line, col: 1 };
      problems.push({ severity: 'warning', code: 'FIELD_UNKNOWN', message, position });
    }
    above = clamped(above, asked);
  }
  return problems;
}

function written(layers: readonly LoadedLayer[]): readonly SandboxInFile[] {
  return layers.flatMap(({ project }) => project.settings.sandboxes);
}

function requestedIn({ asked }: SandboxInFile): RequestedSandbox {
  return asked ?? TIGHTEST_SANDBOX;
}

/** RequestedSandbox for and not possible: an error, and every gate is shut. */
export function missingSandbox(why: string): Problem {
  const message = `a sandbox is asked for and cannot be made: ${why}`;
  return { severity: 'error', code: 'SANDBOX_UNAVAILABLE', message, position: null };
}
