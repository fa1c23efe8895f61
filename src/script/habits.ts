/**
 * What people who know Python or JavaScript write, and what it is here. The language names the token that surprises it;
 * this says to the author of a script what to type instead.
 */

export const BUILT_IN_ALREADY = 'json, re, shell, path, time and the other built-ins are there without it';

interface Habit {
  readonly said: RegExp;
  readonly instead: string;
  /** Only hooks have this. */
  readonly only?: 'hook';
}

const HABITS: readonly Habit[] = [
  { said: /^got (?:import|from), want/, instead: `there is no import: ${BUILT_IN_ALREADY}` },
  {
    said: /^got (?:try|except|finally), want/,
    instead:
      'there is no try, an error cannot be caught: ask first, payload.get("key"), "key" in payload, json.decode(text, None)',
  },
  { said: /^got raise, want/, instead: 'there is no raise: write fail("why")' },
  { said: /^got is, want/, instead: 'there is no is: write == None or != None' },
  { said: /^got class, want/, instead: 'there are no classes: use a dict or struct(name = value)' },
  { said: /^got with, want/, instead: 'there is no with: call what you need' },
  {
    said: /support while loops$/,
    instead: 'there is no while: write for _ in range(100): and break out of it',
  },
  { said: /^undefined: (?:null|nil|undefined|NULL)(?= |$)/, instead: 'write None' },
  { said: /^undefined: isinstance(?= |$)/, instead: 'write type(value) == "string"' },
  { said: /^undefined: typeof(?= |$)/, instead: 'write type(value)' },
  {
    said: /^undefined: (?:tool|tool_name|toolName)(?= |$)/,
    instead: 'the tool is payload["name"]',
    only: 'hook',
  },
  {
    said: /^undefined: (?:tool_input|args|arguments|params)(?= |$)/,
    instead: 'write payload["args"]',
    only: 'hook',
  },
  { said: /^undefined: (?:command|cmd)(?= |$)/, instead: 'write payload["args"]["command"]', only: 'hook' },
  { said: /^undefined: name(?= |$)/, instead: 'write payload["name"]', only: 'hook' },
];

/** The message in the words of the author. */
export function inPlainWords(message: string, noun: 'hook' | 'tool' | 'library'): string {
  for (const { said, instead, only } of HABITS) {
    if (only !== undefined && only !== noun) continue;
    const found = said.exec(message);
    if (found === null) continue;
    return message.startsWith('undefined: ') ? `${found[0]}: ${instead}` : instead;
  }
  return message.replace('want primary expression', 'want an expression');
}
