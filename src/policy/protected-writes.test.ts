import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { Protected } from './protected.ts';
import { mayChange, refusedChange } from './protected-calls.ts';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'harness-writes-')));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

beforeAll(() => {
  for (const folder of ['.harness/hooks', 'src', 'pack/.harness/hooks', 'pack/src', 'docs'])
    mkdirSync(join(dir, folder), { recursive: true });
  const files: Record<string, string> = {
    '.harness/hooks/guard.md': 'a guard that is strict\n',
    'src/a.ts': 'const strict = true;\n',
    'docs/a.md': 'strict\n',
    'pack/.harness/hooks/guard.md': 'evil\n',
    'pack/src/b.ts': '',
    'evil.list': 'src/a.ts\n.harness/hooks/guard.md\n',
    'good.list': 'src/a.ts\ndocs/a.md\n',
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(dir, path), text);
  const tar = (...words: string[]) => execFileSync('tar', words, { cwd: dir });
  tar('-cf', 'evil.tar', '-C', 'pack', '.harness', 'src');
  tar('-czf', 'evil.tgz', '-C', 'pack', '.');
  tar('-czf', 'wrapped.tgz', 'pack');
  tar('-czf', 'good.tgz', '-C', 'pack', 'src');
  writeFileSync(join(dir, 'evil.zip'), zipOf(['src/b.ts', '.harness/hooks/guard.md']));
  writeFileSync(join(dir, 'good.zip'), zipOf(['src/b.ts']));
});

/** A zip of empty files. */
function zipOf(names: readonly string[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const name of names) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    locals.push(local, Buffer.from(name));
    entries.push(entry, Buffer.from(name));
    at += 30 + name.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
}

function judged(command: string, shell?: string): 'refused' | 'asked' | 'passes' {
  const args: JsonObject = shell === undefined ? { command } : { command, shell };
  const call = { name: 'run_command', args, cwd: dir, home: '/home/ada' };
  if (!mayChange(call)) return 'passes';
  const found = refusedChange(call, new Protected(() => ({ folders: [join(dir, '.harness')], files: [] })));
  return found === null ? 'passes' : typeof found === 'string' ? 'refused' : 'asked';
}

const G = '.harness/hooks/guard.md';

describe('[S25] a program that gets a guarded path and is not known to only read it', () => {
  it.each([
    `shuf -o ${G} /dev/null`,
    `shuf -e x -o${G}`,
    `iconv -f utf8 x -o ${G}`,
    `gcc -o ${G} x.c`,
    `zip -m out.zip ${G}`,
    'zip -rm out.zip .harness',
    'zip -rm out.zip .',
    'tar --remove-files -cf /tmp/o.tar .harness',
    'tar --remove-files -cf /tmp/o.tar .',
    'gzip -r .',
    `pandoc a.md -o ${G}`,
    `tool-without-a-row ${G}`,
    `tool-without-a-row --to=${G}`,
    `./build.sh ${G}`,
    `python3 tool.py ${G}`,
    `strace -o ${G} ls`,
    `/usr/bin/time -o ${G} ls`,
    `git log --output=${G}`,
    'git format-patch -o .harness HEAD~1',
    `tcpdump -w ${G}`,
    `magick a.png ${G}`,
    `kubectl cp pod:/x ${G}`,
    `aws s3 cp s3://b/x ${G}`,
    'rclone copy evil .harness/hooks',
    'npm pack --pack-destination .harness',
    'pip download -d .harness x',
    'protoc --python_out=.harness a.proto',
    `prettier --write ${G}`,
    `dos2unix ${G}`,
    `awk '{print > "${G}"}' x`,
    'csplit -f .harness/hooks/guard x 1',
    `sqlite3 x.db '.once ${G}'`,
    `sqlite3 x.db '.output ${G}' .dump`,
    `psql -c '\\o ${G}'`,
    `parallel rm ::: docs/a.md ${G}`,
    `parallel cp docs/a.md {} ::: ${G}`,
    'rm -rf /proc/self/cwd/.harness',
    `tmux pipe-pane 'cat > ${G}'`,
  ])('is refused: %s', (command) => {
    expect(judged(command)).toBe('refused');
  });

  it.each([
    `cat ${G}`,
    `grep -n strict ${G}`,
    `shellcheck .harness/guard`,
    `yamllint ${G}`,
    `prettier --check ${G}`,
    `diff ${G} docs/a.md`,
    `git add ${G}`,
    `git diff .harness`,
    `harness validate .harness`,
    'npx harness test .harness',
    'grep -r --exclude-dir=.harness strict .',
    'tool-without-a-row --ignore .harness --config .harness/x.json src',
    'rsync -a --exclude .harness ./ /tmp/copy/',
    'gcc -o bin/a src/a.c',
    'tar czf out.tgz .harness',
    'zip -r out.zip .',
    'gzip -r src',
    'pytest tests',
    'make -j4 all',
    'prettier --write src',
    'eslint --fix src',
    'tool-without-a-row .',
    'parallel gzip ::: src/a.ts docs/a.md',
    "sqlite3 x.db '.once out.csv' 'select 1'",
    'xargs rm < good.list',
    'csplit -f out src/a.ts 1',
  ])('passes where it reads, or gets another path: %s', (command) => {
    expect(judged(command)).toBe('passes');
  });
});

