/** Hooks to begin with in the playground, each with an event that shows what it does. */

import type { Json } from '../src/base/json.ts';
import commandGuard from '../src/cli/init/templates/hooks/command_guard.md';
import redactToolPost from '../src/cli/init/templates/hooks/redact_tool_post.md';

export interface Example {
  readonly title: string;
  readonly text: string;
  readonly event: string;
  readonly payload: Json;
}

const call = (command: string): Json => ({ name: 'run_command', args: { command } });

const FORCE = `---
event: tool.pre
priority: 15
when: payload["name"] in ["run_command", "Bash"]
script: |
  def handle(event, payload):
      for c in shell.parse(payload["args"].get("command", "")).commands:
          if c.program != "git" or c.sub(0) != "push":
              continue
          if c.has("-f", "--force") or any([o.startswith("+") for o in c.operands]):
              return block("push without force; if that fails, ask the person to sort it out")
      return allow()
---

# no_force_push

Agents do not rewrite history that others have.
`;

const BRANCH = `---
event: tool.pre
priority: 40
when: payload["name"] == "deploy"
script: |
  def handle(event, payload):
      if payload["args"].get("target") == "production":
          return ask("production is deployed by people")
      return modify({"args": {"target": "staging", "dry_run": True}})
---

# deploy_to_staging

Every deployment is a dry run to staging, unless a person says otherwise.
`;

const BROKEN = `---
event: tool.pre
priority: 15
script: |
  def handle(event, payload):
      if payload["name"] == "run_command":
          return blok("not today")
      return allow()
---

# broken

A guard that cannot be loaded is not silently off: it blocks.
`;

const ENDLESS = `---
event: tool.pre
priority: 15
script: |
  def handle(event, payload):
      n = 0
      for i in range(1000000000):
          n += i
      return allow()
---

# endless

Hooks have limits. One that runs into them fails, and a failed guard blocks.
`;

export const EXAMPLES: readonly Example[] = [
  { title: 'No force push', text: FORCE, event: 'tool.pre', payload: call('git push origin +main') },
  {
    title: 'Ask, or rewrite the call',
    text: BRANCH,
    event: 'tool.pre',
    payload: { name: 'deploy', args: { target: 'test' } },
  },
  {
    title: 'Dangerous commands (from harness init)',
    text: commandGuard,
    event: 'tool.pre',
    payload: call('cd / && sudo rm -rf *'),
  },
  {
    title: 'Secrets out of results (from harness init)',
    text: redactToolPost,
    event: 'tool.post',
    payload: {
      name: 'read_file',
      args: { path: '.env' },
      result: { content: 'API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwx\n' },
    },
  },
  { title: 'A hook with a mistake', text: BROKEN, event: 'tool.pre', payload: call('ls') },
  { title: 'A hook that does not end', text: ENDLESS, event: 'tool.pre', payload: call('ls') },
];
