/**
 * The text of a new hook, tool or pack: small, valid, with a test that passes, and a place to begin in.
 */
import type { Field, Json } from '../base/index.ts';
import type { EventSpec } from '../engine/index.ts';

/** A hook that guards a command, which is what most begin with. */
export function toolHook(event: string): string {
  return `---
event: ${event}
priority: 50
when: payload["name"] == "run_command"
script: |
  def handle(event, payload):
      for c in shell.parse(payload["args"].get("command", "")).commands:
          if c.program == "forbidden":
              return block("say why, and what to do instead")
      return allow()
tests:
  - name: what it stops
    payload: {name: run_command, args: {command: cd app && forbidden --now}}
    expect: block
  - name: what it lets through
    payload: {name: run_command, args: {command: grep -r forbidden .}}
    expect: allow
---
`;
}

/** A hook on any other event: it watches, and its test has a payload of the event. */
export function plainHook(event: string, { payload }: EventSpec): string {
  return `---
event: ${event}
priority: 50
script: |
  def handle(event, payload):
      log.info("saw " + event)
      return allow()
tests:
  - name: an ordinary one passes
    payload: ${JSON.stringify(sampleOf(payload))}
    expect: allow
---
`;
}

const SAMPLES: Readonly<Record<Field['kind'], Json>> = {
  string: 'text',
  integer: 1,
  number: 1,
  boolean: true,
  object: {},
  array: [],
  any: null,
  either: null,
};

/** The smallest value of a shape. */
export function sampleOf(field: Field): Json {
  if (field.nullable === true) return null;
  if (field.enum !== undefined) return field.enum[0]!;
  if (field.kind === 'either') return sampleOf(field.forms![0]!);
  if (field.kind !== 'object') return SAMPLES[field.kind];
  const required = Object.entries(field.fields ?? {}).filter(([, each]) => each.required);
  return Object.fromEntries(required.map(([key, each]) => [key, sampleOf(each)]));
}

export function tool(): string {
  return `---
parameters:
  text: {type: string, description: What to work on, required: true}
script: |
  def run(args):
      return args["text"].strip()
---

Say here what the tool does and when to use it: the model reads this.
`;
}

/** A rule about a program, with examples that `validate` runs. */
export function pack(name: string): string {
  return `pack: ${name}
version: 1
description: What it is for.
lists:
  deployers: [deploy, ship]
rules:
  - id: to-production
    severity: medium
    action: block
    match:
      program: $deployers
      without: [--dry-run]
      not: {arg: [staging]}
    reason: it deploys to production
    instead: Deploy to staging first, \`deploy staging\`.
    examples:
      stops: [deploy production]
      passes: [deploy staging, deploy production --dry-run]
`;
}

/** The whole policy answers: the rule is in force, and lets go what it should. */
export function packTest(name: string): string {
  return `event: tool.pre
cases:
  - name: ${name} stops a deployment to production
    payload: {name: run_command, args: {command: deploy production}}
    expect: {action: block, reason: it deploys to production}
  - name: ${name} lets one to staging go
    payload: {name: run_command, args: {command: deploy staging}}
    expect: allow
`;
}

/** The whole policy answers a call of the tool. */
export function toolTest(name: string): string {
  return `event: tool.pre
cases:
  - name: the agent may call ${name}
    payload: {name: ${name}, args: {text: hello}}
    expect: allow
`;
}