describe('[S25] a guarded path that an option, a variable or a script hands to a program', () => {
  it.each([
    `node --redirect-warnings=${G} x.js`,
    `node --redirect-warnings ${G} x.js`,
    'node --cpu-prof --cpu-prof-dir=.harness/hooks x.js',
    'NODE_V8_COVERAGE=.harness/hooks node x.js',
    `sed -n 'w ${G}' src/a.ts`,
    `sed -n '/x/w${G}' src/a.ts`,
    `sed 's,a,b,gw ${G}' src/a.ts`,
    `sed '/[/]/{p;w ${G}\n}' src/a.ts`,
    `sed -e 's/a/b/' -e '1,$ w ${G}' src/a.ts`,
    `printf 'w ${G}\\nq\\n' | ed x`,
    `gawk -d${G} 1`,
    `gawk --dump-variables=${G} 1`,
    `php -d error_log=${G} x.php`,
    `echo 'file delete -force ${G}' | tclsh`,
    'python3 -m venv --clear .harness',
    `curl --hsts ${G} http://localhost`,
    `curl --alt-svc ${G} http://localhost`,
    `socat -u FILE:x CREATE:${G}`,
    `ld -Map=${G} x.o`,
    `sqlite3 x.db "vacuum into '${G}'"`,
    `mysql --tee=${G} -e 'select 1'`,
    'gio move .harness x',
    'git submodule add ../evil .harness/hooks/sub',
    'git subtree add --prefix=.harness/hooks evil main',
    `git fast-export --export-marks=${G} HEAD`,
    `tool-without-a-row -i ${G}`,
    `tool-without-a-row @${G}`,
    `tool-without-a-row x,${G}`,
    `harness test --junit ${G}`,
    `harness run --tape=${G} --script x`,
    'harness test --update',
    `harness tape keygen ${G}`,
    'harness sandbox -- rm -rf .harness',
    'harness mcp -- rm -rf .harness',
    "CC='rm -rf .harness' make",
  ])('is refused: %s', (command) => {
    expect(judged(command)).toBe('refused');
  });

  it.each([
    'ls -A | xargs -I% mv % /tmp/%',
    'ls -A | grep ^.h | xargs -I@ mv -t /tmp @',
    'find . -maxdepth 1 | xargs -I% mv % /tmp/%',
  ])('is asked about where a list may hand it over: %s', (command) => {
    expect(judged(command)).not.toBe('passes');
  });

  it.each([
    `sed -n '/guard/p' ${G}`,
    `sed 's/w .harness/x/' docs/a.md`,
    `sed -e '/^w/d' -e 's,w ,x,g' ${G}`,
    `sed 'a\\\nw ${G}' docs/a.md`,
    `awk -F: '{print $1}' ${G}`,
    `python3 -m json.tool .harness/x.json`,
    'python3 -m pytest src',
    `git show HEAD:${G}`,
    `git log --follow -- ${G}`,
    `git log --follow ${G}`,
    `git diff --relative=.harness HEAD`,
    'git submodule update --init',
    'node --max-old-space-size=4096 --trace-uncaught src/a.js',
    `ls --color=auto -la .harness`,
    `eza --icons .harness`.replace('eza', 'ls'),
    `jq . .harness/x.json`,
    `curl -s http://localhost -o out.json`,
    'NODE_ENV=test FOO=./src/a.ts npm test',
    'CC=clang make -j4',
    'harness test --junit out.xml',
    'harness validate --strict',
    'harness sandbox -- npm test',
    'ls src | xargs -I% cp src/% docs/%',
  ])('is not: %s', (command) => {
    expect(judged(command)).toBe('passes');
  });
});

