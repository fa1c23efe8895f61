/**
 * What the environment may be used for: which variables programs are given beyond the usual ones, and which a project may name
 * with `api_key_env` and `${NAME}`. Only the user's and the managed layer say so; where both do, both have to.
 */
import type { Problem } from '../base/index.ts';
import type { WrittenEnvironment } from '../frontends/index.ts';
import { matchesName } from '../machine/index.ts';
import type { LoadedLayer } from './loaded-layer.ts';

export interface EnvironmentRules {
  /** `NAME` or `PREFIX_*`. */
  readonly pass: readonly string[];
  readonly name: readonly string[];
}

/** The keys of the model services that are known; a project may name them without being listed. */
export const MODEL_KEYS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'MISTRAL_API_KEY',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'DEEPSEEK_API_KEY',
  'XAI_API_KEY',
  'TOGETHER_API_KEY',
];

export function environmentRules(layers: readonly LoadedLayer[]): EnvironmentRules {
  const written = layers
    .filter(({ kind }) => kind !== 'project')
    .flatMap(({ project: { settings } }) => settings.environment ?? []);
  return { pass: listOf(written, 'pass', []), name: [...MODEL_KEYS, ...listOf(written, 'name', [])] };
}

/** A list of a lower layer counts as far as the one above it agrees. */
function listOf(
  written: readonly WrittenEnvironment[],
  key: 'pass' | 'name',
  none: readonly string[],
): readonly string[] {
  const lists = written.flatMap((one) => (one[key] === null ? [] : [one[key]]));
  const [first, ...rest] = lists;
  if (first === undefined) return none;
  return rest.reduce((above, below) => below.filter((name) => matchesName(above, name)), first);
}

/** Whether a project may name this variable. */
export function mayName({ name }: EnvironmentRules, variable: string): boolean {
  return matchesName(name, variable);
}

/** A project that writes `environment` believes that it counts. */
export function environmentProblems(layers: readonly LoadedLayer[]): Problem[] {
  return layers.flatMap(({ kind, project: { settings } }) => {
    const { environment } = settings;
    if (kind !== 'project' || environment === null) return [];
    const message = "environment has no effect here: it counts in the user's and the managed layer";
    const position = { file: environment.file, line: environment.line, col: 1 };
    return [{ severity: 'warning', code: 'FIELD_UNKNOWN', message, position } as const];
  });
}
