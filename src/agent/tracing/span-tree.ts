/**
 * Opens and closes spans inside one another, with ids and times from one host. Closing a span closes what is open inside it.
 */

import type { Outcome } from '../../engine/index.ts';
import type { Host } from '../../machine/index.ts';
import { type Hide, UNREDACTED } from '../record/transcript.ts';
import { type Attributes, OpenSpan, type Span, type SpanKind } from './span.ts';

export interface TreeOptions {
  /** Prompts, answers, arguments, results and reasons too, as the hooks left them. */
  readonly content?: boolean;
  /** Takes secrets out of that content; `OpenTape.hide` does. */
  readonly hide?: Hide;
  /** The span of the caller that the session belongs to. */
  readonly parent?: { readonly traceId: string; readonly spanId: string };
}

export interface SpannedDecision {
  readonly outcome: Outcome;
  readonly callId: string | undefined;
  /** The span it was made in. */
  readonly within: OpenSpan | null;
  /** On every span of that session. */
  readonly common: Attributes;
  readonly startMs: number;
  readonly endMs: number;
}

/** For listeners that must know of a span before it is over. */
export interface SpanWatcher {
  opened(span: OpenSpan): void;
  decided(decision: SpannedDecision): void;
}

/** Where ids and times come from. */
export type SpanHost = Pick<Host, 'now' | 'elapsed' | 'uuid'>;

export class SpanTree {
  private readonly host: SpanHost;
  private readonly options: TreeOptions;
  readonly watcher: SpanWatcher | undefined;
  /** The wall clock once, and from there on one that cannot jump. */
  private readonly epochMs: number;
  private readonly roots = new Set<OpenSpan>();
  private done: Span[] = [];

  constructor(host: SpanHost, options: TreeOptions, watcher?: SpanWatcher) {
    this.host = host;
    this.options = options;
    this.watcher = watcher;
    this.epochMs = host.now() - host.elapsed();
  }

  now(): number {
    return this.epochMs + this.host.elapsed();
  }

  /** An event is told when its hooks have answered; what it begins began before them. */
  before(outcome: Outcome): number {
    return this.now() - outcome.trace.reduce((sum, { ms }) => sum + ms, 0);
  }

  open(kind: SpanKind, name: string, outer: OpenSpan | null, common: Attributes, startMs: number): OpenSpan {
    const { parent, content = false, hide = UNREDACTED } = this.options;
    const start = {
      kind,
      traceId: outer?.start.traceId ?? parent?.traceId ?? this.hex(),
      spanId: this.hex().slice(-16),
      parentSpanId: outer?.start.spanId ?? parent?.spanId ?? null,
      // Hooks are timed apart from us; an inner span still begins inside its outer one.
      startMs: Math.max(startMs, outer?.start.startMs ?? startMs),
    };
    const span = new OpenSpan(start, name, outer, common, content ? hide : null);
    if (outer === null) this.roots.add(span);
    this.watcher?.opened(span);
    return span;
  }

  /** What is still open inside has come to nothing, for that cause. */
  close(span: OpenSpan, cause = 'unfinished', endMs = this.now()): void {
    for (const inner of [...span.inner].reverse()) this.abandon(inner, cause);
    this.roots.delete(span);
    this.done.push(span.close(endMs));
  }

  closeAll(): void {
    for (const root of this.roots) this.abandon(root, 'unfinished');
  }

  /** The spans that ended since it was last called. */
  flush(): Span[] {
    const { done } = this;
    this.done = [];
    return done;
  }

  private abandon(span: OpenSpan, cause: string): void {
    span.onAbandon?.();
    this.close(span.fail(cause), cause);
  }

  private hex(): string {
    return this.host.uuid().replaceAll('-', '');
  }
}