describe('[S25] a guarded path under a key of a server’s own', () => {
  const toolCall = (name: string, args: JsonObject) => {
    const call = { name, args, cwd: dir, home: '/home/ada' };
    if (!mayChange(call)) return 'passes';
    const found = refusedChange(call, new Protected(() => ({ folders: [join(dir, '.harness')], files: [] })));
    return found === null ? 'passes' : typeof found === 'string' ? 'refused' : 'asked';
  };

  it.each<[string, JsonObject]>([
    ['mcp__x__save', { root: dir, relative: G, body: 'x' }],
    ['mcp__x__save', { segments: ['.harness', 'hooks'], body: 'x' }],
    ['mcp__x__save', { files: [{ p: G, c: 'x' }] }],
    ['mcp__x__http', { url: 'http://127.0.0.1/x', save_to: G }],
    ['mcp__fs__write_multiple', { entries: [[`./src/../${G}`, 'x']] }],
    ['mcp__fs__delete', { p: dir }],
  ])('is asked about: %s %j', (name, args) => {
    expect(toolCall(name, args)).toBe('asked');
  });

  it.each<[string, JsonObject]>([
    ['mcp__x__search', { q: G }],
    ['mcp__x__read', { p: G }],
    ['mcp__issues__create', { title: 'guard', body: `The file ${G} is wrong` }],
    ['mcp__fs__save', { p: 'src/a.ts', c: `${G}\nis the guard` }],
    ['Edit', { file_path: 'docs/a.md', old_string: '.harness', new_string: G }],
  ])('is not: %s %j', (name, args) => {
    expect(toolCall(name, args)).toBe('passes');
  });
});

