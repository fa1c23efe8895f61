/** Answers that no daemon gives: neither client of the daemon believes them, and the launcher decides in its place. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command, decisionIn } from '../adapters/launched.ts';
import { compiled } from '../support/compiled.ts';
import { NATIVE_SOURCE, nativeClient, RULES, user } from './daemon.ts';

const HELLO = 'harness-1 1 0.1.0\n';

/** Each would let a forbidden call run, if it were taken for an answer. */
const ANSWERS: readonly string[] = [
  'answer 0 -1 0\n',
  'answer -1 0 0\n',
  'answer 0 0 -1\n',
  'answer +0 0 0\n',
  'answer 0 00000000000 0\n',
  'answer 0 0 0 0\n',
  'answer  0 0 0\n',
  'answer 0 0\n',
  'answer 0 0 0 \n',
  'answer 0 0x0 0\n',
  'answer 0 999999999 1\n',
  'answer 0 18446744073709551615 1\n',
  'answer 0 5 0\nab',
  'wait\nwait\nanswer 0 0 0\n',
  'ANSWER 0 0 0\n',
  'answer 0 0 0',
  '\n',
];

describe('a daemon that answers something else', () => {
  it.each(['launcher', 'native'])('is not believed by the %s', async (client) => {
    const one = user(RULES);
    const native = client === 'native' ? nativeClient(one.home) : undefined;
    if (native === null) return;
    mkdirSync(one.folder, { recursive: true, mode: 0o700 });
    let answer = '';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(HELLO + answer);
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((done) => server.listen(join(one.folder, 'socket'), done));
    for (const [at, each] of ANSWERS.entries()) {
      answer = each;
      const options = native === undefined ? {} : { native };
      const said = await one.fire('PreToolUse', command('forbidden', `${client} ${at}`), options);
      expect({ each, decision: decisionIn(said) }).toEqual({ each, decision: 'deny' });
    }
  });
});

/** Feeds mutated answers to the parser of the native client and checks that what it accepts is inside what was heard. */
const FUZZER = `#define FUZZ
#include ${JSON.stringify(NATIVE_SOURCE)}
static unsigned long seed = 1;
static unsigned long next(void) { seed = seed * 6364136223846793005UL + 1442695040888963407UL; return seed >> 33; }
int main(void) {
  static const char *forms[] = {"harness-1 1 0.1.0\\nanswer 0 3 2\\nabcde", "harness-1 1 0.1.0\\nwait\\nanswer 255 0 0\\n",
    "harness-1 99 x\\nanswer 2 67108864 67108864\\n", "harness-1 1 1\\nno reason\\n", "harness-1 1 1\\nanswer 0 999999999 999999999\\n"};
  static const char bytes[] = "0123456789 -+x\\nanswerwait\\0";
  long accepted = 0;
  (void)ask; (void)launch; (void)usage; (void)read_input; (void)on_alarm;
  for (long round = 0; round < 400000; round++) {
    Text heard = {NULL, 0, 0};
    const char *form = forms[next() % 5];
    add(&heard, form, strlen(form));
    for (unsigned long change = next() % 4; change > 0; change--) {
      size_t at = next() % heard.length;
      if (next() % 4 == 0) heard.length = at + 1;
      else heard.bytes[at] = bytes[next() % (sizeof bytes - 1)];
    }
    /* A copy of the exact size: the sanitizer sees a look behind its end. */
    char *exact = malloc(heard.length);
    memcpy(exact, heard.bytes, heard.length);
    Text cut = {exact, heard.length, heard.length};
    int waits = 0, code = 0;
    size_t at = 0, out = 0, err = 0;
    if (understand(&cut, &waits, &code, &at, &out, &err) == 1) {
      if (code < 0 || code > 255 || at > cut.length || out > cut.length - at || err > cut.length - at - out) return 1;
      accepted++;
    }
    free(exact);
    free(heard.bytes);
  }
  return accepted > 0 ? 0 : 2;
}
`;

describe('the parser of the native client', () => {
  it('takes no mutated answer for one that is longer than what was heard, under sanitizers', () => {
    const { home } = user({});
    const [source, program] = [join(home, 'fuzz.c'), join(home, 'fuzz')];
    writeFileSync(source, FUZZER);
    const flags = ['-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
    if (compiled(program, ...flags, source) === null) return;
    const { status, stderr } = spawnSync(program, [], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
