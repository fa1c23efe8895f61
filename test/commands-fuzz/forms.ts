/**
 * Makes shell texts, nested and odd, whose only programs are stubs that write down their arguments, and a few that start
 * them (`sh`, `env`, `xargs` …). Nothing else is ever named, so that a text can be run for real in an empty root.
 *
 * Stubs: `p0`–`p4` succeed, `q0`–`q2` fail, `w0` prints a command.
 */
import { Random } from './random.ts';

export type FuzzShell = 'dash' | 'bash';

export const STUBS = ['p0', 'p1', 'p2', 'p3', 'p4', 'q0', 'q1', 'q2', 'w0'] as const;

/** The text with this number, for this shell. */
export function makeForm(seed: number, number: number, shell: FuzzShell): string {
  const random = new Random(seed, number);
  const form = new Forms(random, shell).text();
  return random.chance(0.12) ? mutated(random, form) : form;
}

/** A character more, fewer, or in another place. Never one that makes a program out of a word. */
function mutated(random: Random, form: string): string {
  const at = random.below(form.length + 1);
  const kind = random.below(3);
  if (kind === 0) return form.slice(0, at) + form.slice(at + 1);
  const sign = random.pick([
    ...'\'"`$(){}[];&|<>#\\ \n\t=!~*?-+:,%/',
    'a',
    '0',
    '\\\n',
    '$(',
    '${',
    '<<',
    '((',
    ';;',
  ]);
  if (kind === 1) return form.slice(0, at) + sign + form.slice(at);
  return form.slice(0, at) + sign + form.slice(at + 1);
}

const NAMES = ['x', 'y', 'z'];
const FUNCTIONS = ['f', 'g'];
const FILES = ['o1', 'o2'];

class Forms {
  private readonly r: Random;
  private readonly bash: boolean;
  private depth = 0;
  private argument = 0;
  /** Bodies of here-documents that wait for the end of the line. */
  private waiting: string[] = [];
  private document = 0;

  constructor(random: Random, shell: FuzzShell) {
    this.r = random;
    this.bash = shell === 'bash';
  }

  text(): string {
    const count = 1 + this.r.below(4);
    // Variables that nobody set are not known, and then little is.
    let text = this.r.chance(0.6) ? `x=${this.stub()} y='${this.stub()} ${this.arg()}' z=; ` : '';
    for (let i = 0; i < count; i++) {
      const statement = this.statement();
      text += statement + (i < count - 1 ? this.separator(statement) : '');
    }
    return text + this.flush();
  }

  /** A newline with the documents that wait for it. */
  private newline(): string {
    const bodies = this.waiting.join('');
    this.waiting = [];
    return `\n${bodies}`;
  }

  private flush(): string {
    return this.waiting.length > 0 ? this.newline() : this.r.chance(0.3) ? '\n' : '';
  }

  private separator(before: string): string {
    const kind = this.r.below(10);
    if (before.endsWith('&')) return this.r.chance(0.5) ? ' ' : this.newline();
    if (kind < 5) return this.r.pick(['; ', ';', ' ;', ' ; ']);
    if (kind < 9) return this.newline();
    return this.r.pick([' & ', '&', ' &\n'.length > 0 ? ' & ' : '&']);
  }

  /** Deeper constructs become rarer. */
  private deep<T>(make: () => T, otherwise: () => T): T {
    if (this.depth >= 3 || this.r.chance(this.depth * 0.2)) return otherwise();
    this.depth++;
    const made = make();
    this.depth--;
    return made;
  }

  private list(): string {
    const first = this.statement();
    if (!this.r.chance(0.3)) return first;
    const joint = first.endsWith('&') ? ' ' : this.r.pick(['; ', '\n']);
    return first + (joint === '\n' ? this.newline() : joint) + this.statement();
  }

  private statement(): string {
    const kind = this.r.below(100);
    if (kind < 34) return this.simple();
    if (kind < 44) return this.assignment();
    return this.deep(
      () => this.r.pick(this.bash ? BASH_KINDS : KINDS)(this.maker),
      () => this.simple(),
    );
  }

  private readonly maker: Maker = {
    r: this.rOf(),
    list: () => this.list(),
    simple: () => this.simple(),
    statement: () => this.statement(),
    word: () => this.word(),
    value: () => this.value(),
    arg: () => this.arg(),
    stub: () => this.stub(),
    quoted: (text) => this.quoted(text),
    code: () => this.code(),
    newline: () => this.newline(),
    document: (body, quote) => this.hereDocument(body, quote),
    bash: () => this.bash,
  };

  /** `maker` is made before the constructor sets `r`, so it asks each time. */
  private rOf(): Random {
    return {
      next: () => this.r.next(),
      below: (n: number) => this.r.below(n),
      chance: (p: number) => this.r.chance(p),
      pick: <T>(list: readonly T[]) => this.r.pick(list),
    } as Random;
  }

  /** Arguments are counted, so that two runs of a stub can be told apart. */
  private arg(): string {
    return `a${this.argument++}`;
  }

  private stub(): string {
    return this.r.pick(this.r.chance(0.9) ? STUBS.slice(0, 8) : STUBS);
  }

  /** The name of a program, sometimes in disguise. */
  private program(): string {
    const name = this.stub();
    switch (this.r.below(this.bash ? 16 : 13)) {
      case 0:
        return `"${name}"`;
      case 1:
        return `'${name}'`;
      case 2:
        return `\\${name}`;
      case 3:
        return `${name[0]}"${name[1]}"`;
      case 4:
        return `${name[0]}$()${name[1]}`;
      case 5:
        return `$(echo ${name})`;
      case 6:
        return `${name[0]}\\\n${name[1]}`;
      case 7:
        return `\${u-${name}}`;
      case 8:
        return `$${this.r.pick(NAMES)}`;
      case 13:
        return `$'${name}'`;
      case 14:
        return `$'\\x${name.charCodeAt(0).toString(16)}${name[1]}'`;
      case 15:
        return `{${name},${this.arg()}}`;
      default:
        return name;
    }
  }

