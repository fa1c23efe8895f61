/**
 * Chooses what answers a request: a rule for side requests, or the first item of the script that is not used yet and whose
 * conditions hold. Each item is used once, so an `error` item is one failed attempt and the retry takes the next.
 */
import { conditionHolds } from './condition.ts';
import type { ModelRequest } from './model-request.ts';
import type { ServerCompletion, ServerScript, SideRule } from './script.ts';
import { sideRuleFor, sideRulesOf } from './side-requests.ts';

export type ScriptChoice =
  | { readonly kind: 'side'; readonly rule: SideRule }
  /** `place` counts from 0, as in `completions[0]`. */
  | { readonly kind: 'item'; readonly place: number; readonly item: ServerCompletion }
  | { readonly kind: 'none' };

export class ScriptPlayer {
  private readonly items: readonly ServerCompletion[];
  private readonly rules: readonly SideRule[];
  private readonly used = new Set<number>();

  constructor(script: ServerScript) {
    this.items = script.completions;
    this.rules = sideRulesOf(script);
  }

  choose(request: ModelRequest): ScriptChoice {
    const rule = sideRuleFor(this.rules, request);
    if (rule !== null) return { kind: 'side', rule };
    const place = this.items.findIndex((item, at) => !this.used.has(at) && answers(item, request));
    if (place === -1) return { kind: 'none' };
    this.used.add(place);
    return { kind: 'item', place, item: this.items[place]! };
  }

  /** Places of items that answered nothing so far. */
  unused(): readonly number[] {
    return this.items.flatMap((_, place) => (this.used.has(place) ? [] : [place]));
  }
}

function answers({ match, when }: ServerCompletion, request: ModelRequest): boolean {
  return (
    conditionHolds(when ?? {}, request) && (match === undefined || conditionHolds({ latest: match }, request))
  );
}
