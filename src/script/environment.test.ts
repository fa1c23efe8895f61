import { describe, expect, it } from 'vitest';
import { Builtin, Live, Module, StarObject, type Value } from '../starlark/index.ts';
import { UNIVERSE } from '../starlark/lib/universe.ts';
import { BUILTIN_DOCS, staleDocs } from './builtin-docs.ts';
import { CONDITION_ENVIRONMENT, HOOK_BUILTINS } from './environment.ts';

/** Everything a script can get hold of by names and dots alone, as dotted paths. */
function reachable(environment: ReadonlyMap<string, Value>): string[] {
  const found: string[] = [];
  const walk = (path: string, value: Value, depth: number) => {
    found.push(path);
    if (depth > 3 || !(value instanceof StarObject)) return;
    for (const name of value.attrNames()) {
      const member = value.attr(name);
      if (member !== undefined) walk(`${path}.${name}`, member, depth + 1);
    }
  };
  for (const [name, value] of environment) walk(name, value, 0);
  return found.sort();
}

/** The closed list. A name more is a decision to be taken here, in the open. */
const TOP =
  `actor allow annotate ask assert base64 block budget cache caller ctx data delegate emit events flow hash http json log math meta metrics modify os path permit policy random rate re remind secrets shell state string struct time url uuid validate`.split(
    /\s+/,
  );
const MEMBERS =
  `base64.decode base64.encode budget.spend cache.clear cache.delete cache.get cache.has cache.set ctx.clear ctx.delete ctx.get ctx.has ctx.set ctx.snapshot events.emit flow.endorse flow.labels flow.of hash.sha256 http.get http.post json.decode json.encode json.encode_indent json.indent log.error log.info log.warn meta.call_tool metrics.get metrics.incr metrics.reset metrics.set metrics.snapshot os.cwd os.hostname os.leaves_workspace os.platform os.real_path path.is_disk path.match path.normal path.within policy.hooks policy.tools rate.limit re.findall re.fullmatch re.match re.replace re.search re.split secrets.find secrets.redact shell.parse state.get state.incr state.once state.set string.join string.lower
  string.pad_left string.pad_right string.reveal string.split string.trim string.truncate string.upper time.from_timestamp
  time.hour time.is_valid_timezone time.microsecond time.millisecond time.minute time.nanosecond time.now
  time.parse_duration time.parse_time time.second time.time url.encode url.parse uuid.v4
  validate.email validate.json validate.url`.split(/\s+/);

describe('[C058] [C067] what a hook can reach', () => {
  it('is a closed list of names, none of which runs commands or touches files', () => {
    const paths = reachable(HOOK_BUILTINS).filter((path) => !/^math\.|^time\.\w+\.\w+/.test(path));
    expect(paths).toEqual([...TOP, ...MEMBERS].sort());
    for (const path of paths)
      expect(path).not.toMatch(/\b(exec|fs|file|open|write|env|process|require|import)\b/);
  });

  it('beside the names of the language', () => {
    expect([...UNIVERSE.keys()].sort().join(' ')).toBe(
      'False None True abs all any bool bytes chr dict dir enumerate fail float getattr hasattr hash int len list max min ord print range repr reversed set sorted str tuple type zip',
    );
  });

  it('[C039] in a condition is only what has no effect and reads nothing outside', () => {
    expect([...CONDITION_ENVIRONMENT.keys()]).toEqual(
      'json re string shell path secrets actor caller data'.split(' '),
    );
    for (const module of CONDITION_ENVIRONMENT.values()) {
      // What the event and the policy are, and stay for as long as it is decided.
      if (module instanceof Live) continue;
      if (!(module instanceof Module)) throw new Error('a condition is given modules only');
      for (const member of module.globals.values()) {
        expect(member).toBeInstanceOf(Builtin);
        expect(member).toMatchObject({ pure: true, async: false });
      }
    }
  });

  it('marks everything that reaches beyond the script as impure', () => {
    const impure =
      `annotate budget cache ctx emit events flow http log meta metrics os policy random rate remind state uuid`.split(
        ' ',
      );
    for (const [name, value] of HOOK_BUILTINS) {
      const members = value instanceof Module ? [...value.globals.values()] : [value];
      for (const member of members) {
        if (member instanceof Builtin && name !== 'time')
          expect(member.pure, member.name).toBe(!impure.includes(name));
      }
    }
  });

  it('is documented name by name, with the signature the built-in has', () => {
    expect(BUILTIN_DOCS.filter((doc) => doc.doc === '').map((doc) => doc.name)).toEqual([]);
    expect(staleDocs()).toEqual([]);
    expect(BUILTIN_DOCS.find((doc) => doc.name === 'metrics.incr')?.signature).toBe(
      'metrics.incr(name, by=1)',
    );
  });
});
