/**
 * The hooks that `harness init` writes, judged by what they let through and what they stop.
 */
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

interface Decided {
  readonly action: string;
  readonly hook: string | null;
  readonly reason: string | null;
}

const scaffolded = (async () => {
  const dir = project();
  await harness(['init', dir]);
  return dir;
})();

/** One process decides all payloads of a test, in their order. */
async function decideAll(event: string, payloads: readonly unknown[]): Promise<Decided[]> {
  const input = payloads.map((payload) => JSON.stringify(payload)).join('\n');
  const done = await harness(['decide', event, '--dir', await scaffolded, '--lines'], { input });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  return done.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Decided);
}

async function judge(name: string, args: readonly unknown[]): Promise<string[]> {
  const decided = await decideAll(
    'tool.pre',
    args.map((one) => ({ id: '1', name, args: one })),
  );
  return decided.map((outcome, i) =>
    `${JSON.stringify(args[i])} ${outcome.action} ${outcome.hook ?? ''}`.trim(),
  );
}

const command = (text: unknown) => ({ command: text });

describe('the governed stack', () => {
  it('command_guard and the pack core block commands that destroy [C145]', async () => {
    const dangerous = [
      'rm -rf /',
      'sudo rm -rf /',
      'rm -fr /',
      'rm -r -f /*',
      'rm --recursive --force /',
      'rm -rf --no-preserve-root /',
      'cd /tmp; rm -rf ~',
      'ls && rm -rf $HOME/',
      'rm -rf "\u0024{HOME}"',
      '/bin/rm -rf /etc',
      'r\\m -rf /',
      '"rm" -rf "/"',
      'rm\u0024{IFS}-rf\u0024{IFS}/',
      'sh -c "rm -rf /"',
      'sudo -u root rm -rf /usr/',
      'echo $(rm -rf /)',
      'find . -exec rm -rf / ;',
      'FOO=1 rm -rf /',
      'true\nrm -rf /',
      'chmod -R 777 /',
      'sudo chown -R nobody /etc',
      'mkfs /dev/sda1',
      'mkfs.ext4 /dev/sda1',
      'dd if=/dev/zero of=/dev/sda bs=1M',
      'cat image > /dev/sda',
      ':(){ :|:& };:',
      'bomb() { bomb | bomb & }; bomb',
      'shutdown -h now',
      'sudo reboot',
      'nohup /sbin/poweroff',
      'timeout -s KILL 5 rm -rf /',
      "su root -c 'rm -rf /'",
      'busybox rm -rf /',
      "bash <<< 'rm -rf /'",
      'echo rm -rf / | bash',
      'echo / | xargs rm -rf',
      'find / -delete',
      'find / -exec rm -rf {} +',
      '{rm,-rf,/}',
      'rm \\\n-rf /',
      'rm -rf /usr/../',
      'rm -rf ../../..',
      'rm -rf /\u0024{UNSET}/',
      'rm -rf /home/me',
      'X=rm; $X -rf /',
      "alias x='rm -rf /'",
      'tee /dev/sda < image',
      'cp image /dev/sda',
      'mv /etc /tmp/x',
      'systemctl poweroff',
      'init 0',
      'kill -9 -1',
      'rm -rf C:\\',
    ].map(command);
    const shapes = [
      command(['rm', '-rf', '/']),
      { cmd: 'rm -rf /' },
      { argv: ['sudo', 'rm', '-rf', '/'] },
      { line: 'rm -rf /' },
      { command: 'rm', args: ['-rf', '/'] },
      { command: { line: 'rm -rf /' } },
      { command: [['rm', '-rf', '/']] },
      {},
    ];
    const all = [...dangerous, ...shapes];
    const decided = await judge('run_command', all);
    expect(decided.map((line) => line.replace(/ (?:command_guard|pack:core)$/, ''))).toEqual(
      all.map((args) => `${JSON.stringify(args)} block`),
    );
  });

  it('ordinary commands run', async () => {
    const ordinary = [
      'ls -la',
      'rm -rf ./build',
      'rm -rf node_modules dist',
      'rm /tmp/one-file',
      'grep -rn shutdown src',
      'git commit -m "handle reboot"',
      'dd if=/dev/zero of=disk.img bs=1M count=1',
      'echo hello > /dev/null',
      'npm test 2>/dev/null',
      'chmod +x script.sh',
      'python3 -c "print(1)"',
      'git commit -m "docs: do not rm -rf /"',
      'rm -rf ../build ~/.cache/x /home/me/project/dist',
      'rm -rf "$BUILD_DIR"',
      "find . -name '*.pyc' -delete",
      'mv notes.md ~',
      'kill -1 1234',
      'echo x > /dev/shm/x',
      'npm init -y',
      '',
    ].map(command);
    const all = [...ordinary];
    expect(await judge('run_command', all)).toEqual(all.map((args) => `${JSON.stringify(args)} allow`));
  });

  it('path_guard keeps writes in the workspace', async () => {
    const outside = [
      '../x',
      'a/../../x',
      '/etc/passwd',
      '~/.ssh/authorized_keys',
      'C:\\Windows\\x',
      '..\\x',
      'c:/x',
      ' /etc/passwd',
      'a/.. /../x',
      'file:///etc/passwd',
    ];
    const inside = ['src/main.ts', './a', 'a..b/c', '.env'];
    const args = (paths: string[]) => paths.map((path) => ({ path, content: '' }));
    expect(await judge('write_file', args(outside))).toEqual(
      args(outside).map((one) => `${JSON.stringify(one)} block path_guard`),
    );
    expect(await judge('write_file', args(inside))).toEqual(
      args(inside).map((one) => `${JSON.stringify(one)} allow`),
    );
    expect(await judge('write_file', [{ where: 'src/x' }, { paths: ['a', '../b'] }])).toEqual([
      '{"where":"src/x"} block path_guard',
      '{"paths":["a","../b"]} block path_guard',
    ]);
    const [below, beside] = await decideAll('tool.pre', [
      { name: 'Write', args: { file_path: '/home/me/project/a.ts' }, cwd: '/home/me/project' },
      { name: 'Write', args: { file_path: '/home/me/project-2/a.ts' }, cwd: '/home/me/project' },
    ]);
    expect([below?.action, beside?.action]).toEqual(['allow', 'block']);
  });

  it('prefer_named_tools rejects raw execution and names the way out', async () => {
    const [outcome] = await decideAll('tool.pre', [{ name: 'exec.run', args: { argv: ['ls'] } }]);
    expect(outcome).toMatchObject({ action: 'block', hook: 'prefer_named_tools' });
    expect(outcome?.reason).toContain('run_command');
  });

  it('meta_tool_guard keeps tools away from the policy', async () => {
    expect(
      await judge('write_file', [
        { path: '.harness/hooks/x.md', content: '' },
        { path: './.Harness/hooks/x.md', content: '' },
        { path: 'harness.md', content: '' },
        { path: 'agent.json', content: '' },
        { path: 'docs/user-agent.json', content: '' },
        { path: 'docs/a.md', content: 'see .harness/hooks' },
      ]),
    ).toEqual([
      '{"path":".harness/hooks/x.md","content":""} block meta_tool_guard',
      '{"path":"./.Harness/hooks/x.md","content":""} block meta_tool_guard',
      '{"path":"harness.md","content":""} block meta_tool_guard',
      '{"path":"agent.json","content":""} block meta_tool_guard',
      '{"path":"docs/user-agent.json","content":""} allow',
      '{"path":"docs/a.md","content":"see .harness/hooks"} allow',
    ]);
    expect(await judge('read_file', [{ path: '.harness/hooks/x.md' }])).toEqual([
      '{"path":".harness/hooks/x.md"} allow',
    ]);
    const changing = ['sed -i d .harness/hooks/x.md', "rm .har'n'ess/x", 'rm -rf .h*', 'mv .[a-h]* x'].map(
      command,
    );
    expect(await judge('run_command', changing)).toEqual(
      changing.map((one) => `${JSON.stringify(one)} block meta_tool_guard`),
    );
    const harmless = ['ls -d .h*', 'rm .eslintrc', 'mv .env.example .env'].map(command);
    expect(await judge('run_command', harmless)).toEqual(
      harmless.map((one) => `${JSON.stringify(one)} allow`),
    );
  });

  it('completion_window_guard adds up the output of a turn', async () => {
    const completion = (output_tokens: number) => ({
      choices: [],
      usage: { input_tokens: 1, output_tokens },
    });
    const outcomes = await decideAll('completion.post', [
      completion(20_000),
      completion(10_000),
      completion(3000),
    ]);
    expect(outcomes.map((outcome) => outcome.action)).toEqual(['allow', 'allow', 'block']);
    expect(outcomes[2]?.reason).toContain('33000 output tokens');
    const [estimated] = await decideAll('completion.post', [{ choices: [{ text: 'x'.repeat(200_000) }] }]);
    expect(estimated?.action).toBe('block');
  });

  it('a call whose arguments cannot be read is blocked, not waved through', async () => {
    const outcomes = await decideAll('tool.pre', [
      { name: 'run_command', args: 'rm -rf /' },
      { name: 'run_command', arguments: '{broken' },
      { name: 'write_file' },
    ]);
    expect(outcomes.map((outcome) => outcome.action)).toEqual(['block', 'block', 'block']);
  });

  it('audit hooks log every call and result, and never what is in them', async () => {
    const [pre] = (await decideAll('tool.pre', [
      { name: 'read_file', args: { path: 'secret-name' } },
    ])) as Array<Decided & { effects: unknown[] }>;
    expect(JSON.stringify(pre?.effects)).toContain('tool call: read_file');
    expect(JSON.stringify(pre?.effects)).not.toContain('secret-name');
    const [post] = (await decideAll('tool.post', [
      { call_id: '1', name: 'read_file', content: 'secret text', is_error: true },
    ])) as Array<Decided & { effects: unknown[] }>;
    expect(JSON.stringify(post?.effects)).toContain('tool failed: read_file (11 characters)');
    expect(JSON.stringify(post?.effects)).not.toContain('secret text');
  });
});
