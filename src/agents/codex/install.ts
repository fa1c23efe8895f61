/**
 * Codex: groups of handlers in hooks.json, seconds. A handler runs only if the user's config.toml holds a digest of it, and is
 * skipped without a word otherwise, so that digest is written too. It covers our own lines and nothing else.
 */

import { join } from 'node:path';
import { digestOf, isJsonObject, type Json } from '../../base/index.ts';
import { isWithin } from '../../machine/index.ts';
import { group, hookListInstaller, isToolEvent } from '../install/hook-lists.ts';
import {
  type InstallTarget,
  isManaged,
  isUser,
  rootOf,
  systemFile,
  trustSteps,
  type WantedFile,
} from '../install/installer.ts';
import { jsonAt } from '../install/json-edit.ts';
import { isMarked, type Operation } from '../install/operation.ts';
import { tomlData } from '../install/toml-edit.ts';

const AGENT = 'codex';

/** Its own upper limit there. */
const SESSION_END_MS = 3000;

export function codexHome({ env, home }: Pick<InstallTarget, 'env' | 'home'>): string {
  return env('CODEX_HOME') || join(home, '.codex');
}

export function hooksFile(place: InstallTarget): string {
  if (isManaged(place)) return systemFile(place, AGENT, 'hooks.json');
  return join(isUser(place) ? codexHome(place) : join(rootOf(place), '.codex'), 'hooks.json');
}

export const configFile = (place: InstallTarget) => join(codexHome(place), 'config.toml');

export const installer = hookListInstaller({
  agent: AGENT,
  hasSystemPlace: true,
  file: hooksFile,
  entry: ({ row, line, timeoutMs }) =>
    group({ type: 'command', command: line, timeout: timeoutMs / 1000 }, isToolEvent(row) ? '.*' : null),
  timeoutMs: ({ native }) => (native === 'SessionEnd' ? SESSION_END_MS : Number.POSITIVE_INFINITY),
  more: (place, registrations) => [
    isManaged(place)
      ? demanding(place, registrations.length > 0)
      : {
          file: configFile(place),
          within: codexHome(place),
          container: null,
          operations: (textOf) =>
            registrations.length === 0 ? [] : trustOf(hooksFile(place), textOf(hooksFile(place)) ?? ''),
          leftovers: (textOf) => trustOf(hooksFile(place), textOf(hooksFile(place)) ?? ''),
        },
  ],
  steps: (place, textOf) =>
    trustSteps(place, {
      program: 'codex',
      folder: '.codex',
      isTrusted: (dir) => isTrusted(dir, textOf(configFile(place)) ?? ''),
      otherwise: (dir) =>
        `put \`[projects.${JSON.stringify(dir)}]\` with \`trust_level = "trusted"\` into ${configFile(place)}`,
    }),
});

/** Handlers of the machine need no trust. That they run at all is demanded, so that no user's settings and no flag switch them off. */
function demanding(place: InstallTarget, wanted: boolean): WantedFile {
  const demand: Operation = { kind: 'toml', table: ['features'], key: 'hooks', value: true };
  return {
    file: systemFile(place, AGENT, 'requirements.toml'),
    within: rootOf(place),
    container: null,
    operations: () => (wanted ? [demand] : []),
    leftovers: () => [],
  };
}

/** One table for each of our handlers: where it stands, and a digest of what it is. */
export function trustOf(file: string, text: string): Operation[] {
  const lists = jsonAt(text, ['hooks']);
  if (lists === undefined || !isJsonObject(lists)) return [];
  return Object.entries(lists).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((one, at): Operation[] =>
      isMarked(JSON.stringify(one), AGENT) ? [trustEntry(file, event, at, one)] : [],
    ),
  );
}

function trustEntry(file: string, event: string, at: number, one: Json): Operation {
  const name = event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
  const { matcher, hooks } = one as { matcher?: string; hooks: [{ command: string; timeout: number }] };
  const [{ command, timeout }] = hooks;
  const identity = {
    event_name: name,
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: 'command', command, timeout, async: false }],
  };
  return {
    kind: 'toml',
    table: ['hooks', 'state', `${file}:${name}:${at}:0`],
    key: 'trusted_hash',
    value: `sha256:${digestOf(identity)}`,
  };
}

/** The digest lets a handler run; whether a project's file is read at all is the trust of its folder. */
function isTrusted(dir: string, config: string): boolean {
  const data = tomlData(config);
  const projects = isJsonObject(data) && isJsonObject(data.projects) ? data.projects : {};
  return Object.entries(projects).some(
    ([folder, value]) => isWithin(dir, folder) && isJsonObject(value) && value.trust_level === 'trusted',
  );
}
