/**
 * Walks the tree in the order in which a shell would run it, with a state that knows what was set before. Every branch is
 * taken; what only may have run leaves its values beside those that were there.
 */

import { MOST_ALTERNATIVES } from '../bounds.ts';
import { checkValue, evaluateArithmetic, mayStopLine } from '../known/arithmetic.ts';
import { expandValue, expandWords } from '../known/expand.ts';
import { type Alt, anyOf, type Field, number, unknown, type Value } from '../known/values.ts';
import type {
  AndOr,
  Case,
  CompoundNode,
  For,
  FunctionDefinition,
  If,
  List,
  Node,
  Pipeline,
  Test,
} from '../syntax/tree.ts';
import { expandRedirects, inputFrom, mayFail, writeOutputs, writesOutput } from './redirects.ts';
import {
  concatPrinted,
  type Frame,
  INHERITED,
  type Input,
  maybePrinted,
  type Printed,
  type Result,
  type Run,
  SILENT,
  UNKNOWN,
  WORKED,
} from './run.ts';
import { emitRedirects, runSimple } from './simple.ts';
import { join, type State, variable } from './state.ts';

export function walk(run: Run, node: Node, state: State, frame: Frame): Result {
  switch (node.kind) {
    case 'simple':
      return runSimple(run, node, state, frame);
    case 'list':
      return walkList(run, node, state, frame);
    case 'pipeline':
      return walkPipeline(run, node, state, frame);
    case 'and-or':
      return walkAndOr(run, node, state, frame);
    case 'function':
      return define(run, node, state, frame);
    case 'coproc': {
      run.parallel = true;
      const input: Input = { ...INHERITED, kind: 'pipe' };
      if (run.step(node.start)) walk(run, node.body, state.fork(), { ...frame, background: true, input });
      state.set(node.name, variable(number(`\${${node.name}}`)));
      return WORKED;
    }
    default:
      return run.step(node.start) ? walkRedirected(run, node, state, frame) : UNKNOWN;
  }
}

function ended({ text, sure }: Printed, status: Result['status']): Result {
  return { text, sure, status };
}

/** Commands that read the same input one after the other. */
function sharing(frame: Frame): Frame {
  if (frame.input.kind === 'inherited' || frame.input.shared) return frame;
  return { ...frame, input: { ...frame.input, shared: true } };
}

function walkList(run: Run, { items, background }: List, state: State, frame: Frame): Result {
  if (items.length === 1 && background[0] === false) return walk(run, items[0]!, state, frame);
  const inner = items.length > 1 ? sharing(frame) : frame;
  let printed: Printed = SILENT;
  let status: Result['status'] = 0;
  for (let i = 0; i < items.length; i++) {
    if (background[i] === true) {
      run.parallel = true;
      const result = walk(run, items[i]!, state.fork(), { ...inner, background: true });
      printed = concatPrinted(printed, maybePrinted(result));
      status = 0;
      continue;
    }
    const result = walk(run, items[i]!, state, inner);
    printed = concatPrinted(printed, result);
    status = result.status;
  }
  return ended(printed, status);
}

/** Layers over one another; with more, what is below them is only looked up more slowly. */
const MOST_LAYERS = 16;

/** Behind `&&` and `||` it is mostly not known whether a command runs. */
function walkAndOr(run: Run, { items, ops }: AndOr, state: State, frame: Frame): Result {
  const inner = sharing(frame);
  const certain = state.cwdCertain;
  const first = walk(run, items[0]!, state, inner);
  let printed: Printed = first;
  let { status } = first;
  const layers: State[] = [];
  const settled = () => {
    for (let layer = layers.pop(); layer !== undefined; layer = layers.pop()) {
      join(layers.at(-1) ?? state, [layer], false);
    }
  };
  for (let i = 1; i < items.length; i++) {
    const and = ops[i - 1] === '&&';
    const runs = status === -1 ? -1 : Number(and === (status === 0));
    if (!and) settled();
    const below = layers.at(-1) ?? state;
    if (runs === 1) {
      const result = walk(run, items[i]!, below, inner);
      printed = concatPrinted(printed, result);
      status = result.status;
      continue;
    }
    if (layers.length >= MOST_LAYERS) settled();
    const layer = (layers.at(-1) ?? state).fork();
    // Behind `cd x &&` the folder is x.
    if (and) layer.cwdCertain = certain && layer.cwd !== null;
    const result = walk(run, items[i]!, layer, inner);
    if (runs === 0) continue;
    layers.push(layer);
    printed = concatPrinted(printed, maybePrinted(result));
    status = -1;
  }
  settled();
  return ended(printed, status);
}