describe('[S25] a writer over a search, a list or a pattern', () => {
  it.each([
    'grep -rl strict . | xargs sed -i s/strict/lax/',
    'grep -rl --include=*.md strict . | xargs sed -i s/strict/lax/',
    "find . -name '*.md' | xargs sed -i s/a/b/",
    "find . -name '*.md' -exec sed -i s/a/b/ {} +",
    'find . -type f -print0 | xargs -0 perl -pi -e s/a/b/',
    'rg -l strict --hidden | xargs sed -i s/strict/lax/',
    'git ls-files | xargs sed -i s/a/b/',
    'sed -i s/a/b/ $(grep -rl strict .)',
    "find . -name '*.md' | grep -v node_modules | xargs sed -i s/a/b/",
    'xargs -a evil.list sed -i s/a/b/',
    'xargs rm < evil.list',
    'cat evil.list | xargs touch',
    'cat not-there.list | xargs touch',
    'fd -H -e md -x sed -i s/a/b/',
    'find . -type f | xargs tool-without-a-row',
    "awk '{print > $1}' evil.list",
    'awk \'{f = $1; print "x" > f}\' evil.list',
    'awk \'{print > $1".md"}\' evil.list',
    'find . -name guard.md -delete',
    "find . -name '*.md' -delete",
    'find . -iname GUARD.md -delete',
    'find . -newer docs -delete',
    'find . -mtime +1 -delete',
    "find . -name '*.ts' -o -newer docs -delete",
    "find . -regex '.*' -newer docs -delete",
    "find . -regextype egrep -regex '.*[.](ts|md)' -delete",
    "find . -not -path '.harness/*' -name '*.md' -delete",
    "find . -depth -path ./.harness -prune -o -name '*.md' -exec rm {} +",
    "find . -name 'guar\\d.md' -delete",
    "find . -name '[[:alpha:]]*.md' -delete",
    'find . -name .harness -exec rm -rf {} +',
    'find . -type d -name hooks -exec rm -rf {} +',
    'find -L src -type f -delete',
    "find . -name '*.ts' -exec true {} + , -name '*.md' -delete",
    "find . \\( -name '*.ts' -o -not -empty \\) -delete",
    'ls -A | xargs rm -rf',
    `python3 -c "import pathlib; [p.unlink() for p in pathlib.Path('.').rglob('*.md')]"`,
    `node -e "const fs=require('fs'); for (const f of fs.readdirSync('.')) fs.rmSync(f,{recursive:true})"`,
    `perl -MFile::Find -e 'find(sub { unlink if /md/ }, ".")'`,
    'echo .h* | xargs rm -rf',
    "printf '%s\\0' .* | xargs -0 rm -rf",
  ])('is asked about where a guarded file is among what it may be handed: %s', (command) => {
    expect(judged(command)).toBe('asked');
  });

  it.each([
    'sed -i s/a/b/ *',
    'sed -i s/a/b/ **/*.md',
    'gzip *',
    'touch *',
    "find . -name '*.ts' | xargs sed -i s/a/b/",
    "find . -name '*.ts' -exec sed -i s/a/b/ {} +",
    "find . -name '*.md' -not -path './.harness/*' | xargs sed -i s/a/b/",
    "find . -path ./.harness -prune -o -name '*.md' -print | xargs sed -i s/a/b/",
    'find src docs -type f | xargs sed -i s/a/b/',
    'find . -type f | xargs wc -l',
    "find . -name '*.ts' -delete",
    "find . -name '*.pyc' -delete",
    "find . -name '*.log' -mtime +7 -delete",
    "find . -regex '.*\\.pyc' -delete",
    'find . -empty -delete',
    'find . -type d -empty -delete',
    'find . -size +100M -delete',
    'find . -maxdepth 1 -newer docs -delete',
    'find src -newer docs -delete',
    "find . -path './.harness/*' -prune -o -name '*.md' -exec sed -i s/a/b/ {} +",
    'find . -name node_modules -type d -prune -exec rm -rf {} +',
    'find . -type d -name dist -exec rm -rf {} +',
    'ls | xargs rm -rf',
    `python3 -c "import pathlib; [p.unlink() for p in pathlib.Path('.').rglob('*.pyc')]"`,
    `python3 -c "import os; [os.remove(f) for d, _, fs in os.walk('src') for f in fs]"`,
    `node -e "const fs=require('fs'); for (const f of fs.readdirSync('src')) fs.rmSync('src/'+f)"`,
    'echo *.log | xargs rm',
    'grep -rl const . | xargs sed -i s/const/let/',
    'grep -rl strict --include=*.ts . | xargs sed -i s/strict/lax/',
    'grep -rl strict src | xargs sed -i s/strict/lax/',
    'rg -l strict | xargs sed -i s/strict/lax/',
    "git ls-files '*.ts' | xargs prettier --write",
    'git diff --name-only | xargs prettier --write',
    "find . -name '*.md' | grep docs/ | xargs sed -i s/a/b/",
    "find . -name '*.md' | grep -v .harness | xargs sed -i s/a/b/",
    'cat good.list | xargs touch',
    'xargs -a good.list sed -i s/a/b/',
    'ls | xargs -n1 touch',
    'fd -e md -x sed -i s/a/b/',
    "awk '{print $1}' x > y",
    "awk '$1 > 5 {print $1}' x",
    "awk '{print ($1 > 5)}' x",
    'awk -F, \'{print > $1".csv"}\' data.csv',
  ])('passes where it provably touches none: %s', (command) => {
    expect(judged(command)).toBe('passes');
  });
});

describe('[S25] a pattern of a shell', () => {
  it.each([
    'shopt -s dotglob; rm -rf *',
    "bash -O dotglob -c 'rm -rf *'",
    "BASHOPTS=dotglob bash -c 'rm -rf *'",
    'GLOBIGNORE=x; rm -rf *',
    'setopt globdots; rm -rf *',
    'setopt GLOB_DOTS; rm -rf *',
    'set -o globdots; rm -rf *',
    "zsh -4c 'rm -rf *'",
    "zsh -c 'rm -rf *(D)'",
    'rm -rf *(D)',
    'rm -rf .[[:alpha:]]*',
    'rm -rf .@(h|x)*',
    'rm -rf @(.*|*)',
    'shopt -s nocaseglob; rm -rf .H*',
    'unsetopt caseglob; rm -rf .HARN*',
    "pwsh -c 'Remove-Item * -Recurse -Force'",
  ])('that stands for the policy under the options of its shell is refused: %s', (command) => {
    expect(judged(command)).toBe('refused');
  });

  it('of PowerShell stands for names that begin with a dot as well', () => {
    expect(judged('Remove-Item * -Recurse -Force', 'powershell')).toBe('refused');
    expect(judged('Get-ChildItem -Force | Remove-Item -Recurse', 'powershell')).toBe('asked');
    expect(judged('Remove-Item *.log', 'powershell')).toBe('passes');
  });

  it.each([
    'rm -rf *',
    'rm -rf !(src)',
    'shopt -u dotglob; rm -rf *',
    'shopt -s dotglob; rm -rf src/*',
    'shopt -s globstar nullglob; rm -f **/*.pyc',
    'set -euo pipefail; rm -rf *',
  ])('that leaves it alone passes: %s', (command) => {
    expect(judged(command)).toBe('passes');
  });
});

