/** What keeps hooks of Codex from running. */
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../base/index.ts';
import { type Place, type ReadText, rootOf } from '../install/installer.ts';
import { isFalse, isTrue, NO_HOOK, type Switch } from '../switches.ts';
import { hooksFile, trustOf } from './install.ts';

const configs = (place: Place) => [
  join(place.env('CODEX_HOME') || join(place.home, '.codex'), 'config.toml'),
  join(rootOf(place), '.codex', 'config.toml'),
  '/etc/codex/config.toml',
  '/etc/codex/managed_config.toml',
];
const requirements = () => ['/etc/codex/requirements.toml'];

/** One table for each handler: those that `install` lets run. */
function oursOff(state: Json, place: Place, textOf: ReadText): boolean {
  const file = hooksFile(place);
  const ours = trustOf(file, textOf(file) ?? '').map((one) => (one.kind === 'toml' ? one.table.at(-1)! : ''));
  const isOff = (one: Json | undefined) => isJsonObject(one) && one.enabled === false;
  return isJsonObject(state) && ours.some((name) => isOff(state[name]));
}

export const switches: readonly Switch[] = [
  {
    name: 'features.hooks = false',
    does: NO_HOOK,
    seen: 'settings',
    path: ['features', 'hooks'],
    files: configs,
    isOn: isFalse,
  },
  {
    name: 'hooks.state.….enabled = false',
    does: 'a hook of ours does not run',
    seen: 'settings',
    path: ['hooks', 'state'],
    files: configs,
    isOn: oursOff,
  },
  {
    name: 'allow_managed_hooks_only',
    does: 'only hooks of its requirements run',
    seen: 'settings',
    path: ['allow_managed_hooks_only'],
    files: requirements,
    isOn: isTrue,
  },
  { name: '-c features.hooks=false', does: NO_HOOK, seen: 'tapes' },
  { name: '--ignore-user-config', does: 'hooks are not trusted and are skipped', seen: 'tapes' },
  { name: '--profile', does: 'a profile that switches hooks off counts', seen: 'tapes' },
  {
    name: '--dangerously-bypass-approvals-and-sandbox',
    does: 'its own questions and walls are gone',
    seen: 'holds',
  },
];
