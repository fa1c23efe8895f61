/** What keeps hooks of Codex from running. */
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../base/index.ts';
import { systemFolder } from '../../policy/index.ts';
import { type InstallTarget, type ReadText, rootOf } from '../install/installer.ts';
import { tomlData } from '../install/toml-edit.ts';
import { harmlessFlag, isFalse, isTrue, NO_HOOK, notMachine, type Switch, valueIn } from '../switches.ts';
import { configFile, hooksFile, trustOf } from './install.ts';

const atSystem = (name: string) => join(systemFolder('codex'), name);

const configs = (place: InstallTarget) => [
  configFile(place),
  join(rootOf(place), '.codex', 'config.toml'),
  atSystem('config.toml'),
  atSystem('managed_config.toml'),
];

/** Its requirements can demand the feature: then nothing below them switches it off. */
function isOff(value: Json, _place: InstallTarget, textOf: ReadText): boolean {
  const demanded = tomlData(textOf(atSystem('requirements.toml')) ?? '') as Json | undefined;
  return isFalse(value) && valueIn(demanded, ['features', 'hooks']) !== true;
}

/** The profile that a file of settings chooses by itself. */
function profileOff(config: Json): boolean {
  const name = valueIn(config, ['profile']);
  return typeof name === 'string' && valueIn(config, ['profiles', name, 'features', 'hooks']) === false;
}

/** One table for each handler: those that `install` lets run. */
function oursOff(state: Json, place: InstallTarget, textOf: ReadText): boolean {
  const file = hooksFile(place);
  const ours = trustOf(file, textOf(file) ?? '').map((one) => (one.kind === 'toml' ? one.table.at(-1)! : ''));
  const isDisabled = (one: Json | undefined) => isJsonObject(one) && one.enabled === false;
  return isJsonObject(state) && ours.some((name) => isDisabled(state[name]));
}

export const switches: readonly Switch[] = [
  {
    name: 'features.hooks = false',
    does: NO_HOOK,
    seen: 'settings',
    path: ['features', 'hooks'],
    files: configs,
    isOn: isOff,
  },
  {
    name: 'hooks.state.….enabled = false',
    does: 'a hook of ours does not run',
    leaves: 'some',
    seen: 'settings',
    path: ['hooks', 'state'],
    reaches: notMachine,
    files: (place) => [configFile(place)],
    isOn: oursOff,
  },
  {
    name: 'allow_managed_hooks_only',
    does: 'only hooks of its requirements run',
    seen: 'settings',
    path: ['allow_managed_hooks_only'],
    reaches: notMachine,
    files: () => [atSystem('requirements.toml')],
    isOn: isTrue,
  },
  {
    name: 'profile = …',
    does: 'a profile that switches hooks off counts; versions of today do not start with it',
    seen: 'settings',
    path: [],
    files: (place) => [configFile(place)],
    reaches: notMachine,
    isOn: profileOff,
  },
  {
    name: '-c features.hooks=false',
    does: NO_HOOK,
    seen: 'tapes',
    reaches: notMachine,
    words: ['features.hooks=false'],
  },
  {
    name: '--disable hooks',
    does: NO_HOOK,
    seen: 'tapes',
    reaches: notMachine,
    words: ['--disable', 'hooks'],
  },
  {
    name: '--ignore-user-config',
    does: 'hooks are not trusted and are skipped',
    seen: 'tapes',
    reaches: notMachine,
    words: ['--ignore-user-config'],
  },
  { name: '--profile', does: 'a profile that switches hooks off counts', seen: 'tapes' },
  {
    name: 'features.code_mode = true',
    does: 'its model writes programs, and each tool that one calls is judged by itself',
    leaves: 'all',
    seen: 'settings',
    path: ['features', 'code_mode'],
    files: configs,
    isOn: isTrue,
  },
  harmlessFlag('--dangerously-bypass-approvals-and-sandbox', 'its own questions and walls are gone'),
  harmlessFlag('--dangerously-bypass-hook-trust', 'untrusted hooks run too'),
];
