/**
 * How runs are recorded, as the layers say together: of what is kept the least, of what is promised the most. Keeping secrets
 * and naming a key is for the user and the machine alone.
 */
import { resolve } from 'node:path';
import type { Problem } from '../base/index.ts';
import { TAPE_PAYLOADS, type TapePayloads } from '../files/index.ts';
import type { LoadedLayer } from './loaded-layer.ts';

export interface TapeSettings {
  readonly payloads: TapePayloads;
  readonly sync: boolean;
  /** Absolute; null: tapes are not signed. */
  readonly key: string | null;
}

export function tapeSettings(layers: readonly LoadedLayer[]): TapeSettings {
  const written = layers.flatMap(({ kind, dir, project: { settings } }) =>
    settings.tape === null ? [] : [{ own: kind !== 'project', dir, ...settings.tape }],
  );
  const kept = written.flatMap(({ own, payloads }) =>
    payloads === null || (payloads === 'full' && !own) ? [] : [TAPE_PAYLOADS.indexOf(payloads)],
  );
  const named = written.find(({ own, key }) => own && key !== null);
  return {
    payloads: kept.length === 0 ? 'redacted' : TAPE_PAYLOADS[Math.max(...kept)]!,
    sync: written.some(({ sync }) => sync),
    key: named === undefined ? null : resolve(named.dir, named.key!),
  };
}

/** A project that writes them believes that they count. */
export function tapeProblems(layers: readonly LoadedLayer[]): Problem[] {
  return layers.flatMap(({ kind, project: { settings } }) => {
    const { tape } = settings;
    if (kind !== 'project' || tape === null) return [];
    const idle = [
      ...(tape.payloads === 'full' ? ['payloads: full'] : []),
      ...(tape.key === null ? [] : ['key']),
    ];
    return idle.map((what): Problem => {
      const message = `tape: ${what} has no effect here: it counts in the user's and the managed layer`;
      return {
        severity: 'warning',
        code: 'FIELD_UNKNOWN',
        message,
        position: { file: tape.file, line: tape.line, col: 1 },
      };
    });
  });
}
