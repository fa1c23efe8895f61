/**
 * Texts that a pattern of a policy speaks of, read from the pattern itself. They are only tried: one that does not match after
 * all costs a try and nothing else, so what is rare in patterns is left out.
 */
import type { Random } from './random.ts';

const DEEPEST = 20;
const LONGEST = 200;
const ANY = 'ax1 ';
const CLASSES: Readonly<Record<string, string>> = {
  d: '017',
  D: 'a-',
  w: 'ab_1',
  W: ' -.',
  s: '  \t',
  S: 'ab1-',
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' };

/** One text that an RE2 pattern may match. */
export function sampleRegex(pattern: string, random: Random): string {
  const sampler = new Sampler(pattern, random);
  return sampler.alternatives(0).slice(0, LONGEST);
}

class Sampler {
  private readonly pattern: string;
  private readonly random: Random;
  private at = 0;

  constructor(pattern: string, random: Random) {
    this.pattern = pattern;
    this.random = random;
  }

  /** Up to the end or a closing parenthesis. All are read, so that the place is right; one is taken. */
  alternatives(depth: number): string {
    const all = [this.sequence(depth)];
    while (this.pattern[this.at] === '|') {
      this.at++;
      all.push(this.sequence(depth));
    }
    return this.random.pick(all)!;
  }

  private sequence(depth: number): string {
    let text = '';
    while (this.at < this.pattern.length && !'|)'.includes(this.pattern[this.at]!)) {
      const start = this.at;
      const piece = this.piece(depth);
      const [least, most] = this.repeats();
      const times = least + this.random.whole(most - least + 1);
      for (let i = 0; i < times && text.length < LONGEST; i++)
        text += i === 0 ? piece : this.again(start, depth);
    }
    return text;
  }

  /** The same piece once more, with other choices. */
  private again(start: number, depth: number): string {
    const back = this.at;
    this.at = start;
    const piece = this.piece(depth);
    this.at = back;
    return piece;
  }

  private piece(depth: number): string {
    const char = this.pattern[this.at++]!;
    if (char === '(') return this.group(depth);
    if (char === '[') return this.random.pick(this.charClass()) ?? '';
    if (char === '.') return this.random.pick([...ANY])!;
    if (char === '^' || char === '$') return '';
    return char === '\\' ? this.escape() : char;
  }

  private group(depth: number): string {
    const flags = /^\?(?:P?<\w+>|[imsU-]*:|[imsU-]+(?=\)))/.exec(this.pattern.slice(this.at));
    if (flags !== null) this.at += flags[0].length;
    const text = depth > DEEPEST ? '' : this.alternatives(depth + 1);
    if (this.pattern[this.at] === ')') this.at++;
    return text;
  }

  private escape(): string {
    const char = this.pattern[this.at++] ?? '';
    if (char in CLASSES) return this.random.pick([...CLASSES[char]!])!;
    if (char in CONTROLS) return CONTROLS[char]!;
    return 'bBAzZ'.includes(char) ? '' : char;
  }

  private charClass(): string[] {
    const negated = this.pattern[this.at] === '^';
    if (negated) this.at++;
    const chars: string[] = [];
    for (let first = true; this.at < this.pattern.length; first = false) {
      const char = this.pattern[this.at++]!;
      if (char === ']' && !first) break;
      if (char === '[' && this.pattern[this.at] === ':') {
        const end = this.pattern.indexOf(':]', this.at);
        this.at = end < 0 ? this.pattern.length : end + 2;
        chars.push('a', '1');
      } else if (char === '\\') chars.push(this.escape());
      else if (this.pattern[this.at] === '-' && this.pattern[this.at + 1] !== ']') {
        chars.push(char, this.pattern[this.at + 1] ?? char);
        this.at += 2;
      } else chars.push(char);
    }
    return negated ? [...`${ANY}-./_=`].filter((char) => !chars.includes(char)) : chars;
  }

  private repeats(): [least: number, most: number] {
    const found = /^(?:\*|\+|\?|\{(\d+)(,?)(\d*)\})\??/.exec(this.pattern.slice(this.at));
    if (found === null) return [1, 1];
    this.at += found[0].length;
    const [whole, from, comma, to] = found;
    if (from === undefined) return whole![0] === '?' ? [0, 1] : whole![0] === '*' ? [0, 2] : [1, 3];
    const least = Math.min(Number(from), LONGEST);
    return [least, comma === '' ? least : to === '' ? least + 2 : Math.min(Number(to), LONGEST)];
  }
}

/** One text that a glob matches. */
export function sampleGlob(glob: string, random: Random): string {
  return glob
    .replace(/\{([^{}]*)\}/g, (_all, inside: string) => random.pick(inside.split(','))!)
    .replace(/\*\*\/?|\*|\?|\[[^\]]*\]/g, (part) => {
      if (part === '?') return 'x';
      if (part[0] === '[') return part[1] === '!' || part[1] === '^' ? '~' : (part[1] ?? '');
      return random.pick(part === '*' ? ['', 'x', 'main'] : ['', 'a/', 'a/b/'])!;
    });
}
