/** What became of the questions of one rule. Types only: the browser's part imports it too. */
export interface RuleCount {
  readonly rule: string;
  readonly place: string;
  readonly folder: string;
  readonly asked: number;
  readonly allowed: number;
  readonly denied: number;
  /** Nobody said anything in time, or has not yet. */
  readonly unanswered: number;
  readonly lastAsked: number;
  /** It is approved nine times in ten. */
  readonly proposed: boolean;
}
