/** Words of the shell itself. */
import type { Row } from '../notation.ts';

export const BUILTINS: readonly Row[] = [
  { names: 'echo printf true false : type exit return shift trap alias read cd pushd', operands: '-*' },
  {
    names: 'export declare',
    operands: '-*',
    effects: [
      `defence history if =HISTFILE=/dev/null =HISTFILE= =HISTSIZE=0 =HISTFILESIZE=0 =SAVEHIST=0
    =HISTCONTROL=ignore* =HISTIGNORE=?* unless =HISTCONTROL=ignoredups* =HISTCONTROL=erasedups*`,
      `defence tls if =NODE_TLS_REJECT_UNAUTHORIZED=0 =GIT_SSL_NO_VERIFY=* =PYTHONHTTPSVERIFY=0
    =CURL_CA_BUNDLE= =REQUESTS_CA_BUNDLE=`,
    ],
  },
  {
    names: 'unset',
    operands: '-*',
    effects: 'defence history if =HISTFILE =HISTFILESIZE =HISTSIZE =SAVEHIST',
  },
  { names: 'set', operands: '-*', effects: 'defence history if ~+o and ~history' },
  {
    names: 'local typeset readonly',
    operands: '-*',
    effects: `defence history if =HISTFILE=/dev/null =HISTFILE= =HISTSIZE=0 =HISTFILESIZE=0 =SAVEHIST=0
    =HISTCONTROL=ignore* =HISTIGNORE=?* unless =HISTCONTROL=ignoredups* =HISTCONTROL=erasedups*`,
  },
  { names: 'test [', operands: 'read*' },
  { names: 'source .', operands: 'read -*' },
  { names: 'command', options: 'pvV', operands: 'command+', quiet: '-v -V', lookup: 'builtins' },
  { names: 'builtin', operands: 'command+', lookup: 'builtins' },
  { names: 'exec', options: 'cl a:', operands: 'command+' },
  { names: 'coproc', operands: 'assign* command+', lookup: 'all' },
  { names: 'noglob nocorrect -', operands: 'command+', lookup: 'all' },
];
