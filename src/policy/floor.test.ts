import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Host, ProcessRequest } from '../machine/host.ts';
import { machineHost } from '../machine/host.ts';
import { flooredHost, refusedCall, refusedProgram } from './floor.ts';

const CASES = parse(readFileSync(new URL('floor.cases.yaml', import.meta.url), 'utf8')) as {
  readonly refused: string[];
  readonly passes: string[];
};

const shell = (line: string, cwd: string | null = '/workspace/app') => refusedProgram({ shell: line }, cwd);

describe('the floor refuses', () => {
  it.each([
    'rm -rf /',
    'rm -fr /*',
    'rm -r -f -- /',
    'rm --recursive --force /',
    'rm -rf --no-preserve-root build',
    'rm -rf ~',
    'rm -rf ~/',
    'rm -rf ~/*',
    'rm -rf $HOME',
    'rm -rf "$HOME"/*',
    'rm -rf $' + '{HOME}',
    'rm -rf /etc',
    'rm -rf /usr/',
    'rm -rf /home/ada',
    'rm -rf /tmp/../etc',
    'rm -rf //',
    'rm -rf /./',
    'rm -rf /{bin,etc}',
    'rm -rf /e*',
    'rm -rf ../../..',
    'rm -rf C:\\\\',
    'find / -delete',
    'find ~ -type f -exec rm -f {} +',
    'mv /etc /tmp/x',
    'chmod -R 777 /',
    'chown -R nobody /usr',
    'mkfs.ext4 /dev/sda1',
    'mkfs -t ext4 /dev/sda1',
    'dd if=/dev/zero of=/dev/sda bs=1M',
    'cat image > /dev/nvme0n1',
    'echo x | tee /dev/sda',
    'shred /dev/sda',
    ':(){ :|:& };:',
    'bomb() { bomb | bomb & }; bomb',
    'shutdown -h now',
    'reboot',
    'systemctl poweroff',
    'init 0',
    'kill -9 -1',
    'format c:',
    'rd /s /q C:\\\\',
    'echo b > /proc/sysrq-trigger',
  ])('[C145] %s', (line) => {
    expect(shell(line)).toMatch(/^it .*, which is never done$/);
  });

  it.each([
    ['quotes', `'rm' "-rf" '/'`],
    ['quotes within a word', `r"m" -r''f /`],
    ['a backslash', '\\rm -rf /'],
    ['a path to the program', '/bin/rm -rf /'],
    ['escapes', `$'\\x72m' -rf /`],
    ['sudo', 'sudo -u root rm -rf /'],
    ['a long option', 'sudo --user root rm -rf /'],
    ['env', 'env -i A=1 rm -rf /'],
    ['an assignment', 'A=1 rm -rf /'],
    ['other wrappers', 'nohup nice -n 5 timeout -k 1 5 rm -rf /'],
    ['what stands before', 'cd build && make; rm -rf /'],
    ['a pipe', 'yes | rm -rf /'],
    ['a second line', 'ls\nrm -rf /'],
    ['a condition', 'if true; then rm -rf /; fi'],
    ['a group', '{ rm -rf /; }'],
    ['a subshell', '(rm -rf /)'],
    ['a substitution', 'echo "$(rm -rf /)"'],
    ['backticks', 'echo `rm -rf /`'],
    ['a process substitution', 'cat <(rm -rf /)'],
    ['another shell', `bash -lc 'rm -rf /'`],
    ['shells within one another', `sh -c "bash -c 'rm -rf /'"`],
    ['eval', 'eval rm -rf /'],
    ['su', `su root -c 'rm -rf /'`],
    ['a shell that reads', `echo 'rm -rf /' | sh`],
    ['a here-document', 'bash <<EOF\nrm -rf /\nEOF'],
    ['a here-string', `bash <<< 'rm -rf /'`],
    ['a variable', 'X=/; rm -rf $X'],
    ['a variable with options', 'X="-rf /"; rm $X'],
    ['the field separator', 'rm$IFS-rf$IFS/'],
    ['a default', 'rm -rf "$' + '{NOTHING:-/}"'],
    ['an expansion', 'rm -rf "$' + '{HOME:?}"'],
    ['xargs', 'echo / | xargs rm -rf'],
    ['a trap', `trap 'rm -rf /' EXIT`],
    ['a function', 'function f { rm -rf /; }; f'],
    ['a case', 'case x in x) rm -rf /;; esac'],
    ['a loop', 'for d in /tmp/x /etc; do rm -rf $d; done'],
    ['the folder it is in', 'cd / && rm -rf *'],
    ['the home it is in', 'cd && rm -rf .'],
    ['a comment before', '# tidy\nrm -rf /'],
  ])('[C145] behind %s', (_what, line) => {
    expect(shell(line)).not.toBeNull();
  });

  it('a list of words, with and without a shell', () => {
    expect(refusedProgram({ argv: ['rm', '-rf', '/'] }, null)).not.toBeNull();
    expect(refusedProgram({ argv: ['sudo', 'sh', '-c', 'rm -rf /'] }, null)).not.toBeNull();
  });

  it('relative paths that lead to a home folder', () => {
    expect(shell('rm -rf *', '/home/ada')).not.toBeNull();
    expect(shell('rm -rf ..', '/home/ada/project')).not.toBeNull();
    expect(shell('rm -rf *', '/home/ada/project')).toBeNull();
  });

  it('what is nested beyond reading and names a disaster', () => {
    expect(shell(`${'$('.repeat(400)} rm -rf / ${')'.repeat(400)}`)).not.toBeNull();
    expect(shell(`${'$('.repeat(400)} ls ${')'.repeat(400)}`)).toBeNull();
  });

  it.each(CASES.refused)('[C145] case: %s', (line) => {
    expect(shell(line)).not.toBeNull();
  });

  it('a command that stands deep in the arguments, or whose words come apart', () => {
    const [line] = CASES.refused;
    expect(refusedCall({ steps: [{ run: { command: line! } }] }, '/w')).not.toBeNull();
    expect(refusedCall({ command: 'rm', args: ['-rf', '/'] }, '/w')).not.toBeNull();
    expect(refusedCall({ text: line! }, '/w')).toBeNull();
  });
});

