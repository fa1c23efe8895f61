// Lines as sessions leave them, with texts that do not compress to nothing.
import { closingLine, entryBody, entryLine, hashLine, headerLine } from '../../dist/tape/chain.js';

const WORDS =
  'the run of a test in src with files and a build that reads writes fails passes again because'.split(' ');
let state = 1;
const word = () => WORDS[(state = (state * 48271) % 2147483647) % WORDS.length] + (state % 97);
const text = (count) => Array.from({ length: count }, word).join(' ');

/** A tape of decisions of about 1.5 kB each, as one text. */
export function longTape(session, entries) {
  return tape(session, entries, (i) => {
    const args = { command: text(30), description: text(10) };
    const payload = { id: `call_${i}`, name: 'run_command', args };
    const effects = [{ kind: 'log', level: 'info', message: text(120) }];
    return entryBody(
      {
        type: 'decision',
        in: { dispatch: i, run: 1, event: 'tool.pre', payload },
        out: { action: 'allow', hooks: [{ hook: 'audit', steps: 31, effects }] },
      },
      Date.now(),
      [0.5, 0.1],
    );
  });
}

/** A tape of decisions of about 450 bytes, one in ten of them a block by one of forty hooks. */
export function shortTape(session, entries, salt = 0) {
  return tape(session, entries, (i) => {
    const at = (i * 7 + salt) % 400;
    const payload = { id: `call_${i}`, name: TOOLS[at % TOOLS.length], args: { path: PATHS[at] } };
    const hook = `guard_${at % 40}`;
    const stopped = {
      action: 'block',
      hook,
      hooks: [{ hook, layer: 'project', reason: 'no', result: 'block' }],
    };
    const out = at < 40 ? stopped : { action: 'allow', hooks: [{ hook: 'audit', steps: 31 }] };
    const record = { type: 'decision', in: { dispatch: i, run: 1, event: 'tool.pre', payload }, out };
    return entryBody(record, Date.now(), 0.4);
  });
}
const TOOLS = ['run_command', 'write_file', 'read_file', 'search'];
const PATHS = Array.from({ length: 400 }, () => text(12));

function tape(session, entries, bodyOf) {
  const policy = { digest: '0'.repeat(64), files: {}, hooks: [], settings: {} };
  const header = {
    tape: 2,
    session,
    engine: 'bench',
    host: 'bench',
    policy,
    started: '2026-01-01T00:00:00.000Z',
  };
  let last = headerLine(header);
  const all = [last];
  for (let i = 1; i <= entries; i++) {
    last = entryLine(i, hashLine(last), bodyOf(i));
    all.push(last);
  }
  all.push(closingLine(entries + 1, hashLine(last)));
  return `${all.join('\n')}\n`;
}
