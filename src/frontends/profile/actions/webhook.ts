/**
 * `webhook`: posts the event to an address that is secure and, where the operator keeps a list, on it. The list is asked
 * again for each post.
 */

import { HarnessError } from '../../../base/index.ts';
import type { HookCall } from '../../../engine/index.ts';
import { allows, type HttpResponse, judgeWebhookUrl } from '../../../machine/index.ts';
import type { HookContext } from '../../code/registry/context.ts';
import { type Environment, WEBHOOK_LIST, webhookAllowList } from '../operator.ts';
import { DONE } from '../profile-front-end.ts';
import { recordText } from '../record.ts';
import { WEBHOOK_HOOK_MS, WEBHOOK_REQUEST_MS } from '../schema.ts';
import type { Action } from './action.ts';

/** Nobody reads the answer; this much is taken before it counts as broken. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export const webhook: Action<'webhook'> = ({ fields, path, profile, place, folder, machine }) => {
  const judged = judgeWebhookUrl(fields.data.url!);
  const offset = fields.get('url')!.start;
  if (!judged.ok) {
    fields.wrong('HOOK_CONFIG', `${path}.url: ${judged.message}`, offset);
    return null;
  }
  const { url } = judged;
  const refusal = refusalOf(url, machine);
  if (refusal !== null) {
    fields.wrong('HOOK_CONFIG', `${path}.url: ${refusal}`, offset);
    return null;
  }
  return {
    // The path of such an address is often its secret.
    description: `Posts the event to ${url.origin}.`,
    timeoutMs: WEBHOOK_HOOK_MS,
    condition: null,
    capability: {
      kind: 'address',
      what: `each event is posted to ${url.href}`,
      source: place,
      root: folder,
      files: {},
    },
    body: async (seen, call) => {
      const text = recordText(profile, seen as HookContext, call);
      const answer = await post(url, text, call);
      if (answer.status < 200 || answer.status > 299) {
        throw new HarnessError('WEBHOOK_FAILED', `${url.origin} answered ${answer.status}`);
      }
      return DONE;
    },
  };
};

async function post(url: URL, body: string, call: HookCall): Promise<HttpResponse> {
  const refusal = refusalOf(url, call.host);
  if (refusal !== null) throw new HarnessError('WEBHOOK_FAILED', refusal);
  const request = {
    method: 'POST',
    url: url.href,
    headers: { 'content-type': 'application/json' },
    body,
    timeoutMs: WEBHOOK_REQUEST_MS,
    maxBytes: MAX_ANSWER_BYTES,
  } as const;
  try {
    return await call.host.http(request, call.signal ?? new AbortController().signal);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
    throw new HarnessError('WEBHOOK_FAILED', `${url.origin}: ${why}`);
  }
}

/** Why the operator does not let anything go there, or null. */
function refusalOf(url: URL, machine: Environment): string | null {
  const list = webhookAllowList(machine);
  if (list === null || allows(list, url)) return null;
  const unclear = list.problems.length === 0 ? '' : ` (${list.problems.join('; ')})`;
  return `${url.origin} is not on the operator's list ${WEBHOOK_LIST}${unclear}`;
}
