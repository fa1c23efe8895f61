/**
 * What the JavaScript back end writes names nothing but its own; generated-code.slow.test.ts looks at far more of it.
 */
import { describe, expect, it } from 'vitest';
import { SourceFile } from '../../src/exports/starlark.ts';
import { generatedCode } from '../../src/starlark/compile/program.ts';
import { corpusFiles, readChunks } from './chunks.ts';
import { check, environment, later, offences } from './generated-lint.ts';
import { generateProgram } from './program-generator.ts';
import { Random } from './random.ts';

/** Every so many chunks of the corpus. */
const STRIDE = 12;

describe('generated JavaScript', () => {
  it('of a part of the corpus names nothing but its own', () => {
    const chunks = corpusFiles().flatMap(readChunks);
    for (const { text, dialect } of chunks.filter((_, i) => i % STRIDE === 0)) check(text, dialect);
  });

  it('of random programs names nothing but its own', () => {
    for (let seed = 0; seed < 2; seed++) check(generateProgram(new Random(seed)).text, { while: true });
    check(`r = fetch(1)\n${generateProgram(new Random(100)).text}`, { while: true }, later);
  });

  it('of hostile names and texts holds none of them', () => {
    const names = [
      'process',
      'require',
      'globalThis',
      'constructor',
      '__proto__',
      'eval',
      'Function',
      'import_meta',
    ];
    const texts = ['\x24{process.exit()}', '");process.exit();("', '`', '*/', '\u2028'];
    for (const name of names) {
      const source = `${name} = {"${name}": 1}\ndef f_(${name}, **k): return ${name}.${name}\nf = f_(struct(${name} = 1), ${name}_ = 1)\n`;
      const text = generatedCode(new SourceFile('test.star', source), { environment });
      expect(text).not.toMatch(new RegExp(`\\b${name}\\b`));
      check(source, {});
    }
    for (const text of texts) {
      const source = `x = ${JSON.stringify(text)}\ny = b${JSON.stringify(text)}\nz = {x: ${JSON.stringify(text)}}\n`;
      expect(generatedCode(new SourceFile('test.star', source), { environment })).not.toContain(text);
    }
  });

  it('is caught by this test when it is not so', () => {
    expect(offences('return process.exit()')).toEqual(['name process', 'property exit']);
    expect(offences('return K[0].constructor')).toEqual(['property constructor']);
    expect(offences('return `x`')).toEqual(['node TemplateLiteral', 'node TemplateElement']);
    expect(offences('return "text"')).toEqual(['string "text"']);
    expect(offences('return new K[0]()')).toEqual(['new']);
    expect(offences('return v1_0')).toEqual(['undeclared v1_0']);
  });
});
