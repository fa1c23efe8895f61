/**
 * Whether a persona pauses, and the wait until it goes on: never longer than a pause may last, and not at all once that
 * time is over.
 */
import { HarnessError } from '../../base/index.ts';
import { raceTimeout } from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';

export class Pause {
  private readonly persona: string;
  private readonly maxMs: number;
  private readonly host: Host;
  private current: { readonly since: number; readonly over: Promise<void>; readonly end: () => void } | null =
    null;

  constructor(persona: string, maxMs: number, host: Host) {
    this.persona = persona;
    this.maxMs = maxMs;
    this.host = host;
  }

  get on(): boolean {
    return this.current !== null;
  }

  /** False where it is on already: the first pause counts. */
  begin(): boolean {
    if (this.current !== null) return false;
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.current = { since: this.host.elapsed(), over, end };
    return true;
  }

  end(): void {
    const { current } = this;
    this.current = null;
    current?.end();
  }

  /** Resolves once the persona works; rejects where it stays paused for too long, or where it is aborted. */
  async over(signal: AbortSignal): Promise<void> {
    while (this.current !== null) {
      const left = this.maxMs - (this.host.elapsed() - this.current.since);
      const settled = left <= 0 ? null : await raceTimeout(this.current.over, left, signal);
      if (settled?.kind === 'value') continue;
      const aborted = settled?.kind === 'failed' && settled.failure.kind === 'aborted';
      const why = aborted ? 'and was aborted' : `for longer than ${this.maxMs} ms`;
      throw new HarnessError('PERSONA_PAUSED', `persona "${this.persona}" is paused ${why}`);
    }
  }
}