  private simple(): string {
    const pieces: string[] = [];
    if (this.r.chance(0.12)) pieces.push(`${this.r.pick(NAMES)}=${this.value()}`);
    if (this.r.chance(0.06)) pieces.push(this.redirect());
    pieces.push(this.program());
    for (let i = this.r.below(3); i > 0; i--) pieces.push(this.word());
    if (this.r.chance(0.18)) pieces.push(this.redirect());
    if (this.r.chance(0.04)) pieces.push(`# ${this.stub()} ${this.arg()}`.replace(/$/, this.newline()));
    return pieces.join(this.r.chance(0.9) ? ' ' : this.r.pick(['  ', ' \\\n', '\t']));
  }

  private redirect(): string {
    const file = this.r.pick(FILES);
    const plain = [
      `>${file}`,
      `> ${file}`,
      `2>/dev/null`,
      `>>${file}`,
      `</dev/null`,
      `2>&1`,
      `>/dev/null 2>&1`,
      `>| ${file}`,
      `<>${file}`,
      `>&2`,
    ];
    if (this.r.chance(0.25)) return this.hereDocument(this.data(), this.r.pick(['', "'", '\\', '"']));
    if (this.bash && this.r.chance(0.3)) {
      return this.r.pick([
        `&>${file}`,
        `&>>${file}`,
        `<<< ${this.value()}`,
        `<<<"${this.arg()}"`,
        `{fd}>${file}`,
      ]);
    }
    if (!this.bash && this.r.chance(0.1)) return `&>/dev/null ${this.stub()} ${this.arg()}`;
    return this.r.pick(plain);
  }

  /** Text for a here-document; in one without quotes, expansions count. */
  private data(): string {
    return this.r.pick([
      () => `${this.arg()} text`,
      () =>
        this.deep(
          () => `$(${this.simpleLine()})`,
          () => 'text',
        ),
      () =>
        this.deep(
          () => `\`${this.stub()} ${this.arg()}\``,
          () => 'text',
        ),
      () => `$x ' " \\$y`,
      () => `it's \${x:-$(${this.stub()} ${this.arg()})}`,
      () => '',
      () => `${this.stub()} ${this.arg()} \\`,
    ])();
  }

  private hereDocument(body: string, quote: string): string {
    const end = `E${this.document++}`;
    const tabs = this.r.chance(0.2);
    const shown = quote === '\\' ? `\\${end}` : `${quote}${end}${quote}`;
    this.waiting.push(`${tabs ? '\t' : ''}${body}\n${tabs ? '\t' : ''}${end}\n`);
    return `<<${tabs ? '-' : ''}${this.r.chance(0.2) ? ' ' : ''}${shown}`;
  }

  private assignment(): string {
    const name = this.r.pick(NAMES);
    const value = this.value();
    return this.r.pick([
      `${name}=${value}`,
      `${name}=${value}`,
      `${name}=${value} ${this.r.pick(NAMES)}=${this.value()}`,
      `export ${name}=${value}`,
      `export ${name}`,
      `unset ${name}`,
      `readonly ro=${value}`,
      `set -- ${this.word()} ${this.word()}`,
      ...(this.bash
        ? [
            `${name}+=${value}`,
            `${name}=(${this.word()} ${this.word()})`,
            `declare ${name}=${value}`,
            `${name}[1]=${value}`,
          ]
        : []),
    ]);
  }

  /** What is assigned: often the name of a stub, so that it can be run. */
  private value(): string {
    return this.r.pick([
      () => this.stub(),
      () => `'${this.stub()} ${this.arg()}'`,
      () => `"${this.stub()} ${this.arg()}"`,
      () => this.arg(),
      () => '',
      () => `$${this.r.pick(NAMES)}`,
      () => `"$${this.r.pick(NAMES)}"`,
      () => `$(echo ${this.stub()})`,
      () => `"$(${this.simpleLine()})"`,
      () => this.expansion(),
    ])();
  }

  /** One line, for places in which a document cannot wait. */
  private simpleLine(): string {
    const before = this.waiting;
    this.waiting = [];
    const text = this.simple();
    const rest = this.waiting.length > 0 ? this.newline() : '';
    this.waiting = before;
    return text + rest;
  }

  /** A list that brings its documents with it, for `$(…)`. */
  private code(): string {
    const before = this.waiting;
    this.waiting = [];
    const text = this.list();
    const rest = this.waiting.length > 0 ? this.newline() : '';
    this.waiting = before;
    return text + rest;
  }

  private quoted(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
  }

