/**
 * What a session came to, counted from its events: decisions and who made them, tools, tokens, retries, failures.
 */
import { SCRIPT_CALL, type SessionEvent } from '../agent/index.ts';
import type { Outcome } from '../engine/index.ts';
import { thousands } from '../terminal/index.ts';

type Counts = Map<string, number>;

export class Tally {
  private events = 0;
  private completions = 0;
  private retries = 0;
  private inputTokens = 0;
  private outputTokens = 0;
  private costUsd = 0;
  private readonly tools = { called: 0, ran: 0, failed: 0 };
  private readonly running = new Set<string>();
  private readonly blocked: Counts = new Map();
  private readonly sentBack: Counts = new Map();
  private readonly rewritten: Counts = new Map();
  private readonly held: Counts = new Map();
  private readonly failures: Counts = new Map();
  private readonly ignored: Counts = new Map();
  /** In mode warn or shadow. */
  private readonly tried: Counts = new Map();
  private reminders = 0;

  add(event: SessionEvent): void {
    switch (event.type) {
      case 'hook':
        this.events++;
        this.addOutcome(event.outcome);
        break;
      case 'message':
        if (event.message.role === 'assistant') this.tools.called += event.message.tool_calls.length;
        break;
      case 'tool.start':
        this.tools.ran++;
        this.running.add(event.callId);
        break;
      case 'tool.end':
        // What scripts call is in no message of the model.
        if (event.callId.startsWith(SCRIPT_CALL)) this.tools.called++;
        // Calls that were refused end as well, and have not failed.
        if (this.running.delete(event.callId) && event.isError) this.tools.failed++;
        break;
      case 'retry':
        this.retries++;
        break;
      case 'reminder':
        this.reminders++;
        break;
      case 'agent':
        // What a sub-agent spent is in the total of the prompt it worked for.
        if (event.event.type === 'end') this.completions += event.event.turns;
        else this.add(event.event);
        break;
      case 'end':
        this.completions += event.turns;
        this.inputTokens += event.usage.input_tokens;
        this.outputTokens += event.usage.output_tokens;
        this.costUsd += event.costUsd;
        break;
    }
  }

  /** Name and text of each line; lines that would say nothing are left out. */
  summary(): ReadonlyArray<readonly [string, string]> {
    const { called, ran, failed } = this.tools;
    const spent =
      this.inputTokens + this.outputTokens === 0
        ? ''
        : `; ${thousands(this.inputTokens)} tokens sent, ${thousands(this.outputTokens)} received`;
    const cost = this.costUsd > 0 ? `, $${this.costUsd.toFixed(4)}` : '';
    const again = this.retries > 0 ? `, ${this.retries} retried` : '';
    const rows: [string, string][] = [
      ['model', `${times(this.completions, 'answer')}${again}${spent}${cost}`],
      ['tools', `${times(called, 'call')}, ${ran} ran, ${called - ran} did not, ${failed} failed`],
      ['events', `${thousands(this.events)} went through the hooks`],
      ['blocked', byHook(this.blocked)],
      ['sent back', byHook(this.sentBack)],
      ['rewritten', byHook(this.rewritten)],
      ['held back', byHook(this.held)],
      ['failed', byHook(this.failures)],
      ['ignored', byHook(this.ignored)],
      ['on trial', byHook(this.tried)],
      ['notes', this.reminders === 0 ? '' : `${this.reminders} shown to the model`],
    ];
    return rows.filter(([, text]) => text !== '');
  }

  private addOutcome(outcome: Outcome): void {
    const { action, event, trace } = outcome;
    const who = outcome.hook ?? 'the harness';
    if (action === 'block') count(event === 'agent.stop' ? this.sentBack : this.blocked, who);
    if (action === 'ask') count(this.held, who);
    for (const entry of trace) {
      if (entry.failure !== null) count(this.failures, entry.hook);
      if (entry.vetoIgnored !== undefined) {
        count(entry.mode === 'enforce' ? this.ignored : this.tried, entry.hook);
      } else if (entry.decision === 'modify' && action !== 'block') count(this.rewritten, entry.hook);
    }
  }
}

function count(counts: Counts, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function byHook(counts: Counts): string {
  const total = [...counts.values()].reduce((sum, value) => sum + value, 0);
  if (total === 0) return '';
  return `${total}: ${[...counts].map(([name, value]) => (value === 1 ? name : `${name} ${value}×`)).join(', ')}`;
}

function times(amount: number, noun: string): string {
  return `${thousands(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}
