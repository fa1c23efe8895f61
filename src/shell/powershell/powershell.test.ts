/** PowerShell and cmd are read to the commands of the table; what cannot be read is unknown and stays. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { effectsIn, effectText, readCommand } from '../index.ts';

const named = (text: string, shell = 'powershell'): readonly string[] =>
  readCommand(text, { shell })
    .commands.filter(({ program }) => program !== '')
    .map(({ path, args }) => [path, ...args].join(' '));
const kinds = (text: string, shell = 'powershell') =>
  readCommand(text, { shell }).errors.map(({ kind }) => kind);
const effects = (text: string, shell = 'powershell') =>
  effectsIn(readCommand(text, { shell }), { cwd: '/w/app', workspaces: ['/w/app'], home: null }).map(
    effectText,
  );

describe('commands of PowerShell', () => {
  it.each([
    ['ri -rec -fo a, b', ['rm -r -f a b']],
    ['Copy-Item -Destination out -Path a, b -Recurse', ['cp -r a b out']],
    ['Copy-Item a b -Recurse:$false', ['cp a b']],
    ['Expand-Archive a.zip out', ['unzip -d out a.zip']],
    ['Expand-Archive -DestinationPath out a.zip', ['unzip -d out a.zip']],
    ['gci src -Filter *.ts -Recurse', ['find src -name *.ts']],
    ['irm https://example.com -OutFile x', ['curl -o x https://example.com']],
    ['Stop-Service sshd -PassThru', ['systemctl stop sshd']],
    ['Remove-Item x -WhatIf', []],
    ['ls -la', ['ls -la']],
    ['mkdir -p a', ['mkdir -p a']],
    ['git log --oneline -- src\\a.ts', ['git log --oneline -- src/a.ts']],
    ['& "C:\\Program Files\\nodejs\\node.exe" app.js', ['C:/Program Files/nodejs/node.exe app.js']],
    ['git show --% "a b" --stat', ['git show a b --stat']],
    ['Remove-Item env:TOKEN', ['unset TOKEN']],
    ['Start-Process git -ArgumentList "push --force"', ['git push --force']],
  ])('%s', (text, wanted) => expect(named(text)).toEqual(wanted));

  it('follow variables, arrays, splats, functions, aliases and branches', () => {
    expect(named('$a = "x", "y"; rm $a')).toEqual(['rm x y']);
    expect(named('$p = @{ Path = "x"; Recurse = $true }; Remove-Item @p')).toEqual(['rm -r x']);
    expect(named('function f([int]$n, $p) { rm $p }; f 1 x')).toContain('rm x');
    expect(named('sal zap Remove-Item; zap x')).toEqual(['rm x']);
    expect(named('switch (1) { 1 { rm a } default { rm b } }')).toEqual(['rm a', 'rm b']);
    expect(named("'a', 'b' | % { rm \"$_.txt\" }")).toEqual(expect.arrayContaining(['rm a.txt', 'rm b.txt']));
  });

  it('know texts that are put together, formatted, joined, replaced and decoded', () => {
    expect(named("rm ('a' + 'b')")).toEqual(['rm ab']);
    expect(named("rm ('{1}{0}' -f 'b', 'a')")).toEqual(['rm ab']);
    expect(named("rm (-join ('a', 'b'))")).toEqual(['rm ab']);
    expect(named('rm ([char]97 + [char]98)')).toEqual(['rm ab']);
    expect(named("iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('cm0gYWI=')))")).toContain(
      'rm ab',
    );
  });

  it('have the effects of the calls of .NET that delete, write, read, download and start', () => {
    expect(effects("[IO.Directory]::Delete('src', $true)")).toContain('delete recursive workspace');
    expect(effects("[IO.File]::WriteAllText('a', 'b')")).toContain('write workspace');
    expect(named("(New-Object Net.WebClient).DownloadFile('https://example.com/a', 'b')")).toEqual([
      'curl -o b https://example.com/a',
    ]);
    expect(named("[Diagnostics.Process]::Start('git', 'push')")).toEqual(['git push']);
  });

  it('that are not read are unknown, and never vanish', () => {
    expect(kinds('& $name x')).toContain('program');
    expect(kinds('iex $code')).toContain('code');
    expect(kinds('$o.$method()')).toContain('code');
    expect(kinds("Add-Type -TypeDefinition 'class X {}'")).toContain('code');
    expect(kinds('Remove-Item "unclosed')).toContain('syntax');
    expect(effects('iex $code').join()).toContain('unknown');
    expect(named("[Some.Type]::Does('x')")).toEqual(['[some.type]::Does x'.toLowerCase()]);
    expect(named('Remove-Widget x')).toEqual(['remove-widget x']);
  });
});

describe('a command inside of a value that nothing uses', () => {
  it.each([
    "(rm x).DownloadString('https://example.com')",
    '[Math]::Round((rm x))',
    "'{0}' -f 'a', (rm x)",
    "@((rm x), 'b')[1]",
    '$h = @{ a = (rm x) }',
    '$a.b = (rm x)',
    '$a[(rm x)] = 1',
    '(rm x).Length -gt 3',
    '(rm x) ? 1 : 2',
    '$null = (rm x).ForEach({ $_ })',
    'Get-Date -Format:(rm x)',
    'echo "a $(rm x)"',
    '1, (rm x) | Out-Null',
    'switch (rm x) { default { } }',
    '[void](rm x)',
  ])('is named: %s', (text) => expect(named(text)).toContain('rm x'));
});

describe('commands of cmd', () => {
  it.each([
    ['del /s /q build', ['rm -r -f build']],
    ['rd/s/q build & echo done', ['rm -r -f build', 'echo done']],
    ['if exist a (del a) else (md b)', ['rm a', 'mkdir -p b']],
    ['for %i in (a b) do del %i', ['rm a', 'rm b']],
    ['set X=a && del %X%', ['export X=a', 'rm a']],
    ['type a.txt | find "x"', ['cat a.txt', 'grep x']],
    ['d^el a', ['rm a']],
    ['rem del a', []],
    [
      'cmd /c "powershell -c Remove-Item a"',
      ['cmd /c powershell -c Remove-Item a', 'powershell -c Remove-Item a', 'rm a'],
    ],
  ])('%s', (text, wanted) => expect(named(text, 'cmd')).toEqual(wanted));
});

describe('paths of Windows', () => {
  it.each([
    ['C:\\', 'system'],
    ['C:\\Windows\\System32', 'system.programs'],
    ['C:\\Users\\ada\\Documents\\x', 'home.documents'],
    ['C:\\Users\\ada\\.ssh\\id_rsa', 'home.credentials'],
    ['src\\a.ts', 'workspace'],
    ['$env:TEMP\\x', 'temporary'],
  ])('%s stands in the zone %s', (path, zone) =>
    expect(effects(`Remove-Item -Recurse ${path}`)).toContain(`delete recursive ${zone}`),
  );
});

describe('hostile text', () => {
  it('in PowerShell and cmd never makes the reader fail', () => {
    const file = new URL('../../../test/commands/twins/powershell.jsonl', import.meta.url);
    const texts = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { powershell: string }).powershell);
    const pieces = [
      '{',
      '}',
      '(',
      ')',
      '$(',
      '@(',
      '@{',
      '"',
      "'",
      '`',
      ';',
      '|',
      '&',
      ',',
      '[',
      '].',
      '::',
      '-f',
      '<#',
      "@'\n",
    ];
    let seed = 8171;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % below;
    };
    const failed: string[] = [];
    for (let i = 0; i < 600; i++) {
      let text = texts[random(texts.length)]!;
      for (let n = random(5); n >= 0; n--) {
        const at = random(text.length + 1);
        text = `${text.slice(0, at)}${pieces[random(pieces.length)]}${text.slice(at + random(3))}`;
      }
      for (const shell of ['powershell', 'cmd']) if (kinds(text, shell).includes('reader')) failed.push(text);
    }
    for (const piece of [...pieces, '$a[0]', '.b', 'iex ', '-not ', '$x = 1,', 'if(1){}elseif(1){}'])
      for (const shell of ['powershell', 'cmd'])
        if (kinds(`$a${piece.repeat(5000)}`, shell).includes('reader')) failed.push(piece);
    expect(failed).toEqual([]);
  });
});
