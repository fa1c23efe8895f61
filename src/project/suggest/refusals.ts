/**
 * The tool calls of tapes and how each ended; those that a person refused, and edits that git took back in the same session, with all
 * they were.
 */
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { readCommand } from '../../shell/index.ts';
import { readTape } from '../../tape/index.ts';

export interface Refusal {
  readonly session: string;
  readonly seq: number;
  readonly tool: string;
  readonly args: JsonObject;
  /** `declined`, `interrupted`, what the person said, or `undone`. */
  readonly reason: string;
}

export const UNDONE = 'undone';
const EDITS: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/** More calls of one tape without an end are not waited for. */
const MOST_OPEN = 10_000;

export class Calls {
  readonly refused: Refusal[] = [];
  /** Edits that ran and were restored by git afterwards. */
  readonly undone: Refusal[] = [];
  count = 0;
  /** Calls that a person refused, and calls that ran: by session and entry. */
  private readonly ends = new Map<string, 'refused' | 'ran'>();

  /** Throws TAPE_INVALID for what is no tape. */
  addTape(file: string): void {
    const { header, entries } = readTape(file);
    const { session } = header;
    const open = new Map<string, Omit<Refusal, 'reason'>[]>();
    const edits = new Map<string, Omit<Refusal, 'reason'>[]>();
    for (const { seq, record } of entries) {
      if (record.type === 'decision' && 'event' in record.in && record.in.event === 'tool.pre') {
        const { payload } = record.in;
        if (!isJsonObject(payload) || typeof payload.name !== 'string') continue;
        this.count++;
        // A call in several parts has one id, with the number of the part behind it.
        const id = typeof payload.id === 'string' ? payload.id.replace(/#\d+$/, '') : '';
        const args = isJsonObject(payload.args) ? payload.args : {};
        const parts = open.get(id) ?? [];
        parts.push({ session, seq, tool: payload.name, args });
        if (open.size < MOST_OPEN) open.set(id, parts);
      }
      if (record.type !== 'call') continue;
      const { callId, by, verdict, reason } = record;
      const parts = open.get(callId) ?? [];
      open.delete(callId);
      for (const part of parts) {
        if (by === 'person') this.refused.push({ ...part, reason: reason ?? 'declined' });
        if (by === 'person') this.ends.set(keyOf(session, part.seq), 'refused');
        else if (verdict === 'ran' || verdict === 'failed') {
          this.ends.set(keyOf(session, part.seq), 'ran');
          if (verdict === 'ran') this.follow(part, edits);
        }
      }
    }
  }

  /** Remembers an edit, and finds the edits of files that a command restores. */
  private follow(part: Omit<Refusal, 'reason'>, edits: Map<string, Omit<Refusal, 'reason'>[]>): void {
    const { path, command } = part.args;
    if (EDITS.has(part.tool) && typeof path === 'string') edits.set(path, [...(edits.get(path) ?? []), part]);
    if (part.tool !== 'run_command' || typeof command !== 'string') return;
    for (const restored of restoredBy(command)) {
      for (const [edited, parts] of edits) {
        if (edited !== restored && !edited.endsWith(`/${restored}`)) continue;
        edits.delete(edited);
        for (const edit of parts) {
          this.undone.push({ ...edit, reason: UNDONE });
          this.ends.set(keyOf(edit.session, edit.seq), 'refused');
        }
      }
    }
  }

  /** Null if nobody knows, or if something else than a person stopped it. */
  endOf(session: string, seq: number): 'refused' | 'ran' | null {
    return this.ends.get(keyOf(session, seq)) ?? null;
  }
}

/** Files that a command line certainly takes back as they were: each by its name, and nothing that is only known when it runs. */
function restoredBy(text: string): string[] {
  const { commands, complete } = readCommand(text);
  if (!complete) return [];
  return commands
    .flatMap((command) => {
      if (command.program !== 'git' || command.dynamic) return [];
      const { args } = command;
      const verb = command.sub(0);
      const dashes = args.indexOf('--');
      if (verb === 'checkout' && dashes >= 0) return args.slice(dashes + 1).map(plainPath);
      if (verb !== 'restore' || (command.has('--staged', '-S') && !command.has('--worktree', '-W')))
        return [];
      return (dashes >= 0 ? args.slice(dashes + 1) : command.operands.slice(1)).map(plainPath);
    })
    .filter((path) => path !== '' && path !== '.' && !/[*?[\]:]/.test(path));
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
}

function keyOf(session: string, seq: number): string {
  return `${seq} ${session}`;
}
