import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { readArtifact } from './read-file.ts';

it('a file is read whole, whatever was wrong with those before it', () => {
  const dir = tempProject({ 'a.md': '\ufeffone\r\ntwo', 'b.md': '', 'c.md': 'x'.repeat(100_000) });
  writeFileSync(join(dir, 'cut.md'), Buffer.from([0x61, 0xe2, 0x82]));
  writeFileSync(join(dir, 'wrong.md'), Buffer.from([0x61, 0xff]));
  for (const broken of ['cut.md', 'wrong.md']) {
    expect(readArtifact(dir, broken)).toMatchObject({ ok: false, code: 'FILE_ENCODING' });
    expect(readArtifact(dir, 'a.md')).toEqual({ ok: true, text: 'one\ntwo' });
  }
  expect(readArtifact(dir, 'b.md')).toEqual({ ok: true, text: '' });
  expect(readArtifact(dir, 'c.md')).toEqual({ ok: true, text: 'x'.repeat(100_000) });
  // A file of the kernel's says that it is empty, and is not.
  if (!existsSync('/proc/self/status')) return;
  expect(readArtifact('/proc/self', 'status')).toMatchObject({ text: expect.stringContaining('Pid:') });
});
