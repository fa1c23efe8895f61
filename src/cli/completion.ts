/**
 * `harness completion SHELL`: a script that completes commands, their first words and their options, written from the
 * table of commands, so that it cannot know less than the help.
 */
import { didYouMean } from '../base/index.ts';
import { type CommandSpec, quote, type Run, UsageError } from '../terminal/index.ts';
import { COMMANDS } from './commands.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CommandSpec[]) => string>> = { bash, zsh, fish };

export const run: Run = ({ positionals: [shell = ''] }, output) => {
  if (!Object.hasOwn(SHELLS, shell)) {
    const known = Object.keys(SHELLS);
    throw new UsageError(
      `unknown shell ${quote(shell)}${didYouMean(shell, known)}; want ${known.join(', ')}`,
    );
  }
  output.line(SHELLS[shell]!(COMMANDS));
  return 0;
};

/** `ls|show` of `[ls|show] [NAME]`: words of the first argument, if it is one of a few. */
function wordsOf({ args }: CommandSpec): readonly string[] {
  const [first = ''] = args.split(' ');
  const words = first.replace(/[[\]]/g, '').split('|');
  return words.length > 1 && words.every((word) => /^[a-z]+$/.test(word)) ? words : [];
}

function flagsOf({ options }: CommandSpec): readonly string[] {
  return [...options.map(({ name }) => `--${name}`), '--help'];
}

function bash(commands: readonly CommandSpec[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) words="${wordsOf(command).join(' ')}"; flags="${flagsOf(command).join(' ')}" ;;`,
  );
  return `# harness completion for bash: put  source <(harness completion bash)  into ~/.bashrc
_harness() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" words="" flags=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands.map(({ name }) => name), 'help'].join(' ')}" -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words="${commands.map(({ name }) => name).join(' ')}" ;;
  esac
  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -o default -F _harness harness`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const names = commands.map(({ name, summary }) => `    ${single(`${name}:${summary}`)}`);
  const cases = commands.map((command) => {
    const options = command.options.map(({ name, about, value }) => {
      const text = `--${name}[${about.replace(/[[\]]/g, '')}]${value === undefined ? '' : `:${value.replaceAll(':', '')}:_files`}`;
      return single(text);
    });
    const words = wordsOf(command);
    const first = words.length > 0 ? [single(`1: :(${words.join(' ')})`)] : [];
    return `    ${command.name}) _arguments ${[...options, ...first, single('*: :_files')].join(' ')} ;;`;
  });
  return `#compdef harness
# harness completion for zsh: harness completion zsh > "\${fpath[1]}/_harness"
_harness() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _harness harness`;
}

function fish(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((command) => {
    const within = `-n "__fish_seen_subcommand_from ${command.name}"`;
    const words = wordsOf(command);
    return [
      `complete -c harness -n __fish_use_subcommand -a ${command.name} -d ${single(command.summary)}`,
      ...(words.length > 0 ? [`complete -c harness ${within} -a "${words.join(' ')}"`] : []),
      ...command.options.map(({ name, short, value, about }) => {
        const letter = short === undefined ? '' : ` -s ${short}`;
        return `complete -c harness ${within} -l ${name}${letter}${value === undefined ? '' : ' -r'} -d ${single(about)}`;
      }),
    ];
  });
  return [
    '# harness completion for fish: harness completion fish > ~/.config/fish/completions/harness.fish',
    ...lines,
  ].join('\n');
}

/** A word in single quotes, as all three shells read it. */
function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
