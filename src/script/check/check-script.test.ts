import { describe, expect, it } from 'vitest';
import { cpuTime } from '../../../test/support/cpu-time.ts';
import { SourceFile } from '../../base/source.ts';
import { CONDITION_ENVIRONMENT, HOOK_BUILTINS } from '../environment.ts';
import { checkScript } from './check-script.ts';
import type { CheckedScript, WrittenScript } from './finding.ts';

function check(kind: WrittenScript['kind'], event: string, text: string): CheckedScript {
  const source = new SourceFile('h.star', text);
  const environment = kind === 'condition' ? CONDITION_ENVIRONMENT : HOOK_BUILTINS;
  return checkScript({ kind, source, file: source, environment, event, hook: 'h', entry: 'handle' });
}

/** `line:col severity[CODE] message`, one a finding. */
function told({ findings }: CheckedScript): string[] {
  return findings.map(
    ({ severity, code, message, position: { line, col } }) =>
      `${line}:${col} ${severity}[${code}] ${message}`,
  );
}

/** The findings of a handler with this body; its lines begin at 2. */
function handler(body: string, event = 'tool.pre'): string[] {
  const lines = body.split('\n').map((line) => `  ${line}`);
  return told(check('handler', event, ['def handle(event, payload):', ...lines].join('\n')));
}

function returning(expr: string, event?: string): string[] {
  return handler(`return ${expr}`, event);
}

function when(text: string, event = 'tool.pre'): string[] {
  return told(check('condition', event, text));
}

describe('keys of the payload', () => {
  it('a key the payload does not have is a warning with the nearest one', () => {
    const message =
      '1:9 warning[PAYLOAD_KEY] the payload of tool.pre has no key "nme" (did you mean "name"?)';
    expect(when('payload["nme"] == "bash"')).toEqual([message]);
    expect(when('payload.get("nme") == "bash"')).toEqual([message.replace('1:9', '1:13')]);
    expect(when('"nme" in payload')).toEqual([message.replace('1:9', '1:1')]);
  });

  it('names of other systems, and arguments looked for one level too high, are recognised', () => {
    expect(when('payload["tool_name"] == "x"')[0]).toContain('(did you mean "name"?)');
    expect(when('payload.get("tool_input") == None')[0]).toContain('(did you mean "args"?)');
    expect(when('payload["command"] == "x"')[0]).toContain('so payload["args"]["command"]');
  });

  it('without a near name the keys are listed, and only where a missing key raises', () => {
    expect(when('payload["zzzzzz"] == 1')[0]).toContain('it has id, name, arguments, args, ');
    expect(when('payload.get("zzzzzz") == 1')).toEqual([]);
  });

  it('what hosts add beside the catalog is known', () => {
    expect(when('payload["cwd"] == "/" or payload["native"] == None')).toEqual([]);
  });

  it('a payload that is a string has no keys', () => {
    expect(when('"x" in payload', 'turn.start')).toEqual([]);
    expect(when('payload["text"] == "x"', 'turn.start')).toEqual([
      '1:9 error[PAYLOAD_KEY] the payload of turn.start is a string: it has no keys, use payload itself',
    ]);
  });

  it('variables, helpers and loops are followed', () => {
    const text = [
      'def handle(event, payload):',
      '  for call in payload["tool_calls"]:',
      '    if call["nam"] == "x":',
      '      log.info("x")',
      '  p = payload',
      '  return judge(p)',
      'def judge(given):',
      '  return block("x") if given["txt"] == "" else allow()',
    ];
    expect(
      told(check('handler', 'turn.end', text.join('\n'))).filter((line) => line.includes('KEY')),
    ).toEqual([
      '3:13 warning[PAYLOAD_KEY] payload["tool_calls"][…] has no key "nam" (did you mean "name"?)',
      '8:30 warning[PAYLOAD_KEY] the payload of turn.end has no key "txt" (did you mean "text"?)',
    ]);
  });

  it('a name that is bound again, and a helper that is passed on, are left alone', () => {
    expect(handler('payload = json.decode("{}")\nreturn block(payload["nme"])')).toEqual([]);
    const passedOn =
      'def handle(event, payload):\n  return sorted([payload], key=f)[0]\ndef f(p):\n  return p["nme"]';
    expect(told(check('handler', 'tool.pre', passedOn))).toEqual([]);
  });

  it('payloads nobody has described are left alone', () => {
    expect(when('payload["nme"] == "x"', 'custom.mine')).toEqual([]);
  });
});