describe('the floor lets pass', () => {
  it.each(CASES.passes)('case: %s', (line) => {
    expect(shell(line)).toBeNull();
  });

  it.each([
    'rm -rf build',
    'rm -rf ./node_modules dist/*',
    'rm -rf /tmp/x',
    'rm /etc/hosts.bak',
    'rm -rf "$DIR/build"',
    'find . -name "*.o" -delete',
    'find / -name passwd',
    'chmod -R u+w .',
    'chown -R ada ~',
    'dd if=/dev/zero of=disk.img',
    'echo hello > /dev/null 2>&1',
    'grep -r "rm -rf /" docs',
    'echo "rm -rf /"',
    'git commit -m "never rm -rf / again"',
    'sudo grep reboot /var/log/syslog',
    'if grep -q reboot notes; then echo halt; fi',
    'cat <<EOF > notes.md\nrm -rf /\nEOF',
    '# rm -rf /',
    'kill -1 123',
    'kill -9 4711',
    'shutdown -c',
    'npm run format',
    'mv a /etc',
    'ls / ~ /etc',
    'f() { g | h & }; f',
    '',
  ])('%s', (line) => {
    expect(shell(line)).toBeNull();
  });
});

describe('calls of tools', () => {
  it('are read where tools are handed commands, whoever wrote the tool', () => {
    expect(refusedCall({ command: 'rm -rf /' }, null)).not.toBeNull();
    expect(refusedCall({ Cmd: ['rm', '-rf', '/'] }, null)).not.toBeNull();
    expect(refusedCall({ commands: ['ls', 'rm -rf /'] }, null)).not.toBeNull();
    expect(refusedCall({ path: 'notes.md', content: 'rm -rf /' }, null)).toBeNull();
    expect(refusedCall({ command: { text: 1 } }, null)).toBeNull();
  });

  it('take time that grows with their length only', () => {
    const long = [
      'x'.repeat(300_000),
      `${':'.repeat(50_000)}(){ ${':|'.repeat(50_000)}`,
      `sudo ${'rm '.repeat(50_000)}`,
      '{a,b}'.repeat(20_000),
      `rm -rf ${'{a,b}'.repeat(20_000)}`,
      '`'.repeat(50_001),
      '('.repeat(100_000),
      `cat ${'<<E '.repeat(20_000)}\nx`,
      `rm -rf ${'/'.repeat(100_000)}x`,
      `rm -rf ${'/a'.repeat(100_000)}`,
      `rm -rf ${'/*'.repeat(50_000)}`,
      'rm -rf /tmp/x '.repeat(20_000),
    ];
    const before = process.cpuUsage();
    for (const line of long) shell(line);
    // Processor time: a busy machine is no fault of the text.
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});

describe('the host that tools are lent', () => {
  it('starts everything but what the floor refuses', async () => {
    const started: ProcessRequest[] = [];
    const host: Host = {
      ...machineHost,
      run: async (request) => {
        started.push(request);
        return { startError: null } as never;
      },
    };
    const request = { cwd: '/workspace', env: {}, stdin: '', timeoutMs: 1000 };
    const lent = flooredHost(host);
    await lent.run({ ...request, program: { argv: ['ls'] } }, null);
    const refused = await lent.run({ ...request, program: { shell: 'rm -rf /' } }, null);
    expect(started).toHaveLength(1);
    expect(refused.startError).toMatchObject({ code: 'FLOOR' });
    expect(refused.exitCode).toBeNull();
  });
});