function walkPipeline(run: Run, { items, both }: Pipeline, state: State, frame: Frame): Result {
  const from = run.commands.length;
  const parallel = frame.parallel === -1 ? from : frame.parallel;
  let input = frame.input;
  let result: Result = UNKNOWN;
  for (let i = 0; i < items.length; i++) {
    const last = i === items.length - 1;
    const inShell = last && frame.dialect.lastInShell;
    const inner: Frame = { ...frame, input, parallel, capture: last ? frame.capture : true };
    result = walk(run, items[i]!, inShell ? state : state.fork(), inner);
    const { text } = result;
    input = {
      kind: 'pipe',
      alts: text === null ? null : [{ text, known: result.sure && both[i] !== true && !run.unsteady }],
      path: null,
      from: [[from, run.commands.length]],
      shared: false,
    };
  }
  return result;
}

function define(run: Run, node: FunctionDefinition, state: State, frame: Frame): Result {
  run.definitions ??= new Map();
  const bodies = run.definitions.get(node.name);
  if (bodies === undefined) run.definitions.set(node.name, new Set([node.body]));
  else bodies.add(node.body);
  state.define(node.name, { nodes: [node.body], sure: true });
  run.version++;
  if (node.name.startsWith('command_not_found_hand') && run.step(node.start)) {
    // The shell calls it by itself.
    const layer = state.fork();
    layer.args = null;
    walk(run, node.body, layer, { ...frame, via: [...frame.via, `${node.name}()`], repeats: true });
  }
  return WORKED;
}

function walkRedirected(run: Run, node: CompoundNode, state: State, frame: Frame): Result {
  if (node.redirects.length === 0) return walkCompound(run, node, state, frame);
  const redirects = expandRedirects({ run, state, frame }, node.redirects);
  const from = run.commands.length;
  emitRedirects(run, node, redirects, state, frame);
  const input = inputFrom(run, redirects, state, frame);
  const capture = frame.capture || writesOutput(redirects);
  // A file that cannot be opened means that nothing of it runs.
  const layer = redirects.some(mayFail) ? state.fork() : state;
  const result = walkCompound(run, node, layer, { ...frame, input, capture });
  if (layer !== state) join(state, [layer], false);
  return writeOutputs(run, redirects, state, frame, result, [[from, run.commands.length]]);
}

function walkCompound(run: Run, node: CompoundNode, state: State, frame: Frame): Result {
  switch (node.kind) {
    case 'group':
      return walk(run, node.body, state, frame);
    case 'subshell':
      return walk(run, node.body, state.fork(), frame);
    case 'if':
      return walkIf(run, node, state, frame);
    case 'while':
      return repeat(run, state, node.start, (layer) => {
        const inner = { ...sharing(frame), repeats: true, loop: layer };
        const test = walk(run, node.test, layer, inner);
        const endless = frame.endless || test.status !== -1 || isConstant(node.test);
        return concatPrinted(test, walk(run, node.body, layer, { ...inner, endless }));
      });
    case 'for':
      return walkFor(run, node, state, frame);
    case 'for-arith':
      evaluateArithmetic({ run, state, frame }, node.head, false);
      return repeat(run, state, node.start, (layer) => {
        evaluateArithmetic({ run, state: layer, frame }, node.head, false);
        const endless = frame.endless || /^[^;]*;\s*;/.test(node.head.text);
        return walk(run, node.body, layer, { ...sharing(frame), repeats: true, loop: layer, endless });
      });
    case 'case':
      return walkCase(run, node, state, frame);
    case 'test':
      return walkTest(run, node, state, frame);
    case 'arith':
      evaluateArithmetic({ run, state, frame }, node.expression, false);
      return SILENT;
  }
}

function walkIf(run: Run, { branches, otherwise }: If, state: State, frame: Frame): Result {
  const inner = sharing(frame);
  const layers: State[] = [];
  let printed: Printed = SILENT;
  const walkLayer = (node: Node) => {
    const layer = state.fork();
    printed = concatPrinted(printed, maybePrinted(walk(run, node, layer, inner)));
    layers.push(layer);
  };
  branches.forEach(({ test, body }, i) => {
    const place = i === 0 ? state : state.fork();
    const result = walk(run, test, place, inner);
    printed = concatPrinted(printed, i === 0 ? result : maybePrinted(result));
    if (i > 0) join(state, [place], false);
    walkLayer(body);
  });
  if (otherwise !== null) walkLayer(otherwise);
  join(state, layers, otherwise !== null);
  return ended(printed, -1);
}