describe('attributes', () => {
  it('an attribute of a dict is a key', () => {
    expect(when('payload.name == "bash"')).toEqual([
      '1:9 error[DICT_ATTRIBUTE] payload is a dict: write payload["name"], or payload.get("name") if it may be missing',
    ]);
    expect(returning('block(payload["args"].command)')[0]).toContain('payload["args"]["command"]');
  });

  it('a method of a dict is none', () => {
    expect(when('payload.get("args", {}).items() == []')).toEqual([]);
  });

  it('a method that text or a dict does not have has its name here', () => {
    expect(when('payload["name"].contains("x")')[0]).toContain('; use "text" in value');
    expect(when('payload["name"].startwith("x")')[0]).toContain('(did you mean .startswith?)');
    expect(when('payload.copy() == {}')[0]).toContain('; use dict(value)');
  });
});

describe('a frozen payload', () => {
  it('is changed in a copy', () => {
    expect(handler('payload["name"] = "x"\nreturn modify(payload)')).toEqual([
      '2:3 error[PAYLOAD_FROZEN] payload is frozen: change a copy, copy = dict(payload)',
    ]);
    expect(handler('payload["args"].update({})\nreturn allow()')[0]).toContain('dict(payload["args"])');
    expect(handler('args = payload["args"]\nargs["x"] = 1\nreturn allow()')[0]).toContain('PAYLOAD_FROZEN');
    expect(handler('payload["messages"].append(1)\nreturn allow()', 'completion.pre')[0]).toContain(
      'copy = list(payload["messages"])',
    );
    expect(handler('copy = dict(payload)\ncopy["name"] = "x"\nreturn modify(copy)')).toEqual([]);
  });
});

describe('answers', () => {
  it('a decision that is not returned is dropped', () => {
    expect(handler('if payload["name"] == "x":\n  block("no")\nreturn allow()')).toEqual([
      '3:5 error[DECISION_DROPPED] the decision is dropped: write return block("no")',
    ]);
    expect(handler('answer = block("no")\nreturn allow()')[0]).toContain('DECISION_DROPPED');
    expect(handler('answer = block("no")\nreturn answer')).toEqual([]);
  });

  it('so is that of a helper which only makes decisions', () => {
    const helper = '\ndef deny(why):\n  metrics.incr("x")\n  return block(why)';
    const text = (call: string) => `def handle(event, payload):\n  ${call}\n  return allow()${helper}`;
    expect(told(check('handler', 'tool.pre', text('deny("no")')))).toEqual([
      '2:3 error[DECISION_DROPPED] the decision is dropped: write return deny("no")',
    ]);
    expect(told(check('handler', 'tool.pre', text('log.info("no")')))).toEqual([]);
  });

  it('a handler that can end without a decision is told so', () => {
    expect(handler('if payload["name"] == "x":\n  return block("no")')).toEqual([
      '2:3 warning[RETURN_MISSING] handle can end without a decision: finish it with return allow()',
    ]);
    expect(handler('if payload["name"] == "x":\n  return block("no")\nelse:\n  return allow()')).toEqual([]);
    expect(handler('fail("no")')).toEqual([]);
    expect(handler('return')[0]).toContain('handle returns None');
    expect(returning('None')[0]).toContain('handle returns None');
    expect(returning('block("x") if event else None')[0]).toContain('handle returns None');
  });

  it('a bare value is no decision', () => {
    expect(returning('False')).toEqual([
      '2:10 warning[RETURN_TYPE] handle returns a bool, which is no decision and counts as allow(): write return block("why")',
    ]);
    expect(returning('True')[0]).toContain('write return allow()');
    expect(returning('"block"')[0]).toContain('handle returns a string');
    expect(returning('payload["name"] == "x"')[0]).toContain('handle returns a bool');
    expect(returning('block("x") if payload["name"] == "x" else False')[0]).toContain('a bool');
    expect(returning('block')[0]).toContain('the function block itself: call it, block(reason');
  });

  it('a dict needs an action of the table', () => {
    expect(returning('{"action": "block", "reason": "no"}')).toEqual([]);
    expect(returning('{"decision": "block"}')[0]).toContain('without "action"');
    expect(returning('{"action": "blok"}')[0]).toContain('(did you mean "block"?)');
  });

  it('an answer the event ignores is an error, one that becomes another a warning', () => {
    const ignored = (expr: string, event: string) => returning(expr, event).map((line) => line.slice(5));
    expect(ignored('block("no")', 'session.end')).toEqual([
      'error[DECISION_IGNORED] nothing can block session.end: this block is ignored',
    ]);
    expect(ignored('modify({})', 'permission.replied')[0]).toContain('this modify is ignored');
    expect(ignored('ask("x")', 'tool.post')[0]).toContain('warning[DECISION_IGNORED] no person can be asked');
    expect(ignored('ask("x")', 'turn.end')[0]).toContain('error[DECISION_IGNORED] no person can be asked');
    expect(ignored('permit("x")', 'tool.pre')[0]).toContain('permit answers permission.asked only');
    expect(ignored('delegate({})', 'tool.pre')[0]).toContain('cannot be delegated');
    expect(ignored('block("x")', 'finish.pre')[0]).toContain('does not accept a block');
    expect(ignored('{"action": "block"}', 'session.end')[0]).toContain('this block is ignored');
    expect(ignored('permit("x")', 'permission.asked')).toEqual([]);
  });

  it('modify wants what the event carries', () => {
    expect(returning('modify("x")')[0]).toContain('modify on tool.pre wants a dict, got string');
    expect(returning('modify({"text": "x"})', 'turn.start')[0]).toContain('wants a string, got dict');
    expect(returning('modify(payload.upper())', 'turn.start')).toEqual([]);
  });

  it('knows a handler that blocks all it sees', () => {
    const always = (body: string) =>
      check('handler', 'tool.pre', `def handle(e, p):\n  ${body}`).alwaysBlocks;
    expect(always('return block("no")')).toBe(true);
    expect(always('if p["name"] == "x": return allow()\n  return block("no")')).toBe(false);
    expect(always('if p["name"] == "x": return block("no")')).toBe(false);
  });
});

