/** Calls in code of other languages are told from text that looks like one; what is doubtful counts as a call. */
import { describe, expect, it } from 'vitest';
import { callsIn } from './calls.ts';

const CALL = `system("make x")`;
const PYTHON = `os.${CALL}`;
const NODE = `execSync("make x")`;

describe('a call that code only speaks of', () => {
  it.each([
    ['python', `"""${PYTHON}"""\nprint(1)`],
    ['python', `print('${PYTHON}')`],
    ['python', `assert 'a' != '${PYTHON}'`],
    ['python', `p = Path('x.md'); p.write_text(p.read_text().replace('${PYTHON}', ''))`],
    ['javascript', `/* ${NODE} */ console.log(1)`],
    ['javascript', `console.log('${NODE}')`],
    ['javascript', `console.log(\`${NODE}\`)`],
    ['perl', 's/`make x`/`trash`/g'],
    ['perl', 'print "never `make x`"'],
    ['ruby', 'puts "never `make x`"'],
    ['php', `echo '${CALL}';`],
  ])('is none: %s %s', (language, code) => {
    expect(callsIn(language, code, false)).toEqual([]);
  });

  it.each([
    ['python', `exec('${PYTHON}')`],
    ['python', `exec(str.format('${PYTHON}'))`],
    ['python', `exec(\n"""\n${PYTHON}\n"""\n)`],
    ['python', `f(\n"""\n${PYTHON}\n"""\n)`],
    ['python', `print(f'{${PYTHON}}')`],
    ['python', `"a"; ${PYTHON}; "b"`],
    ['python', `Path('x.py').write_text('a'.replace('a', '${PYTHON}'))`],
    ['python', `print('${PYTHON}', file=f)`],
    ['javascript', `console.log(\`\${${NODE}}\`)`],
    ['javascript', `x = /"/; ${NODE}; y = /"/`],
    ['javascript', `<!-- '\n${NODE} // '`],
    ['javascript', `log = eval; log('${NODE}')`],
    ['javascript', 'log$`make x`; $`make x`'],
    ['perl', 's/x/`make x`/e'],
    ['perl', 'print "@{[`make x`]}"'],
    ['perl', `$a = $'; ${CALL}; $b = $'`],
    ['perl', `s/'//; system('make x'); s/'//`],
    ['ruby', 'puts "#{`make x`}"'],
    ['ruby', `a = ?'; ${CALL}; b = ?'`],
    ['php', `// ?> <?php ${CALL}`],
    ['php', `#[A('a')] ${CALL};`],
  ])('is one, if it may run: %s %s', (language, code) => {
    expect(callsIn(language, code, false)).not.toEqual([]);
  });

  it('is one if what is printed goes to another program or a file', () => {
    expect(callsIn('python', `print('${PYTHON}')`, true)).not.toEqual([]);
    expect(callsIn('python', `"""${PYTHON}"""\nprint(1)`, true)).toEqual([]);
  });
});