const MOST_PASSES = 4;

/** Walks a body until another turn leaves nothing new behind; what goes on changing is taken for unknown. */
function repeat(run: Run, state: State, offset: number, body: (layer: State) => Printed): Result {
  let printed: Printed = SILENT;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    if (!run.step(offset)) return UNKNOWN;
    const layer = state.fork();
    printed = concatPrinted(printed, maybePrinted(body(layer)));
    if (!join(state, [layer], false, pass > 0)) return ended(printed, -1);
  }
  run.error('limit', 'a loop that goes on changing', offset);
  return UNKNOWN;
}

function walkFor(run: Run, node: For, state: State, frame: Frame): Result {
  const lists = node.words === null ? [state.args ?? [null]] : expandWords({ run, state, frame }, node.words);
  const value = eachOf(lists.flat(), node.name);
  const endless = frame.endless || node.words?.some(({ brace, text }) => brace && FAR.test(text)) === true;
  // Set here already, if the body runs at all: a body that sets nothing else is then walked once.
  const before = state.get(node.name);
  state.set(node.name, {
    ...variable(anyOf([value, before?.value ?? unknown(`\${${node.name}}`)], node.name), before),
    set: before?.set || null,
  });
  return repeat(run, state, node.start, (layer) => {
    const held = layer.get(node.name);
    if (held?.frozen === true) mayStopLine({ run, state, frame }, node.start);
    layer.set(node.name, variable(value, held));
    run.version++;
    return walk(run, node.body, layer, { ...sharing(frame), repeats: true, loop: layer, endless });
  });
}

/** A test that says the same every time: `[ 1 ]`, `((1))`. */
function isConstant(node: Node): boolean {
  const only = node.kind === 'list' && node.items.length === 1 ? node.items[0]! : node;
  if (only.kind === 'arith') return /^\s*\d+\s*$/.test(only.expression.text);
  if (only.kind !== 'simple') return false;
  const words = only.words.map((word) => (word.parts === null ? word.text : ''));
  return words.length === 3 && words[0] === '[' && words[1] !== '';
}

/** Longer than anybody waits for: `{1..100000}`. */
const FAR = /\{\d+\.\.\d{5,}\}/;

/** The values a loop variable has in turn. */
function eachOf(fields: readonly (Field | null)[], name: string): Value {
  const alts: Alt[] = [];
  const seen = new Set<string>();
  const label = `\${${name}}`;
  const from = fields.flatMap((field) => field?.from ?? []).slice(0, MOST_ALTERNATIVES);
  for (const field of fields) {
    const alt =
      field === null
        ? { text: label, known: false }
        : { text: field.text, known: field.known && !field.glob };
    const key = `${alt.known}${alt.text}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (alts.length === MOST_ALTERNATIVES - 1) {
      alts.push({ text: label, known: false });
      break;
    }
    alts.push(alt);
  }
  if (alts.length === 0) alts.push({ text: label, known: false });
  return { alts, numeric: false, from };
}

function walkCase(run: Run, node: Case, state: State, frame: Frame): Result {
  const inner = sharing(frame);
  const scope = { run, state, frame };
  expandValue(scope, node.word);
  const layers: State[] = [];
  let printed: Printed = SILENT;
  let before: State | null = null;
  for (const { patterns, body, falls } of node.branches) {
    for (const pattern of patterns) expandValue(scope, pattern);
    const layer = state.fork();
    if (before !== null) join(layer, [before], false);
    printed = concatPrinted(printed, maybePrinted(walk(run, body, layer, inner)));
    layers.push(layer);
    before = falls ? layer : null;
  }
  join(state, layers, false);
  return ended(printed, -1);
}

const NUMERIC_TESTS = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;

/** `[[ ]]` evaluates numbers, and so whatever their variables hold. */
function walkTest(run: Run, { words, start }: Test, state: State, frame: Frame): Result {
  const scope = { run, state, frame };
  const numeric = words.some((word) => word.parts === null && NUMERIC_TESTS.test(word.text));
  for (const word of words) {
    const value = expandValue(scope, word);
    if (numeric) checkValue(scope, value, start);
  }
  return SILENT;
}