describe('[S25] what is copied or moved', () => {
  it.each([
    'cp -a pack/.h* .',
    'mv pack/.h* .',
    'rsync -a pack/.h* .',
    'cp -a pack/.[a-z]* .',
    'cp -a pack/.??* .',
    'cp -a -t . pack/.h*',
    'cp -r pack/. .',
    'cp -rT pack .',
    'cp -r pack/src/.. .',
    'rsync -a pack/ .',
    'ln -s pack/.h* .',
    'git mv pack/.h* .',
    'scp -r pack/.h* .',
    'rclone copy pack .',
    'shopt -s dotglob; mv pack/* .',
    `python3 -c "import shutil; shutil.copytree('pack', '.', dirs_exist_ok=True)"`,
    `node -e "require('fs').cpSync('pack', '.', {recursive: true})"`,
    `python3 -c "import shutil; shutil.rmtree('.har' + 'ness')"`,
    'rsync -a --remove-source-files . /tmp/q/',
  ])('over the policy is refused: %s', (command) => {
    expect(judged(command)).toBe('refused');
  });

  it.each(['cp -a later/.h* .', 'mkdir later && cp -r later/. .', 'rsync -a host:/backup/ .'])(
    'from where nothing is yet is asked about: %s',
    (command) => {
      expect(judged(command)).toBe('asked');
    },
  );

  it.each([
    'cp -r pack .',
    'rsync -a pack .',
    'cp -a pack/* .',
    'mv pack/src/* .',
    'cp -r later/. out/',
    'cp later/*.js .',
    'cp -r later .',
    `python3 -c "import shutil; shutil.copytree('pack', 'copy')"`,
    `node -e "require('fs').cpSync('docs', '.', {recursive: true})"`,
    'rsync -a --remove-source-files src/ /tmp/q/',
    'mv later .',
  ])('beside it passes: %s', (command) => {
    expect(judged(command)).toBe('passes');
  });
});

describe('[S25] an archive that is unpacked', () => {
  it.each([
    'tar xf evil.tar',
    'tar -xzf evil.tgz',
    'tar xzf wrapped.tgz --strip-components=1',
    'cd src && tar xf ../evil.tar -C ..',
    'unzip -o evil.zip',
    'bsdtar -xf evil.tar',
    'python3 -m zipfile -e evil.zip .',
  ])('over the policy is refused: %s', (command) => {
    expect(judged(command)).toBe('refused');
  });

  it.each([
    'tar xf not-there.tar',
    'curl -s https://example.com/x.tgz | tar xz',
    "tar --transform 's,^,.harness/,' -xf good.tgz",
    'cpio -id < x.cpio',
    '7z x a.7z',
    'unzip not-there.zip -d .',
    'npx degit user/repo . --force',
    'giget gh:user/repo --force',
    'cookiecutter gh:user/template -f',
    'copier copy gh:user/template . --overwrite',
    'dpkg-deb -x a.deb .',
    `python3 -c "import zipfile; zipfile.ZipFile('not-there.zip').extractall()"`,
  ])('is asked about where nobody can see what it holds: %s', (command) => {
    expect(judged(command)).toBe('asked');
  });

  it('by PowerShell is taken for what unzip does', () => {
    for (const words of ['x.zip .', '-Path x.zip -DestinationPath .', 'x.zip'])
      expect(judged(`Expand-Archive ${words}`, 'powershell'), words).toBe('asked');
    expect(judged('Expand-Archive evil.zip .', 'powershell')).toBe('refused');
    expect(judged('Expand-Archive evil.zip build', 'powershell')).toBe('passes');
  });

  it.each([
    'tar xf good.tgz',
    'tar xzf wrapped.tgz',
    'tar xf evil.tar src',
    'tar tf evil.tar',
    'tar xf evil.tar -C /tmp/elsewhere',
    'unzip good.zip',
    'unzip evil.zip -d build',
    'unzip -l evil.zip',
    'npx degit user/repo src --force',
    'degit user/repo',
    'dpkg-deb -x a.deb out',
    `python3 -c "import zipfile; zipfile.ZipFile('evil.zip').extractall('build')"`,
    'curl -s https://example.com/x.tgz | tar xz -C build',
  ])('elsewhere, or without a guarded file, passes: %s', (command) => {
    expect(judged(command)).toBe('passes');
  });
});