  private word(): string {
    const kind = this.r.below(24);
    if (kind < 8) return this.arg();
    if (kind < 10) return `"${this.arg()} b"`;
    if (kind === 10) return `'${this.arg()} $x'`;
    if (kind === 11) return `$${this.r.pick([...NAMES, '@', '*', '1', '#'])}`;
    if (kind === 12) return `"$${this.r.pick([...NAMES, '@', '*', '1'])}"`;
    if (kind === 13) return `${this.arg()}\\ b`;
    if (kind === 14)
      return this.r
        .pick(['#x', 'x#y', '{', '}', 'then', 'fi', '!', '{}', '~', '=', 'a=b', '[', ']', '-', '--'])
        .replace(/^#x$/, 'x#');
    if (kind === 15) return this.r.pick(['*', '?x', '[ab]*', "'*'", '"?"']);
    if (kind === 16 && this.bash)
      return this.r.pick([
        `{${this.arg()},b}`,
        `{1..3}`,
        `a{b,c}d{e,f}`,
        `{a,{b,c}}`,
        `{a}`,
        `{a,b`,
        `'{a,b}'`,
      ]);
    if (kind === 17) return this.expansion();
    return this.deep(
      () => this.substitution(),
      () => this.arg(),
    );
  }

  private expansion(): string {
    const name = this.r.pick([...NAMES, 'u']);
    const inner = () =>
      this.deep(
        () => this.substitution(),
        () => this.arg(),
      );
    const quote = this.r.chance(0.4) ? '"' : '';
    const forms = [
      () => `\${${name}:-${inner()}}`,
      () => `\${${name}-${inner()}}`,
      () => `\${${name}:=${inner()}}`,
      () => `\${${name}:+${inner()}}`,
      () => `\${${name}+${inner()}}`,
      () => `\${${name}%${inner()}}`,
      () => `\${${name}##${inner()}}`,
      () => `\${#${name}}`,
      () => `\${${name}}`,
      () => `\${${name}:-"${this.arg()} c"}`,
      () => `\${${name}:-a b}`,
      ...(this.bash
        ? [
            () => `\${${name}/a/${inner()}}`,
            () => `\${${name}:0:2}`,
            () => `\${${name}^^}`,
            () => `\${!${name}}`,
            () => `\${${name}[@]}`,
            () => `\${${name}@Q}`,
          ]
        : []),
    ];
    return `${quote}${this.r.pick(forms)()}${quote}`;
  }

  private substitution(): string {
    const quote = this.r.chance(0.4) ? '"' : '';
    const forms = [
      () => `$(${this.code()})`,
      () => `$(${this.code()})`,
      () => `$( ${this.code()} )`,
      () => `\`${this.plainLine()}\``,
      () => `\`echo \\\`${this.stub()} ${this.arg()}\\\`\``,
      () => `$((1+$(${this.simpleLine()}; echo 1)))`,
      () => `$(( (1+2)*3 ))`,
      () => `$(case x in x) ${this.simpleLine()};; esac)`,
      () => `$(echo ${this.arg()} # ) ${this.arg()}\n)`,
      () => `$(cat <<E\n${this.arg()}\nE\n)`,
      ...(this.bash ? [() => `$((${this.stub()} ${this.arg()}); ${this.stub()})`, () => `$[1+1]`] : []),
    ];
    if (this.bash && this.r.chance(0.12)) return this.r.pick([`<(${this.code()})`, `>(${this.code()})`]);
    return `${quote}${this.r.pick(forms)()}${quote}`;
  }

  /** A stub with plain arguments: what may stand in backticks. */
  private plainLine(): string {
    return `${this.stub()} ${this.arg()}${this.r.chance(0.3) ? `; ${this.stub()}` : ''}`;
  }
}

/** What the kinds of statements below are made of. */
interface Maker {
  readonly r: Random;
  list(): string;
  simple(): string;
  statement(): string;
  word(): string;
  value(): string;
  arg(): string;
  stub(): string;
  quoted(text: string): string;
  /** A list that brings its documents with it. */
  code(): string;
  newline(): string;
  document(body: string, quote: string): string;
  bash(): boolean;
}

type Kind = (m: Maker) => string;

/** `sh -c`, `eval`, a file, a pipe: text that is run. */
const RUNNERS: readonly Kind[] = [
  (m) => `sh -c ${m.quoted(m.code())}`,
  (m) => `sh -c ${m.quoted(`${m.stub()} "$1" $2`)} n ${m.word()} ${m.word()}`,
  (m) => `dash -ec ${m.quoted(m.code())}`,
  (m) => `eval ${m.quoted(m.code())}`,
  (m) => `eval "${m.stub()} ${m.arg()}" $x`,
  (m) => `eval $x ${m.arg()}`,
  (m) => `echo ${m.quoted(m.simple().replaceAll('\\', ''))} | sh`,
  (m) => `echo ${m.stub()} ${m.arg()} | sh`,
  (m) => `printf '%s\\n' ${m.quoted(`${m.stub()} ${m.arg()}`)} ${m.quoted(m.stub())} | sh`,
  (m) => `printf '${m.stub()} %s\\n' ${m.arg()} ${m.arg()} | sh -s`,
  (m) => `cat ${m.document(`${m.stub()} ${m.arg()}\n${m.stub()} $x`, m.r.pick(['', "'"]))} | sh`,
  (m) => `sh ${m.document(`${m.stub()} ${m.arg()} $x\n${m.stub()}`, m.r.pick(['', "'"]))}`,
  (m) => `echo ${m.quoted(`${m.stub()} ${m.arg()} "$1"`)} > o1; sh o1 ${m.word()}`,
  (m) => `echo ${m.quoted(`${m.stub()} ${m.arg()}`)} >> o2; . ./o2`,
  (m) => `{ echo ${m.stub()} ${m.arg()}; echo ${m.stub()}; } | sh`,
  () => 'w0 | sh',
  () => 'eval "$(w0)"',
  () => 'sh -c "$(w0)"',
  () => '$(w0)',
  (m) => `trap ${m.quoted(`${m.stub()} ${m.arg()}`)} EXIT`,
  (m) => `env ${m.r.pick(['', 'x=p1 ', '-u y ', 'A=b C=d '])}${m.stub()} ${m.word()}`,
  (m) => `env x=${m.stub()} sh -c '$x ${m.arg()}'`,
  (m) => `nice ${m.r.pick(['', '-n 3 ', '-3 ', '--adjustment=2 '])}${m.stub()} ${m.arg()}`,
  (m) => `nohup ${m.stub()} ${m.arg()}`,
  (m) => `timeout ${m.r.pick(['', '-k 1 ', '--preserve-status ', '-s KILL '])}5 ${m.stub()} ${m.arg()}`,
  (m) => `echo ${m.arg()} ${m.arg()} | xargs ${m.r.pick(['', '-n 1 ', '-I{} '])}${m.stub()} {} ${m.arg()}`,
  (m) => `echo ${m.stub()} | xargs -I% sh -c '% ${m.arg()}'`,
  (m) => `command ${m.stub()} ${m.word()}`,
  (m) => `(exec ${m.stub()} ${m.word()})`,
  (m) => `command eval '${m.stub()} ${m.arg()}'`,
  (m) => `tee o1 < /dev/null | ${m.stub()}`,
];

/** Options of the programs that start others: does the table know where the command begins? */
const OPTIONS: readonly Kind[] = [
  (m) =>
    `env ${m.r.pick(['-u y', '-uy', '--unset=y', '--unset y', '-C .', '--chdir=.', '-v', '-vu y', '--', '--uns y', '%=1', '='])} ${m.stub()} ${m.arg()}`,
  (m) => `env -S '${m.stub()} ${m.arg()}' ${m.arg()}`,
  (m) => `env -S"${m.stub()} ${m.arg()}"`,
  (m) =>
    `nice ${m.r.pick(['-n3', '-n 3', '--adjustment 2', '--adj=2', '-5', '--', '-n 1 --'])} ${m.stub()} ${m.arg()}`,
  (m) =>
    `timeout ${m.r.pick(['-k1', '--kill-after=1', '--kill-after 1', '-sKILL', '--foreground', '-v', '--pres', '-k 1 -s INT', '--'])} 5 ${m.stub()} ${m.arg()}`,
  (m) =>
    `echo ${m.arg()} ${m.arg()} ${m.arg()} | xargs ${m.r.pick(['-r', '-t', '-P 2', '-L 1', "-d ' '", '-n1', '-n 2', '-I X', '--max-args=1', '-i', '-s 1000', '-rn1', '-I{} -n1', '-E a1', '--'])} ${m.stub()} X {}`,
  (m) => `printf '${m.arg()}\\0${m.arg()}\\0' | xargs -0 ${m.stub()}`,
  (m) => `printf '%s\\n' ${m.arg()} '${m.arg()} b' | xargs -I{} ${m.stub()} {}x{}`,
  (m) => `echo '${m.arg()} "b c" d\\ e' | xargs ${m.stub()}`,
  (m) => `xargs ${m.stub()} ${m.arg()} < /dev/null`,
  (m) => `echo | xargs -r ${m.stub()}`,
  (m) =>
    `sh ${m.r.pick(['-e -c', '+e -c', '-o errexit -c', '-ec', '-c -e', '-c --', '-ce', '+o errexit -c', '-eo nounset -c', '-c +e'])} '${m.stub()} ${m.arg()}'`,
  (m) => `nohup env nice timeout 5 sh -c '${m.stub()} ${m.arg()}'`,
  (m) => `command -p ${m.stub()} ${m.arg()}`,
  (m) => `command -v ${m.stub()} ${m.stub()}`,
];

/** Code that reaches a shell by other ways: descriptors, files, folders. */
const WAYS: readonly Kind[] = [
  (m) => `exec 3>o1; echo ${m.stub()} ${m.arg()} >&3; exec 3>&-; sh o1`,
  (m) => `sh /dev/fd/3 3${m.document(`${m.stub()} ${m.arg()}`, "'")}`,
  (m) => `{ sh <&3; } 3${m.document(`${m.stub()} ${m.arg()}`, "'")}`,
  (m) => `(exec 0${m.document(`${m.stub()} ${m.arg()}`, "'")}; sh)`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1; cat o1 | sh`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1; sh < o1`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1; eval "$(cat o1)"`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1; $(cat o1)`,
  (m) =>
    `echo ${m.stub()} ${m.arg()} > o1; cd .; sh ${m.r.pick(['$PWD/o1', '"$PWD"/o1', './o1', './/o1', 'o1', '../*/o1'])}`,
  (m) => `echo ${m.stub()} ${m.arg()} | tee o1 | sh; sh o1`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1; echo ${m.stub()} ${m.arg()} > o1 | sh o1`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1 & wait; sh o1`,
  (m) => `echo ${m.quoted(`${m.stub()} $1 $2`)} > o1; . ./o1 ${m.arg()}`,
  (m) => `set -- ${m.arg()} ${m.arg()}; echo '${m.stub()} $1 $2' > o1; . ./o1`,
  (m) => `x=o1; echo ${m.stub()} ${m.arg()} > $x; sh $x`,
  (m) => `echo ${m.stub()} ${m.arg()} > "$(echo o1)"; sh o*`,
  (m) => `for f in o1 o2; do echo ${m.stub()} ${m.arg()} >> $f; done; sh o1`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1; ${m.stub()} && echo ${m.stub()} ${m.arg()} > o1; sh o1`,
  (m) => `{ echo ${m.stub()} ${m.arg()}; echo ${m.stub()} ${m.arg()}; } > o1; sh o1`,
  (m) => `cat ${m.document(`${m.stub()} ${m.arg()}`, '')} ${m.document(`${m.stub()} ${m.arg()}`, '')} | sh`,
  (m) => `echo '${m.stub()} ${m.arg()}' | { read l; $l; }`,
  (m) => `echo '${m.stub()} ${m.arg()}' | while read l; do $l; done`,
  (m) => `printf '${m.stub()}\\n${m.stub()} ${m.arg()}\\n' | { read l; sh; }`,
  (m) => `echo ${m.stub()} ${m.arg()} >&2 2>&1 | sh`,
  (m) => `echo ${m.stub()} ${m.arg()} 2>/dev/null | sh`,
  (m) => `echo ${m.stub()} ${m.arg()} > /dev/stdout | sh`,
  (m) => `echo ${m.stub()} ${m.arg()} > /dev/null | sh`,
  (m) => `echo -n ${m.stub()} | sh`,
  (m) => `echo '${m.stub()}\\t${m.arg()}\\n${m.stub()}' | sh`,
  (m) => `echo -e '${m.stub()} ${m.arg()}\\n${m.stub()}' | sh`,
  (m) =>
    `printf '${m.r.pick(['%s %s\\n', '%s\\n', '%b\\n', '%s %%\\n', '%5s\\n', '%c\\n', '%d\\n', '%s'])}' ${m.stub()} ${m.arg()} ${m.stub()} | sh`,
  (m) => `echo ${m.r.pick(['cDAgYTAK', 'cDEgYgpxMSBjCg=='])} | base64 -d | sh`,
  (m) => `echo a ${m.r.pick(['0p', '1q'])} | rev | sh`,
  (m) => `echo ${m.r.pick(['c0 n', 'd1 o'])} | tr 'a-z' 'n-za-m' | sh`,
  (m) => `echo ${m.stub()} ${m.arg()} | cat | cat - | sh -s x`,
  (m) => `trap f EXIT; f() { ${m.stub()} ${m.arg()}; }`,
  (m) => `(trap '${m.stub()} $x' EXIT; x=${m.stub()})`,
  (m) => `x=${m.stub()}; trap '$x ${m.arg()}' EXIT; x=${m.stub()}`,
  (m) => `PS4='$(${m.stub()} ${m.arg()})'; set -x; :`,
  (m) => `${m.stub()}() { ${m.stub()} "$@" ${m.arg()}; }; ${m.stub()} ${m.arg()}`,
  (m) => `p0() { command p0 "$@" ${m.arg()}; }; p0 ${m.arg()}; unset -f p0; p0 ${m.arg()}`,
  (m) => `f() { ${m.stub()} ${m.arg()}; }; sh -c 'f ${m.arg()}'; f() { ${m.stub()} ${m.arg()}; }; f`,
  (m) => `f() { x=${m.stub()}; }; x=${m.stub()}; f; $x ${m.arg()}; x=${m.stub()} f; $x ${m.arg()}`,
  (m) => `f() { [ $# -gt 1 ] && return; ${m.stub()} "$@"; f "$@" ${m.arg()}; }; f`,
  (m) => `f() { shift; ${m.stub()} "$@" $#; }; f ${m.word()} ${m.arg()} ${m.arg()}`,
  (m) => `x=$((1+1)); y=$((x=3)); ${m.stub()} $x $y`,
  (m) => `${m.stub()} ${m.arg()} &&\n\n${m.stub()} ||\n# c\n${m.stub()} |\n${m.stub()} ${m.arg()}`,
  (m) =>
    `${m.stub()} ${m.r.pick(['>&-', '2>&-', '<&-', '3>&1', '> $x', '> "$(echo o1)"', '>&$u'])} ${m.arg()}`,
  (m) => `x="a\n${m.stub()} b"; ${m.stub()} "$x" $x`,
  (m) => `eval 'x=${m.stub()}'; $x ${m.arg()}; eval eval '"$x"' ${m.arg()}`,
  (m) => `x='${m.stub()} ${m.arg()}; ${m.stub()} ${m.arg()}'; eval "$x"; sh -c "$x"; $x`,
  (m) => `x=\\$y; y=${m.stub()}; eval $x ${m.arg()}`,
  (m) => `if ${m.stub()}; then set -- ${m.stub()}; else set -- ${m.stub()} ${m.arg()}; fi; "$@"`,
  (m) => `while ${m.stub()}; do x=${m.stub()}; break; done; $x ${m.arg()}`,
  (m) => `case $x in p*) y=${m.stub()};; *) y=${m.stub()};; esac; $y ${m.arg()}`,
  (m) => `\${x:+${m.stub()}} ${m.arg()} \${z:+c} \${u:+d}`,
  (m) => `x=~ y=~/b z=a:~; ${m.stub()} $x $y $z ~/c "~" a~ x=~`,
  (m) => `${m.stub()} a\\"b "c\\"d" "e\\\\f" 'g\\h' i\\\\j "\\$x" "\\q" \\$x "\`echo k\`"`,
  (m) => `${m.stub()} "$(echo "a  b")" $(echo "a  b") "$(printf 'a\\n\\n')"`,
  (m) => `${m.stub()} $(echo ${m.arg()};  echo ${m.arg()}) "$(${m.stub()})$(echo ${m.arg()})"`,
];

/** Commands that may be skipped: by a jump, or by an error that ends the line. */
const SKIPPED: readonly Kind[] = [
  (m) => `while :; do x=${m.stub()}; break; x=${m.stub()}; done; $x ${m.arg()}`,
  (m) => `for i in 1 2; do x=${m.stub()}; ${m.stub()} && continue; x=${m.stub()}; done; $x ${m.arg()}`,
  (m) =>
    `for i in 1; do for j in 1; do x=${m.stub()}; ${m.stub()} || break 2; x=${m.stub()}; done; x=${m.stub()}; done; $x ${m.arg()}`,
  (m) =>
    `f() { x=${m.stub()}; ${m.stub()} && return; x=${m.stub()}; }; f; $x ${m.arg()}; x=${m.stub()}; $x ${m.arg()}`,
  (m) => `f() { set -- ${m.stub()}; return; }; set -- ${m.stub()}; f; $1 ${m.arg()}`,
  (m) =>
    `x=${m.stub()}; ${m.r.pick([': $((1/0))', ': $((1+))', ': $((1 2))', 'readonly r=1; r=2', ': $((1+$u))', ': $((08))', ': $((x+1))', ': $((5%0))', ': $((1=2))', ': $((3+4))', ': $((u+1))'])}; x=${m.stub()}${m.newline()}$x ${m.arg()}`,
  (m) =>
    `x=${m.stub()}; ${m.r.pick(['cd /nosuch', '. ./nosuch', 'nosuch', 'exit', 'false', 'unset', 'shift 9', 'set -e; false'])}; x=${m.stub()}${m.newline()}$x ${m.arg()}`,
  (m) =>
    `(x=${m.stub()}; exit; x=${m.stub()}); x=${m.stub()}; ${m.stub()} && exit${m.newline()}$x ${m.arg()}`,
  (m) => `trap 'x=${m.stub()}' ${m.r.pick(['EXIT', 'USR1', 'DEBUG', 'ERR'])}; ${m.stub()}; $x ${m.arg()}`,
  (m) => `x=${m.stub()}; . ./nosuch; $x ${m.arg()}`,
  (m) => `x=${m.stub()}; x=${m.stub()} < nosuch; $x ${m.arg()}`,
  (m) =>
    `x=${m.stub()}; { x=${m.stub()}; } < nosuch; $x ${m.arg()}; eval x=${m.stub()} < nosuch; $x ${m.arg()}`,
  (m) =>
    `x=${m.stub()}; export x=${m.stub()} > /nosuch/x; $x ${m.arg()}; f() { x=${m.stub()}; }; f < nosuch; $x ${m.arg()}`,
  (m) => `{ echo 'cat <<E' < nosuch; echo ${m.stub()} ${m.arg()}; echo E; } | sh`,
  (m) => `{ echo ${m.stub()} ${m.arg()} >&2; } 2>&1 | sh`,
  (m) => `export 'a; ${m.stub()} b' 2>&1 | sh`,
  (m) => `PATH=/nosuch:$PATH; echo ${m.stub()} ${m.arg()} | cat | sh; /nosuch/echo ${m.stub()} | sh`,
  (m) => `if ${m.stub()}; then echo ${m.stub()} ${m.arg()}; else echo ${m.stub()} ${m.arg()}; fi | sh`,
  (m) => `for i in 1 2; do echo "${m.stub()} $i"; done | sh`,
  (m) => `{ ${m.stub()} && echo "cat <<'E'"; echo ${m.stub()} ${m.arg()}; echo E; } | sh`,
  (m) => `f() { echo ${m.stub()} ${m.arg()}; return; echo ${m.stub()}; }; f | sh; $(f)`,
];

const KINDS: readonly Kind[] = [
  (m) => `${m.simple()} | ${m.simple()}`,
  (m) => `${m.statement()} && ${m.simple()}`,
  (m) => `${m.simple()} || ${m.simple()}`,
  (m) => `${m.simple()} && ${m.simple()} || ${m.simple()}`,
  (m) => `! ${m.simple()}`,
  (m) => `(${m.list()})`,
  (m) => `( ${m.list()} ) > o1`,
  (m) => `{ ${m.list().replace(/&$/, '& ')}; }`.replace(/& ; \}/, '& }').replace(/\n; \}/, '\n}'),
  (m) => `if ${m.simple()}; then ${m.simple()}; else ${m.simple()}; fi`,
  (m) =>
    `if ${m.simple()}\nthen ${m.simple()}\nelif ${m.simple()}; then ${m.simple()}; fi`.replaceAll(
      '\n',
      m.newline(),
    ),
  (m) => `while ${m.simple()}; do ${m.simple()}; break; done`,
  (m) => `until ${m.simple()}; do ${m.simple()}; break; done`,
  (m) => `for x in ${m.word()} ${m.word()}; do ${m.simple()}; done`,
  (m) => `for x in ${m.stub()} ${m.stub()}; do $x ${m.arg()}; done`,
  (m) => `for y in 1 2; do x=$x$y; ${m.stub()} $x; done`,
  (m) => `case ${m.word()} in a*|${m.word()}) ${m.simple()};; (*) ${m.simple()};; esac`,
  (m) => `${m.r.pick(FUNCTIONS)}() { ${m.simple()}; }`,
  (m) => `${m.r.pick(FUNCTIONS)} () (${m.simple()})`,
  (m) => `${m.r.pick(FUNCTIONS)} ${m.word()} ${m.word()}`,
  (m) => `${m.r.pick(FUNCTIONS)}() { ${m.stub()} "$@"; }; ${m.r.pick(FUNCTIONS)} ${m.word()}`,
  (m) => `f() { local x=${m.stub()}; $x ${m.arg()}; }; f; $x ${m.arg()}`,
  (m) => `x=${m.stub()}; ${m.simple()} && x=${m.stub()}; $x ${m.arg()}`,
  (m) => `x=${m.stub()}; (x=${m.stub()}); $x ${m.arg()}`,
  (m) => `if ${m.simple()}; then x=${m.stub()}; fi; $x ${m.arg()}`,
  (m) => `set -- ${m.stub()} ${m.arg()} ${m.word()}; "$@"; shift; ${m.stub()} "$@"`,
  (m) => `IFS=${m.r.pick([':', '2', 'p', "''"])}; x=${m.stub()}:${m.arg()}; $x`,
  (m) => `read x ${m.document(`${m.stub()} ${m.arg()}`, '')}; $x`,
  (m) => `read x y ${m.document(` ${m.stub()}  ${m.arg()} ${m.stub()} `, '')}; $x $y; ${m.stub()} "$y"`,
  (m) =>
    `IFS=${m.r.pick([':', ',', "' :'", "''", '2'])} read ${m.r.pick(['', '-r '])}x y ${m.document(`${m.stub()}:${m.arg()}: ${m.stub()},p1`, "'")}; $x "$y"; ${m.stub()} "$x" $y`,
  (m) => `read x ${m.document(`${m.stub()} a\\\\ b\\\n${m.arg()}`, "'")}; $x`,
  (m) =>
    `IFS=${m.r.pick([':', '/', "' '"])}; set -- a:b ${m.stub()}:c; $2; ${m.stub()} "$*" $*; unset IFS; $2`,
  (m) => `f() { IFS=:; x=${m.stub()}:${m.arg()}; $x; }; f; y=${m.stub()}:a; $y`,
  (m) => `alias al='${m.stub()} ${m.arg()}'${m.newline()}al ${m.arg()}`,
  (m) => `readonly ro=${m.stub()}; ro=${m.stub()}; $ro ${m.arg()}`,
  (m) => `unset x; \${x-${m.stub()}} ${m.arg()}`,
  (m) => `export y=${m.stub()}; sh -c '$y ${m.arg()}'`,
  (m) => `y=${m.stub()}; sh -c '$y ${m.stub()} ${m.arg()}'`,
  (m) => `x=${m.value()} ${m.r.pick(FUNCTIONS)}; $x ${m.arg()}`,
  (m) => `${m.stub()} ${m.arg()} &`,
  (m) => `: \${x:=${m.stub()}}; $x ${m.arg()}`,
  (m) => `x=1; while [ $x -lt 3 ]; do x=$((x+1)); ${m.stub()} $x; done`,
  (m) => `cat ${m.document(`${m.stub()} ${m.arg()}`, "'")} > o1; sh ./o1`,
  ...RUNNERS,
  ...OPTIONS,
  ...WAYS,
  ...SKIPPED,
];

/** What ends the line, or does not. */
const BASH_FAILURES = [
  `: \${u:?}`,
  `: \${x@Z}`,
  `: \${!u}`,
  'UID=5',
  `: \${x:0:-9}`,
  'a[-9]=1',
  `: \${a[-9]}`,
  'declare -r s=1; s=2',
  '((1/0))',
  ': $[1/0]',
  'POSIXLY_CORRECT=1',
  `: \${x:1/0}`,
  'a[1/0]=1',
  'let 1/0',
  '[[ 1/0 -eq 1 ]]',
];

const BASH_KINDS: readonly Kind[] = [
  ...KINDS,
  ...KINDS,
  (m) => `bash -c ${m.quoted(m.code())}`,
  (m) => `[[ ${m.word()} == ${m.word()} ]] && ${m.simple()}`,
  (m) => `[[ -n $x && ( a < b || ! -f $(${m.stub()} ${m.arg()}) ) ]] || ${m.simple()}`,
  (m) => `[[ a =~ ^(a|b)$ ]]; ${m.simple()}`,
  (m) => `((1+1)) && ${m.simple()}`,
  (m) => `((${m.stub()} ${m.arg()}); ${m.stub()} ${m.arg()})`,
  (m) => `for ((i=0; i<2; i++)); do ${m.simple()}; done`,
  (m) => `function f { ${m.simple()}; }; f ${m.word()}`,
  (m) => `function g() { ${m.simple()}; } > o1; g`,
  (m) => `time ${m.simple()}`,
  (m) => `time -p { ${m.simple()}; }`,
  (m) => `${m.simple()} |& ${m.simple()}`,
  (m) => `select x in ${m.word()} b; do ${m.simple()}; break; done </dev/null`,
  (m) => `case a in a) ${m.simple()};& b) ${m.simple()};; esac`,
  (m) => `case a in a) x=${m.stub()};;& *) $x ${m.arg()};; esac`,
  (m) => `sh <<< ${m.quoted(`${m.stub()} ${m.arg()}`)}`,
  (m) => `x=(${m.stub()} ${m.arg()} ${m.word()}); "\${x[@]}"`,
  (m) => `. <(echo ${m.stub()} ${m.arg()})`,
  (m) => `bash <(echo ${m.stub()} ${m.arg()})`,
  (m) => `echo ${m.stub()} ${m.arg()} > >(sh)`,
  (m) => `x='a[$(${m.stub()} ${m.arg()})]'; echo $((x))`,
  (m) => `declare -i x; x='a[$(${m.stub()} ${m.arg()})]'`,
  (m) => `x=${m.stub()}; x+=' ${m.arg()}'; $x`,
  (m) => `declare -n x=y; y=${m.stub()}; $x ${m.arg()}`,
  (m) => `coproc ${m.stub()} ${m.arg()}`,
  (m) => `coproc N { ${m.simple()}; }`,
  (m) => `PS4='$(${m.stub()} ${m.arg()})'; set -x; :`,
  (m) => `{ ${m.stub()} ${m.arg()}; } 2>&1 | cat`,
  (m) => `mapfile -C '${m.stub()} ${m.arg()}' -c 1 z <<< a`,
  (m) => `x=${m.stub()} bash -c '$x ${m.arg()}'`,
  (m) => `f() { ${m.stub()} "$@"; }; export -f f; bash -c 'f ${m.arg()}'`,
  (m) => `builtin eval '${m.stub()} ${m.arg()}'`,
  (m) => `x=${m.stub()}; \${x/${m.r.pick(['p', 'q'])}/p} ${m.arg()}`,
  (m) => `x=x${m.stub()}; \${x:1} ${m.arg()}`,
  (m) => `x=${m.stub()}zz; \${x%zz} ${m.arg()}`,
  (m) => `x=P1; \${x,,} ${m.arg()}`,
  (m) => `y=x; x=${m.stub()}; \${!y} ${m.arg()}`,
  (m) => `printf -v x '%s' ${m.stub()}; $x ${m.arg()}`,
  (m) =>
    `printf -v x '${m.r.pick(['%s %s', '%s', '%b', '%q', '%5s', '%-6s', '%.2s', '%s%%', '%d', '\\\\x70%s', '%s\\\\n%s'])}' ${m.stub()} ${m.arg()} ${m.stub()}; $x; ${m.stub()} "$x"`,
  (m) =>
    `IFS=${m.r.pick([',', ':', '-', "''"])} read -ra x <<< "${m.stub()},${m.arg()}:${m.stub()},,b"; \${x[0]} "\${x[@]:1}"; ${m.stub()} \${#x[@]}`,
  (m) =>
    `mapfile ${m.r.pick(['', '-t ', '-t -n 1 ', '-ts 1 '])}x <<< $'${m.stub()} a\\n${m.stub()}\\n${m.stub()} b'; \${x[0]}; \${x[1]}; "\${x[2]}"`,
  (m) =>
    `f() { local x=(${m.stub()} "a b" ${m.arg()}); "\${x[@]}"; \${x[0]} \${x[*]:1}; }; f; ${m.stub()} "\${x[@]}"`,
  (m) =>
    `set -- a ${m.stub()} "b c" ${m.stub()}; "\${@:2}"; \${@:2:1} x; "\${@: -1}"; ${m.stub()} "\${*:2:2}"`,
  (m) => `echo '${m.stub()} ${m.arg()}' > o1; $(<o1); ${m.stub()} "$(< o1)"; read -r x < o1; $x`,
  (m) =>
    `${m.stub()} {a..c} {3..1} {01..03} {a,b}{c,d} x{,y} {a,b\\,c} {"a b",c} a{b}c {a,b}} {{a,b},c} {a..e..2} {-1..1}`,
  (m) => `p{0,1} ${m.arg()}; {${m.stub()},${m.stub()}} {$x,b} "{a,b}" {a,$(echo b c)}`,
  (m) => `${m.stub()} $'a\\tb' $'c\\'d' $'\\x41\\101\\u0042' "$'e'" $'f\\0g'h $"i"`,
  (m) => `echo ${m.stub()} ${m.arg()} > o1; BASH_ENV=./o1 bash -c :`,
  (m) =>
    `bash ${m.r.pick(['-O extglob -c', '--norc -c', '--noprofile --norc -ec', '+O extglob -c', '-o pipefail -c', '--posix -c'])} '${m.stub()} ${m.arg()}'`,
  (m) => `x=(a b); x[$(${m.stub()} ${m.arg()})]=1`,
  (m) => `x=abc; ${m.stub()} \${x:$(${m.stub()} ${m.arg()}; echo 1)} \${x:1:1} \${x: -1} \${x:(-2)}`,
  (m) => `x=(${m.stub()} "b c" d); \${x[0]} "\${x[@]:1}" "\${x[*]}" \${#x[@]} "\${x[1]}"`,
  (m) => `declare -A h; h[k]=${m.stub()}; \${h[k]} ${m.arg()}`,
  (m) =>
    `f() { local -x x=${m.stub()}; bash -c '$x ${m.arg()}'; }; f; declare -r r=${m.stub()}; $r ${m.arg()}`,
  (m) => `shopt -s lastpipe; echo ${m.stub()} | read x; $x ${m.arg()}`,
  (m) => `echo ${m.stub()} ${m.arg()} |& sh; { echo ${m.stub()} >&2; } |& sh`,
  (m) => `x='$(${m.stub()} ${m.arg()})'; ${m.stub()} "\${x@P}"`,
  (m) =>
    `test -v 'x[$(${m.stub()} ${m.arg()})]'; [[ -v x[$(${m.stub()} ${m.arg()})] ]]; unset 'x[$(${m.stub()} ${m.arg()})]'`,
  (m) =>
    `read 'x[$(${m.stub()} ${m.arg()})]' <<< a; printf -v 'y[$(${m.stub()} ${m.arg()})]' b; let 'z=a[$(${m.stub()} ${m.arg()})]'`,
  (m) => `[[ 'a[$(${m.stub()} ${m.arg()})]' -eq 1 ]]; x='a[$(${m.stub()} ${m.arg()})]'; [[ $x -lt x ]]`,
  (m) => `x=${m.stub()}; ${m.r.pick(BASH_FAILURES)}; x=${m.stub()}${m.newline()}$x ${m.arg()}`,
  (m) => `env 'BASH_FUNC_p0%%=() { ${m.stub()} ${m.arg()}; }' bash -c 'p0 ${m.arg()}'`,
  (m) => `env SHELLOPTS=xtrace PS4='$(${m.stub()} ${m.arg()})' bash -c :`,
  (m) => `hash -p /bin/${m.stub()} al; al ${m.arg()}`,
  (m) => `command_not_found_handle() { ${m.stub()} "$@"; }; nosuch ${m.arg()}`,
  (m) =>
    `x=${m.stub()}; y=x; declare "$y=${m.stub()}"; $x ${m.arg()}; export "$y"=${m.stub()}; $x ${m.arg()}`,
];
