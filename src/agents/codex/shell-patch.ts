/**
 * A patch inside a command line. Codex gives its shell a program `apply_patch` and carries out such a command itself, as an
 * edit of files; its hooks see a command. It is judged as the command and as each file it touches.
 */
import { type JsonObject, sameJson } from '../../base/index.ts';
import { parsePatch } from '../apply-patch.ts';
import { isNotACall, type NotACall, type ToolForm } from '../tool-forms.ts';
import type { CanonicalCall } from '../tools.ts';

/** Where a command may begin: at the start, after an operator, in a quoted command line. */
const PROGRAM = /(?:^|[;&|(\n"'`])\s*(apply_?patch)(?=[\s<'"]|$)/;
/** A hook for `Bash` is about commands: it does not judge the files of a patch as if they were commands. */
const OWN_NAME = 'apply_patch';
const BEGIN = '*** Begin Patch';
const PATCH = /\*\*\* Begin Patch[\s\S]*?\n\*\*\* End Patch/;
/** Paths in the patch are below this folder. */
const INTO_FOLDER = /^cd\s+(?:'([^']*)'|"([^"$`\\]*)"|([^\s'"$`\\;&|<>(){}*?[\]~#!]+))\s*&&\s*$/;

export function withPatches(form: ToolForm): ToolForm {
  return {
    split(input) {
      const calls = form.split(input);
      if (isNotACall(calls)) return calls;
      const files = patchIn(calls[0]?.args);
      return isNotACall(files) ? files : [...calls, ...files];
    },
    join(input, after) {
      const [command, ...files] = after;
      const before = form.split(input);
      if (command === undefined || isNotACall(before)) return null;
      const patched = patchIn(before[0]?.args);
      // A file cannot be put back into the text of a patch.
      if (
        isNotACall(patched) ||
        !sameJson(
          files,
          patched.map(({ args }) => args),
        )
      )
        return null;
      return form.join(input, [command]);
    },
  };
}

/** The files that a command patches; none for other commands. A folder that the call names comes before their paths. */
function patchIn({ command, cwd = '' }: JsonObject = {}): readonly CanonicalCall[] | NotACall {
  if (typeof command !== 'string') return [];
  const program = PROGRAM.exec(command);
  if (program === null) return [];
  const found = PATCH.exec(command);
  if (found === null) return { problem: 'want the patch that apply_patch is given in the command itself' };
  const [patch] = found;
  const rest = command.slice(found.index + patch.length);
  if (PROGRAM.test(rest) || rest.includes(BEGIN)) return { problem: 'want one patch in a command, got more' };
  const lead = command.slice(0, program.index + program[0].length - program[1]!.length).trim();
  const folder = folderIn(lead);
  if (folder === null)
    return { problem: 'want apply_patch to be the whole command, or to follow a `cd` alone' };
  const calls = parsePatch(patch);
  const base = pathBelow(String(cwd), folder);
  if (isNotACall(calls)) return calls;
  return calls.map(({ name, args }) => ({
    name,
    own: OWN_NAME,
    args: {
      ...args,
      path: pathBelow(base, args.path),
      ...('to' in args ? { to: pathBelow(base, args.to) } : {}),
    },
  }));
}

function folderIn(lead: string): string | null {
  if (lead === '') return '';
  const match = INTO_FOLDER.exec(lead);
  return match === null ? null : (match[1] ?? match[2] ?? match[3] ?? null);
}

function pathBelow(folder: string, path: unknown): string {
  const text = String(path);
  if (folder === '' || text.startsWith('/')) return text;
  return text === '' ? folder : `${folder.replace(/\/+$/, '')}/${text}`;
}
