/**
 * How people are asked elsewhere and whether the launcher starts the daemon, as the user's and the managed layer say. A project
 * can say neither: it would name who may say yes to it.
 */
import { resolve } from 'node:path';
import type { Problem } from '../base/index.ts';
import type { WrittenAsking } from '../frontends/index.ts';
import { judgeWebhookUrl } from '../machine/index.ts';
import type { LoadedLayer } from './loaded-layer.ts';

export interface AskingSettings {
  /** As written and judged to be secure; null: nobody is asked there. */
  readonly webhook: string | null;
  /** The file of the key that answers are signed with, absolute. */
  readonly key: string | null;
  readonly daemonOnDemand: boolean;
}

export function askingSettings(layers: readonly LoadedLayer[]): AskingSettings {
  const written = layers.flatMap(({ kind, dir, project: { settings } }) =>
    kind === 'project' || settings.asking === null ? [] : [{ dir, ...settings.asking }],
  );
  // The higher layer names both or neither: a key of one with an address of the other would be nobody's choice.
  const asked = written.find(({ webhook, key }) => webhook !== null || key !== null);
  const secure = asked?.webhook != null && judgeWebhookUrl(asked.webhook).ok;
  return {
    webhook: secure ? asked.webhook : null,
    key: asked?.key == null ? null : resolve(asked.dir, asked.key),
    daemonOnDemand: written.find(({ daemon }) => daemon !== null)?.daemon !== 'off',
  };
}

/** What is written and has no effect: somebody believes that it does. */
export function askingProblems(layers: readonly LoadedLayer[]): Problem[] {
  return layers.flatMap(({ kind, project: { settings } }) => {
    const { asking } = settings;
    if (asking === null) return [];
    if (kind === 'project') return idle(asking);
    if (asking.webhook === null) return [];
    const judged = judgeWebhookUrl(asking.webhook);
    if (!judged.ok) return [problem(asking, 'error', 'FIELD_TYPE', `approvals.webhook: ${judged.message}`)];
    return asking.key === null
      ? [
          problem(
            asking,
            'warning',
            'FIELD_MISSING',
            'approvals.key is missing: no answer of the webhook counts',
          ),
        ]
      : [];
  });
}

function idle(asking: WrittenAsking): Problem[] {
  const { webhook, key, daemon } = asking;
  const written = { 'approvals.webhook': webhook, 'approvals.key': key, daemon };
  return Object.entries(written)
    .filter(([, value]) => value !== null)
    .map(([name]) => {
      const message = `${name} has no effect here: it counts in the user's and the managed layer`;
      return problem(asking, 'warning', 'FIELD_UNKNOWN', message);
    });
}

function problem(
  { file, line }: WrittenAsking,
  severity: 'error' | 'warning',
  code: string,
  message: string,
): Problem {
  return { severity, code, message, position: { file, line, col: 1 } } as Problem;
}
