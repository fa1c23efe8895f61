/** What commands share: arguments, output, tables, the keyboard. */
export { actorOption } from './actor.ts';
export { approveAtKeyboard, CALL_CHOICES } from './approve-at-keyboard.ts';
export { type Arguments, type CommandSpec, type OptionSpec, type Run, UsageError } from './command.ts';
export { hookRows, remarkText } from './decision-rows.ts';
export { printStory } from './explain.ts';
export { callText, cut, Flow, harmless, thousands, wrap } from './fit.ts';
export { canonicalEvent, hookData, inOrderOfLife, printHooks, shownName } from './hooks.ts';
export { isJsonText, readLines, readText } from './input.ts';
export { Keyboard } from './keyboard.ts';
export { HELP, parseArguments, quote, wholeNumber } from './options.ts';
export { ACTION_STYLES, noteFailOpen, outcomeData, printOutcome } from './outcome.ts';
export { type Output, openOutput, type Style } from './output.ts';
export { demandNoAgent, demandPerson, isPersonHere } from './person.ts';
export { githubLine, PROBLEM_FORMATS, type ProblemFormat, sarifOf } from './problem-formats.ts';
export { countOf, onOneLine, renderProblem } from './problems.ts';
export {
  isInHarnessFile,
  missingPolicyOf,
  noteMissing,
  notePolicyDoubts,
  openPolicyAt,
} from './project-dir.ts';
export { readHistory, writeHistory } from './prompt-history.ts';
export { layOut, MARGIN, type Row, type View } from './row.ts';
export { Screen, streamTerminal } from './screen.ts';
export { timeOf } from './since.ts';
export { alignColumns, type Cell } from './table.ts';
export {
  atTerminal,
  canTrust,
  describeTrust,
  noteUntrusted,
  openTrusted,
  saveTrust,
  TRUST_OPTION,
  type TrustOptions,
  trustWritten,
} from './trusting.ts';
export { unifiedDiff } from './unified-diff.ts';
export { watchPolicy } from './watch.ts';
export { fitInto, widthOf } from './width.ts';
export { askForWord } from './word.ts';
