/** What `harness tape ls` and the page say of a tape. Types only: the browser's part imports it too. */
export interface TapeSummary {
  readonly file: string;
  readonly session: string | null;
  readonly host: string | null;
  readonly started: string | null;
  /** When its last entry was written, in milliseconds since the epoch; null if the tape does not say. */
  readonly last: number | null;
  /** The policy, by its digest. */
  readonly policy: string | null;
  readonly entries: number;
  readonly decisions: number;
  readonly blocks: number;
  readonly asks: number;
  readonly rewrites: number;
  readonly failures: number;
  readonly failOpens: number;
  /** `closed`, `open` (being written), `cut` (ended without its closing entry), or `broken`. */
  readonly state: 'closed' | 'open' | 'cut' | 'broken';
  readonly problem: string | null;
}
