/**
 * An agent's own switches that keep hooks from running or make them weaker: settings, variables, flags, modes. Each row says how the
 * switch is seen; `install`, `status` and `doctor` read those that stand in a file or in the environment, and name every one that is on.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import type { CodingAgent } from './coding-agent.ts';
import type { Place, ReadText } from './install/installer.ts';
import { jsonAt } from './install/json-edit.ts';
import { tomlData } from './install/toml-edit.ts';

interface Row {
  /** As the agent's documentation writes it. */
  readonly name: string;
  /** What becomes of our hooks, after "so that". */
  readonly does: string;
}

/** In a file of settings: JSON, or TOML by its name. */
export interface SettingSwitch extends Row {
  readonly seen: 'settings';
  readonly path: readonly string[];
  files(place: Place): readonly string[];
  isOn(value: Json, place: Place, textOf: ReadText): boolean;
}

export interface VariableSwitch extends Row {
  readonly seen: 'environment';
}

/**
 * On the command line of a run, which nothing here reads. `tapes`: the session stands in the agent's transcripts and on no tape, which
 * `status` and `doctor` find afterwards. `nowhere`: no trace is left. `holds`: hooks run all the same.
 */
export interface UnseenSwitch extends Row {
  readonly seen: 'tapes' | 'nowhere' | 'holds';
}

export type Switch = SettingSwitch | VariableSwitch | UnseenSwitch;

export const NO_HOOK = 'no hook runs';

export const isTrue = (value: Json) => value === true;
export const isFalse = (value: Json) => value === false;

/** As agents read a variable that is a switch. */
export const isTruthy = (value: Json) => /^\s*(?:1|true|yes|on)\s*$/i.test(String(value));

/** The switches of an agent that are on, in sentences. */
export function switchesOn(
  { switches }: Pick<CodingAgent, 'switches'>,
  place: Place,
  textOf: ReadText,
): string[] {
  return switches.flatMap((one): string[] => {
    if (one.seen === 'settings') {
      return [...new Set(one.files(place))]
        .filter((file) => {
          const value = valueAt(file, textOf(file), one.path);
          return value !== undefined && one.isOn(value, place, textOf);
        })
        .map((file) => `${file}: ${one.name} is set, so that ${one.does}`);
    }
    const value = one.seen === 'environment' ? place.env(one.name) : undefined;
    return value !== undefined && isTruthy(value)
      ? [`${one.name} is set in this environment, so that ${one.does}`]
      : [];
  });
}

function valueAt(file: string, text: string | null, path: readonly string[]): Json | undefined {
  if (text === null) return undefined;
  if (!file.endsWith('.toml')) return jsonAt(text, path);
  let value = (tomlData(text) ?? undefined) as Json | undefined;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
