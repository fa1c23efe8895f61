import { appendFileSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blockedCall, failedCall, linesOf, tapeHeader, writeTape } from '../../test/support/tape.ts';
import { tempProject } from '../../test/support/temp-project.ts';
import { entryBody, entryLine, hashLine } from './chain.ts';
import type { Entry } from './entry.ts';
import { readSigningKey, readVerifyingKey, writeKeyPair } from './sign.ts';
import { verifyTape } from './verify.ts';
import { TapeWriter } from './writer.ts';

function signedTape() {
  const dir = tempProject();
  writeKeyPair(join(dir, 'key'));
  const path = join(dir, 'tape.jsonl');
  const key = readSigningKey(join(dir, 'key'));
  writeTape(path, [...blockedCall(1), ...failedCall(2)], { sign: { key } });
  return { dir, path, key, trusted: readVerifyingKey(join(dir, 'key.pub')) };
}

/** Every line changed and bound anew, as one would who knows the format. */
function rewrite(path: string, change: (line: string) => string): void {
  const [header, ...lines] = linesOf(path);
  const made = [header!];
  for (const line of lines) {
    const { seq, record, at, ms } = JSON.parse(change(line)) as Entry;
    made.push(entryLine(seq, hashLine(made.at(-1)!), entryBody(record, at ?? null, ms)));
  }
  writeFileSync(path, made.map((line) => `${line}\n`).join(''));
}

describe('a pair of keys', () => {
  it('is for its owner alone, and nothing is written over', () => {
    const path = join(tempProject(), 'key');
    const { name } = writeKeyPair(path);
    expect(name).toMatch(/^SHA256:[\w-]{22}$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => writeKeyPair(path)).toThrow(expect.objectContaining({ code: 'TAPE_KEY' }));
    expect(readSigningKey(path).type).toBe('private');
  });

  it.each([
    ['nothing', null],
    ['text', 'not a key'],
    ['half a key', '-----BEGIN PRIVATE KEY-----\nMC4CAQ'],
  ])('that is %s is refused', (_name, content) => {
    const dir = tempProject(content === null ? {} : { key: content });
    for (const read of [readSigningKey, readVerifyingKey]) {
      expect(() => read(join(dir, 'key'))).toThrow(expect.objectContaining({ code: 'TAPE_KEY' }));
    }
  });
});

describe('a signed tape', () => {
  it('is proven with the public key, and says with which', () => {
    const { path, trusted } = signedTape();
    expect(verifyTape(path, { key: trusted })).toMatchObject({
      ok: true,
      entries: 7,
      signature: { trusted: true, entries: 7 },
    });
    expect(verifyTape(path)).toMatchObject({ ok: true, signature: { trusted: false } });
  });

  it('that was written anew as a whole is found out', () => {
    const { path, trusted } = signedTape();
    rewrite(path, (line) => line.replace('sudo ls', 'ls'));
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ok: false, firstBroken: 1 });
    rmSync(`${path}.sig`);
    // The chain alone is whole: this is what the signature is for.
    expect(verifyTape(path).ok).toBe(true);
    expect(verifyTape(path, { key: trusted })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('not signed'),
    });
  });

  it('that was written anew and signed with another key is found out', () => {
    const { dir, path, trusted } = signedTape();
    writeKeyPair(join(dir, 'other'));
    rewrite(path, (line) => line.replace('sudo ls', 'ls'));
    const tape = TapeWriter.open(path, {
      header: tapeHeader(),
      sign: { key: readSigningKey(join(dir, 'other')) },
    });
    tape.close();
    expect(verifyTape(path).ok).toBe(true);
    expect(verifyTape(path, { key: trusted })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('another key'),
    });
  });

  it('that was cut and closed again is found out', () => {
    const { path, trusted } = signedTape();
    writeFileSync(path, `${linesOf(path).slice(0, 5).join('\n')}\n`);
    writeTape(path, []);
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ok: false, firstBroken: 7 });
    expect(verifyTape(path).ok).toBe(false);
  });

  it('that was gone on with without the key is found out from there on', () => {
    const { path, trusted } = signedTape();
    writeTape(path, blockedCall(3));
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ok: false, firstBroken: 8 });
  });

  it('of another session does not vouch for this one', () => {
    const { path, trusted, key } = signedTape();
    const other = `${path}.other`;
    writeTape(other, [], { header: tapeHeader({ session: 'other' }), sign: { key } });
    writeFileSync(`${path}.sig`, readFileSync(`${other}.sig`));
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ok: false, firstBroken: 0 });
  });

  it('shows any byte of the signature file that is not what it was', () => {
    const { path, trusted } = signedTape();
    const bytes = readFileSync(`${path}.sig`);
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 0x08;
      writeFileSync(`${path}.sig`, flipped);
      expect({ at, ok: verifyTape(path, { key: trusted }).ok }).toEqual({ at, ok: false });
    }
    for (const content of ['', '{}', 'null', '[1]']) {
      writeFileSync(`${path}.sig`, content);
      expect(verifyTape(path).ok).toBe(false);
    }
  });

  it('is signed on its way, so that after a crash all but the last entries are proven', () => {
    const { dir, trusted, key } = signedTape();
    const path = join(dir, 'long.jsonl');
    const tape = TapeWriter.open(path, { header: tapeHeader(), sign: { key, every: 4 } });
    for (let i = 0; i < 10; i++) tape.note('x', i);
    expect(verifyTape(path, { key: trusted })).toMatchObject({
      ok: true,
      state: 'open',
      signature: { entries: 8 },
    });
    tape.abandon();
    appendFileSync(path, 'torn');
    TapeWriter.open(path, { header: null, sign: { key }, vouch: true }).close();
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ok: true, entries: 12 });
  });

  it('that is gone on with vouches for no entry that was there unsigned, however often it is signed again', () => {
    const { dir, trusted, key } = signedTape();
    const path = join(dir, 'gaps.jsonl');
    const tape = TapeWriter.open(path, { header: tapeHeader(), sign: { key, every: 4 } });
    for (let i = 0; i < 6; i++) tape.note('x', i);
    tape.abandon();
    const goOn = () => TapeWriter.open(path, { header: null, sign: { key } }).close();
    goOn();
    const told = { ok: false, unsigned: true, firstBroken: null };
    const problem = expect.stringContaining('without entries 5 to 6:');
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ...told, problem });
    goOn();
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ...told, problem });
    expect(verifyTape(path)).toMatchObject({ ok: true, unsigned: false });
    TapeWriter.open(path, { header: null }).close();
    goOn();
    const both = expect.stringMatching(/without entries 5 to 6, entr/);
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ...told, problem: both });
  });

  it('has a signature that is a file without an end: it is said, and nobody waits for it', () => {
    const { path, trusted } = signedTape();
    rmSync(`${path}.sig`);
    symlinkSync('/dev/zero', `${path}.sig`);
    expect(verifyTape(path, { key: trusted })).toMatchObject({ ok: false, firstBroken: 1 });
  });
});
