import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsoncDocument, tomlDocument } from '../../../test/support/arbitrary-config.ts';
import type { JsonObject } from '../../base/json.ts';
import { type FilePlan, type FileRecord, type PlannedFile, planFile } from './file-plan.ts';
import { jsonAt } from './json-edit.ts';
import { markerOf, type Operation } from './operation.ts';

const EVENTS = ['PreToolUse', 'PostToolUse', 'Stop'];
const line = (agent: string, event: string, more = '') => `guard ${event} ${more}# ${markerOf(agent)}`;
const entryOf = (agent: string, event: string, more = ''): JsonObject => ({
  hooks: [{ type: 'command', command: line(agent, event, more) }],
});

function wishOf(agent: string, more = ''): PlannedFile {
  const operations = EVENTS.map(
    (event): Operation => ({ kind: 'entry', path: ['hooks', event], value: entryOf(agent, event, more) }),
  );
  return { file: '/f', agent, owner: `${agent} --dir /p`, operations, container: ['hooks'] };
}

const gone = (wish: PlannedFile): PlannedFile => ({ ...wish, operations: [] });

interface Disk {
  readonly text: string | null;
  readonly record: FileRecord | null;
}

function planned(disk: Disk, wish: PlannedFile): FilePlan {
  const plan = planFile(disk.text, disk.record, wish);
  if ('refused' in plan) throw new Error(plan.refused);
  return plan;
}

const A = wishOf('claude-code');
const B = wishOf('qwen-code');

describe('a file that something is installed in', () => {
  it('is made if there is none, and goes again', () => {
    const made = planned({ text: null, record: null }, A);
    expect(Object.keys(jsonAt(made.text ?? '', ['hooks']) as JsonObject)).toEqual(EVENTS);
    expect(planned(made, gone(A))).toMatchObject({ text: null, record: null });
  });

  it('goes too if only what was ours was left in it after an edit', () => {
    const made = planned({ text: null, record: null }, A);
    const touched = { ...made, text: `${made.text} ` };
    expect(planned(touched, gone(A)).text).toBe(null);
  });

  it('keeps what was edited since, and loses only ours', () => {
    const made = planned({ text: '{\n  "a": 1\n}\n', record: null }, A);
    const edited = made.text!.replace('"a": 1', '"a": 2, "b": [3]');
    expect(planned({ ...made, text: edited }, gone(A))).toEqual({
      text: '{\n  "a": 2, "b": [3]\n}\n',
      record: null,
      edited: true,
    });
  });

  it('is cleaned by the marker alone if the record is lost, also of lines that look different today', () => {
    const text = '{\n  "a": 1\n}\n';
    const made = planned({ text, record: null }, wishOf('claude-code', 'old '));
    expect(planned({ text: made.text, record: null }, gone(A)).text).toBe(text);
    expect(planned({ text: made.text, record: null }, A).text).toBe(planned({ text, record: null }, A).text);
  });

  it('takes the marker of one agent for no other', () => {
    const made = planned({ text: '{}', record: null }, wishOf('codex'));
    const other = planned({ text: made.text, record: null }, gone(wishOf('code')));
    expect(other.text).toBe(made.text);
  });

  it('is as it was before, if a crash came between the record and the file', () => {
    const text = '{"a": 1}';
    const made = planned({ text, record: null }, A);
    expect(planned({ text, record: made.record }, gone(A)).text).toBe(text);
    const again = planned(made, wishOf('claude-code', 'new '));
    // The record of the second installation, the file of the first.
    expect(planned({ text: made.text, record: again.record }, gone(A)).text).toBe(text);
  });

  it('does not lose a trusted folder that was there before, nor one that somebody else needs', () => {
    const member = (owner: string): PlannedFile => ({
      file: '/f',
      agent: 'copilot',
      owner,
      operations: [{ kind: 'member', path: ['trustedFolders'], value: '/p' }],
      container: null,
    });
    const text = '{"trustedFolders": ["/p"]}';
    const made = planned({ text, record: null }, member('a'));
    expect(made.text).toBe(text);
    expect(planned(made, gone(member('a'))).text).toBe(text);
    const first = planned({ text: '{}', record: null }, member('a'));
    const second = planned(first, member('b'));
    const one = planned(second, gone(member('a')));
    expect(jsonAt(one.text ?? '', ['trustedFolders'])).toEqual(['/p']);
    expect(planned(one, gone(member('b'))).text).toBe('{}');
  });
});

const RUNS = { numRuns: 600, seed: 15 };

describe('for every file', () => {
  it('installed and uninstalled it is the same to the byte; installed twice it is as installed once', () => {
    fc.assert(
      fc.property(jsoncDocument, (text) => {
        const start: Disk = { text, record: null };
        const made = planFile(text, null, A);
        if ('refused' in made) return;
        expect(planned(made, A).text).toBe(made.text);
        // Also if nothing is known of the first time.
        expect(planned({ text: made.text, record: null }, A).text).toBe(made.text);
        expect(planned(made, gone(A)).text).toBe(text);
        const newer = planned(made, wishOf('claude-code', 'new '));
        expect(newer.text).toBe(planned(start, wishOf('claude-code', 'new ')).text);
        expect(planned(newer, gone(A)).text).toBe(text);
      }),
      RUNS,
    );
  });

  it('two installations go in any order, and the last leaves it as it was', () => {
    fc.assert(
      fc.property(jsoncDocument, fc.boolean(), (text, swap) => {
        const first = planFile(text, null, A);
        if ('refused' in first) return;
        const both = planned(first, B);
        const [x, y] = swap ? [A, B] : [B, A];
        const one = planned(both, gone(x));
        expect(one.text).toBe(planned({ text, record: null }, y).text);
        expect(planned(one, gone(y))).toMatchObject({ text, record: null });
      }),
      RUNS,
    );
  });

  it('the same holds for TOML', () => {
    const wish = (name: string): PlannedFile => ({
      file: '/f',
      agent: 'codex',
      owner: name,
      operations: EVENTS.map((event) => ({
        kind: 'toml',
        table: ['hooks', 'state', `/${name}/.codex/hooks.json:${event}:0:0`],
        key: 'trusted_hash',
        value: `sha256:${event}`,
      })),
      container: null,
    });
    fc.assert(
      fc.property(tomlDocument, (text) => {
        const first = planFile(text, null, wish('a'));
        if ('refused' in first) return;
        expect(planned(first, wish('a')).text).toBe(first.text);
        const both = planned(first, wish('b'));
        const one = planned(both, gone(wish('a')));
        expect(one.text).toBe(planned({ text, record: null }, wish('b')).text);
        expect(planned(one, gone(wish('b'))).text).toBe(text);
      }),
      RUNS,
    );
  });
});