describe('built-ins', () => {
  it('a member that is not there has its name here', () => {
    expect(returning('block(re.sub("a", "b", "c"))')).toEqual([
      '2:19 error[BUILTIN_MEMBER] re has no sub: use re.replace(pattern, replacement, text)',
    ]);
    expect(handler('log.debug("x")\nreturn allow()')[0]).toContain('log has no debug: use log.info');
    expect(handler('metrics.snapshott()\nreturn allow()')[0]).toContain('(did you mean metrics.snapshot?)');
    expect(handler('block.reason\nreturn allow()')[0]).toContain('block is a function and has no .reason');
  });

  it('arguments are counted and named', () => {
    expect(returning('block(1, 2)')).toEqual([
      '2:10 error[BUILTIN_CALL] block: got 2 arguments, want 1: block(reason, *, context=None)',
    ]);
    expect(returning('block(cache.get())')[0]).toContain('cache.get: missing argument for key');
    expect(returning('block(because="x")')[0]).toContain('unexpected keyword argument "because"');
    expect(returning('block(*["x"])')).toEqual([]);
    expect(returning('block(json("x"))')[0]).toContain('json is a module, not a function');
    expect(when('payload["name"].startswith()')[0]).toContain('startswith: missing argument');
  });

  it('types are compared where both are known', () => {
    expect(returning('block(1)')).toEqual([
      '2:16 error[BUILTIN_CALL] block: for parameter reason: got int, want string',
    ]);
    expect(returning('block(payload["args"])')[0]).toContain('got dict, want string');
    expect(when('re.search("x", payload["args"])')[0]).toContain('for parameter text: got dict');
    expect(returning('block(payload["args"]["x"])')).toEqual([]);
  });

  it('a literal pattern must be RE2, also behind a name', () => {
    expect(when('re.search("(", payload["name"])')[0]).toContain(
      'error[PATTERN_INVALID] re.search: invalid pattern',
    );
    expect(when('re.search("(?=x)", payload["name"])')[0]).toContain('RE2 has no look-around');
    const named =
      'P = "["\ndef handle(event, payload):\n  return block("x") if re.match(P, "x") else allow()';
    expect(told(check('handler', 'tool.pre', named))[0]).toContain('PATTERN_INVALID');
    expect(when('re.search("^a+$", payload["name"])')).toEqual([]);
  });

  it('a name of the script that hides a built-in is the script’s own', () => {
    const text = 'def handle(event, payload):\n  re = struct(sub = 1)\n  return block(str(re.sub))';
    expect(told(check('handler', 'tool.pre', text))).toEqual([]);
  });
});

