/**
 * An agent's own switches that keep hooks from running or make them weaker: settings, variables, flags, modes. Each row says how the
 * switch is seen and what it leaves of our hooks. `install`, `status` and `doctor` read the switches that stand in a file, in the
 * environment or on the command line of a running agent; the launcher refuses where a switch leaves only some of our hooks.
 */
import { isJsonObject, type Json } from '../base/index.ts';
import type { CodingAgent } from './coding-agent.ts';
import { type InstallTarget, isManaged, type ReadText } from './install/installer.ts';
import { jsonAt } from './install/json-edit.ts';
import { tomlData } from './install/toml-edit.ts';

interface Row {
  /** As the agent's documentation writes it. */
  readonly name: string;
  /** What becomes of our hooks, after "so that". */
  readonly does: string;
  /**
   * `none`, the default: no hook of ours runs. `some`: the session's gates refuse, since another hook of ours does not run. `all`: every
   * hook runs and blocks; something of the agent's own is gone.
   */
  readonly leaves?: 'none' | 'some' | 'all';
  /** Whose hooks it keeps from running; without it those of every place. */
  reaches?(place: InstallTarget): boolean;
  /** No run against the real agent shows it: it is written from the agent's documentation or source. */
  readonly documented?: true;
}

/** In a file of settings: JSON, or TOML by its name. */
export interface SettingSwitch extends Row {
  readonly seen: 'settings';
  readonly path: readonly string[];
  files(place: InstallTarget): readonly string[];
  isOn(value: Json, place: InstallTarget, textOf: ReadText): boolean;
}

export interface VariableSwitch extends Row {
  readonly seen: 'environment';
  /** By default where it says yes. */
  isOn?(value: string): boolean;
}

/**
 * On the command line of a run. `tapes`: the session stands in the agent's transcripts and on no tape, which `status` and `doctor` find
 * afterwards. `nowhere`: nothing is left of it afterwards.
 */
export interface FlagSwitch extends Row {
  readonly seen: 'tapes' | 'nowhere';
  /** Words of the command line, one after the other, by which a running agent is known to have it on. */
  readonly words?: readonly string[];
}

export type Switch = SettingSwitch | VariableSwitch | FlagSwitch;

export const NO_HOOK = 'no hook runs';
export const NO_QUESTIONS = 'its own questions are gone';

export const isTrue = (value: Json) => value === true;
export const isFalse = (value: Json) => value === false;
export const is = (wanted: Json) => (value: Json) => value === wanted;

/** Hooks of the machine run all the same. */
export const notMachine = (place: InstallTarget) => !isManaged(place);

/** As agents read a variable that is a switch. */
export const isTruthy = (value: Json) => /^\s*(?:1|true|yes|on)\s*$/i.test(String(value));

/** A flag that leaves every hook in place. */
export function harmlessFlag(name: string, does = NO_QUESTIONS): FlagSwitch {
  return { name, does, leaves: 'all', seen: 'nowhere' };
}

type Switches = Pick<CodingAgent, 'switches'>;

/** The switches that are on and weaken our hooks, in sentences. */
export function switchesOn(agent: Switches, place: InstallTarget, textOf: ReadText): string[] {
  return sentences(agent, place, textOf, (left) => left !== 'all');
}

/** Those that are on and leave our hooks as they are. */
export function harmlessSwitchesOn(agent: Switches, place: InstallTarget, textOf: ReadText): string[] {
  return sentences(agent, place, textOf, (left) => left === 'all');
}

function sentences(
  { switches }: Switches,
  place: InstallTarget,
  textOf: ReadText,
  counts: (left: 'none' | 'some' | 'all') => boolean,
): string[] {
  return switches
    .filter((one) => counts(one.leaves ?? 'none') && isAbout(one, place))
    .flatMap((one) => [
      ...filesWith(one, place, textOf).map((file) => `${file}: ${one.name} is set, so that ${one.does}`),
      ...(isInEnvironment(one, place) ? [`${one.name} is set in this environment, so that ${one.does}`] : []),
    ]);
}

export function isAbout(one: Switch, place: InstallTarget): boolean {
  return one.reaches?.(place) ?? true;
}

function filesWith(one: Switch, place: InstallTarget, textOf: ReadText): string[] {
  if (one.seen !== 'settings') return [];
  return [...new Set(one.files(place))].filter((file) => {
    const value = valueAt(file, textOf(file), one.path);
    return value !== undefined && one.isOn(value, place, textOf);
  });
}

function isInEnvironment(one: Switch, place: InstallTarget): boolean {
  if (one.seen !== 'environment') return false;
  const value = place.env(one.name);
  return value !== undefined && (one.isOn ?? isTruthy)(value);
}

function valueAt(file: string, text: string | null, path: readonly string[]): Json | undefined {
  if (text === null) return undefined;
  if (!file.endsWith('.toml')) return jsonAt(text, path);
  return valueIn((tomlData(text) ?? undefined) as Json | undefined, path);
}

export function valueIn(data: Json | undefined, path: readonly string[]): Json | undefined {
  let value = data;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}

/** What a session's gates refuse for: switches that are on while some of our hooks still run. */
export interface GateSwitches {
  /** Every file that can set one: as long as none of them changes, neither does the rest. */
  readonly files: readonly string[];
  readonly on: readonly string[];
}

export function gateSwitches(
  switches: readonly Switch[],
  place: InstallTarget,
  textOf: ReadText,
): GateSwitches {
  const some = switches.filter((one) => one.leaves === 'some' && isAbout(one, place));
  const files = some.flatMap((one) => (one.seen === 'settings' ? one.files(place) : []));
  return { files: [...new Set(files)], on: switchesOn({ switches: some }, place, textOf) };
}
