import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import { FolderSnapshot } from '../files/folder-snapshot.ts';
import { changedFile, programFiles } from './capability-files.ts';
import { lineWords } from './command-line.ts';

const filesOf = (dir: string, line: string) =>
  Object.keys(programFiles(new FolderSnapshot(dir), dir, lineWords(line).words));

const FILES = {
  'hooks/guard.mjs': 'import "./lib.mjs";',
  'hooks/lib.mjs': '',
  'run.sh': 'cd "$(dirname "$0")/lib" && . ./x.sh',
  'go.sh': 'cd hooks\nnode guard.mjs\n',
  'lib/x.sh': '',
  'pkg/__main__.py': '',
  'pkg/mod.py': '',
};

describe('the files that a program runs', () => {
  it.each([
    ['cd hooks && node guard.mjs', ['hooks/guard.mjs', 'hooks/lib.mjs']],
    ['env -C hooks node guard.mjs', ['hooks/guard.mjs', 'hooks/lib.mjs']],
    ['sh run.sh', ['lib/x.sh', 'run.sh']],
    ['sh go.sh', ['go.sh', 'hooks/guard.mjs', 'hooks/lib.mjs']],
    ['python3 pkg', ['pkg/__main__.py']],
    ['python3 -m pkg.mod', ['pkg/mod.py']],
  ])('are found from the folders that are named with them: %s', (line, files) => {
    expect(filesOf(tempProject(FILES), line)).toEqual(files);
  });

  it('are found beside what a link leads to, which is where a runtime looks', () => {
    const dir = tempProject(FILES);
    symlinkSync('hooks/guard.mjs', join(dir, 'guard.mjs'));
    expect(filesOf(dir, 'node guard.mjs')).toEqual(['guard.mjs', 'hooks/lib.mjs']);
  });

  it('are known to their last byte', () => {
    const dir = tempProject({ 'large.sh': '' });
    truncateSync(join(dir, 'large.sh'), 9 * 1024 * 1024);
    const files = programFiles(new FolderSnapshot(dir), dir, ['large.sh']);
    expect(changedFile(dir, files)).toBeNull();
    writeFileSync(join(dir, 'large.sh'), Buffer.alloc(9 * 1024 * 1024).fill(1, 9 * 1024 * 1024 - 1));
    expect(changedFile(dir, files)).toBe('large.sh');
  });

  it.each([
    ['files', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`d/${i}.sh`, `${i}`]))],
    ['words', { 'd/0.sh': '' }],
  ])(
    'are more than are watched: the list says so, and a repository cannot make it long (%s)',
    (what, more) => {
      const names = Array.from({ length: what === 'files' ? 300 : 100_000 }, (_, i) => `. ./d/${i}.sh`);
      const dir = tempProject({ ...more, 'run.sh': names.join('\n') });
      const files = programFiles(new FolderSnapshot(dir), dir, ['run.sh']);
      expect(Object.keys(files).at(-1)).toBe('… and more files than are watched');
      expect(Object.keys(files).length).toBeLessThan(260);
      expect(changedFile(dir, files)).toBeNull();
    },
  );
});

describe('[S27] a command line whose script is named by', () => {
  it.each([
    ['the folder it runs in', 'sh $PWD/run.sh'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of a shell
    ['the folder it runs in, in braces', 'sh "${PWD}/run.sh"'],
    ['a command for the folder', 'sh "$(pwd)/run.sh"'],
    ['the top of the repository', '. "$(git rev-parse --show-toplevel)"/run.sh'],
    ['the folder of the project', '"$CLAUDE_PROJECT_DIR"/run.sh'],
    ['a variable that the line sets', 'D=.; sh $D/run.sh'],
    ['a variable set by another', 'A=run B=$A.sh; sh ./$B'],
    ['the folder it changes into, and the folder it runs in', 'cd lib && cd .. && sh $PWD/run.sh'],
  ])('%s is covered', (_what, line) => {
    expect(lineWords(line).unknown).toBeNull();
    expect(filesOf(tempProject(FILES), line)).toEqual(['lib/x.sh', 'run.sh']);
  });

  it.each([
    ['a pattern', 'sh hooks/*.mjs'],
    ['a loop over a pattern', 'for f in hooks/*.mjs; do node "$f"; done'],
    ['a loop over folders', 'for d in lib hooks; do node $d/*.mjs; done'],
  ])('%s is covered by each file, and a file more changes it', (_what, line) => {
    const dir = tempProject(FILES);
    const files = programFiles(new FolderSnapshot(dir), dir, lineWords(line).words);
    expect(Object.keys(files)).toEqual(['hooks/guard.mjs', 'hooks/lib.mjs', 'names of hooks/*.mjs']);
    expect(changedFile(dir, files)).toBeNull();
    writeFileSync(join(dir, 'hooks/more.mjs'), '');
    expect(changedFile(dir, files)).toBe('names of hooks/*.mjs');
  });

  it.each([
    'sh $GUARDS/run.sh',
    'bash "$GUARD"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of a shell
    '"${GUARDS}"/run.sh',
    'sh $(cat which)',
    'sh `cat which`',
    'node "$(npm root)/x.js"',
    'cd $GUARDS && ./run.sh',
    'D=$(cat where); sh $D/run.sh',
    'for f in $(cat list); do . $f; done',
    'D=a; D=b; sh $D/run.sh',
    'sh {run,other}.sh',
    'eval "$LINE"',
    'sh -c "$LINE"',
    'python3 -u "$X/guard.py"',
  ])('what is only known when it runs cannot be agreed to: %s', (line) => {
    expect(lineWords(line).unknown).not.toBeNull();
  });

  it.each([
    'jq -r .tool_name',
    'echo "$TOOL_NAME" >> "$TMPDIR/log"',
    'test -n "$CI" || sh run.sh',
    'sh "$HOME/bin/guard.sh"',
    `echo '{"a":1,"b":2}'`,
    'sh run.sh "$@"',
    'npx prettier --check "$FILE"',
    'node -e "console.log(1)"',
  ])('an ordinary one can: %s', (line) => {
    expect(lineWords(line).unknown).toBeNull();
  });
});