describe('conditions', () => {
  it('another event never happens here', () => {
    expect(when('event == "tool.post"')).toEqual([
      '1:10 warning[CONDITION_CONSTANT] this never holds for "tool.post": the hook listens to tool.pre',
    ]);
    expect(when('event == "tool.prre"')[0]).toContain('there is no such event (did you mean tool.pre?)');
    expect(when('event != "tool.post"')[0]).toContain('this always holds');
    expect(when('event in ["PreToolUse", "tool.pre"]')).toEqual([]);
  });

  it('a field is only compared with what it can be', () => {
    expect(when('payload["name"] == 3')[0]).toContain('payload["name"] is a string, 3 is an int');
    expect(when('payload["is_error"] == "true"', 'tool.post')[0]).toContain('is a bool, "true" is a string');
    expect(when('payload["decision"] == "denied"', 'permission.replied')[0]).toContain('never "denied"');
    expect(when('payload["decision"] == "deny"', 'permission.replied')).toEqual([]);
  });

  it('a text alone always holds', () => {
    expect(when('payload["name"] == "a" or "b"')).toEqual([
      '1:27 warning[CONDITION_CONSTANT] "b" alone always holds: compare it, x == "a" or x == "b", or x in ["a", "b"]',
    ]);
    expect(returning('block(payload.get("id") or "none")')).toEqual([]);
  });

  it('two literals, a contradiction and a function that is not called are known', () => {
    expect(when('1 == 2')[0]).toContain('both sides are literals');
    expect(when('0')[0]).toContain('this never holds: it is a literal');
    expect(when('"x"')[0]).toContain('this always holds: it is a literal');
    expect(when('payload["name"] == "a" and payload["name"] == "b"')[0]).toContain('this never holds');
    expect(when('payload["name"] != "a" or payload["name"] != "b"')[0]).toContain('this always holds');
    expect(when('payload["name"] != "a" and payload["name"] != "b"')).toEqual([]);
    expect(when('shell.parse')[0]).toContain('that is not called');
  });

  it('fields, kinds and zones of what shell.parse gives are known', () => {
    const command = 'shell.parse(payload["args"]["command"])';
    expect(when(`any([e.kind == "delete" and e.touches("home") for e in ${command}.effects])`)).toEqual([]);
    expect(when(`any([e.kind == "delte" for e in ${command}.effects])`)[0]).toContain('did you mean delete?');
    expect(when(`any([e.kind in ["send", "sned"] for e in ${command}.effects])`)[0]).toContain(
      'did you mean send?',
    );
    expect(when(`any([e.knd == "send" for e in ${command}.effects])`)[0]).toContain('did you mean kind?');
    expect(when(`${command}.effects[0].paths[0].zone == "hme"`)[0]).toContain('did you mean home?');
    expect(when(`${command}.effects[0].touches("sistem")`)[0]).toContain('did you mean system?');
    expect(when(`${command}.effects[0].command.programm == "rm"`)[0]).toContain('did you mean program?');
    expect(when(`${command}.efects`)[0]).toContain('did you mean effects?');
  });

  it('names of tools are collected', () => {
    const { tools } = check(
      'condition',
      'tool.pre',
      'payload["name"] in ["a", "b"] or payload.get("name") == "c"',
    );
    expect(tools.map(({ tool }) => tool)).toEqual(['a', 'b', 'c']);
  });
});

describe('# harness: ignore CODE reason', () => {
  const body = (comment: string) => handler(`x = payload.get("nme") ${comment}\nreturn block(str(x))`);

  it('accepts a finding of its code, with a reason, on its line or above', () => {
    expect(body('# harness: ignore PAYLOAD_KEY our host adds it')).toEqual([]);
    expect(
      handler('# harness: ignore PAYLOAD_KEY ours\nx = payload.get("nme")\nreturn block(str(x))'),
    ).toEqual([]);
  });

  it('accepts nothing else', () => {
    expect(body('# harness: ignore BUILTIN_CALL why')).toHaveLength(1);
    expect(body('# harness: ignore PAYLOAD_KEY')[1]).toContain('IGNORE_INVALID');
    expect(body('# harness: ignore PAYLOAD_KEYS why')[1]).toContain('(did you mean PAYLOAD_KEY?)');
  });
});

describe('what does not compile', () => {
  it('gives nothing: it has been reported', () => {
    expect(check('handler', 'tool.pre', 'def handle(').findings).toEqual([]);
    expect(check('condition', 'tool.pre', 'nobody == 1').findings).toEqual([]);
  });

  it('is looked at in time that grows with its length alone', () => {
    const long = Array.from({ length: 5000 }, (_, i) => `payload["name"] == "t${i}"`).join(' or ');
    const began = cpuTime();
    expect(when(long)).toEqual([]);
    expect(cpuTime() - began).toBeLessThan(2000);
  });
});
