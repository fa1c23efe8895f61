/** Version control and the forges around it. */
import type { Row } from '../notation.ts';

export const VCS: readonly Row[] = [
  {
    names: 'gh',
    options: `R:t:b:F:B:H:l:a:q:f: --repo= --title= --body= --body-file= --base= --head= --label= --jq= --json=
    --field= --method= --header= --input= --limit= --state= -X=`,
    operands: '-*',
    values: '-F|--body-file=read',
    prints: 'download if !>completion and !>aliases',
    verbs: 'remote',
    subs: {
      'pr merge': 'remote change of forges if --admin',
      'repo archive|auth refresh': 'remote change of account',
      api: 'remote delete of account if -X=DELETE --method=DELETE',
      'repo sync': 'vcs discard of other if --force',
      'auth token|auth status|secret get': {
        effects: ['secret show of stores if >auth+token', 'secret show of stores if --show-token -t'],
      },
    },
  },
  {
    names: 'git hub yadm dotfiles',
    options: 'C:c: --git-dir= --work-tree= --namespace= --exec-path[=] --super-prefix= --config-env=',
    operands: '-*',
    values: '-C=- --git-dir=read --work-tree=write -c=helper:git-config',
    effects: ['vcs discard if >stash+push+.harness*', 'run of options on -c if -c=include.* -c=includeif.*'],
    subs: {
      rm: {
        options: '--pathspec-from-file=',
        operands: 'delete*',
        values: '--pathspec-from-file=read',
        effects: [
          `vcs discard if -r -rf and =src =src/ =lib =test =tests =app =packages =docs unless --cached -n --dry-run`,
          'vcs discard if -f --force -rf -r and =. =[*] =-r unless --cached',
        ],
      },
      mv: { operands: 'delete* write' },
      clean: {
        options: 'e: --exclude= --force --dry-run --quiet --interactive',
        operands: 'delete*',
        effects: [
          'vcs discard if -f --force -ff -d -x -X unless -n --dry-run -i --interactive',
          'vcs discard if ~clean.requireforce=*',
        ],
      },
      restore: {
        options: 's: --source=',
        operands: 'write*',
        effects: [
          'vcs restore of files if named-files unless --staged -S and !--worktree and !-W unless -p --patch',
          'vcs discard unless named-files unless --staged -S and !--worktree and !-W unless -p --patch',
        ],
      },
      checkout: {
        options: 'b:B: --orphan= --conflict=',
        operands: '-*',
        effects: [
          'vcs discard if -f --force --ours-all',
          'vcs restore of files if named-files unless -b -B --orphan -p --patch --ours --theirs -t --track',
          `vcs discard if ~-- #2 =. =./ =:/ =[*] =[*].* =*/ and #1 unless named-files
    unless -b -B --orphan -p --patch --ours --theirs -t --track`,
          'vcs delete of branches if -B',
        ],
      },
      add: { options: '--chmod= --pathspec-from-file=', operands: 'read*' },
      apply: {
        options: 'C:p: --directory= --exclude= --include= --whitespace=',
        operands: 'read*',
        effects: 'vcs discard if -R --reverse unless --check --stat --numstat --summary',
      },
      am: {
        options: `C:p:S:: --directory= --exclude= --include= --whitespace= --patch-format= --empty= --quoted-cr=
    --gpg-sign[=]`,
        operands: 'read*',
      },
      commit: {
        options: `m:F:C:c:t: --message= --file= --reuse-message= --template= --author= --date= --cleanup= --fixup=
    --squash= --trailer= --gpg-sign[=]`,
        operands: '-*',
        values: '-F|--file|-t|--template=read',
      },
      tag: {
        options: 'm:F:u:n:: --message= --file= --sort= --contains= --points-at= --format=',
        operands: '-*',
        values: '-F|--file=read',
        effects: 'vcs delete of tags if -d --delete -f --force and #1',
      },
      stash: { options: 'm: --message=', operands: '-*' },
      merge: {
        options: 'm:F:s:X:S:: --message= --file= --strategy= --strategy-option=',
        operands: '-*',
        values: '-F=read',
      },
      push: {
        options: `o: --push-option= --repo= --receive-pack= --exec= --force --force-with-lease[=] --force-if-includes
    --delete --tags --mirror --all --prune --no-verify --set-upstream --dry-run --quiet --follow-tags
    --atomic --recurse-submodules=`,
        operands: '-*',
        values: '--receive-pack|--exec=helper',
        effects: [
          `vcs overwrite if -f --force --mirror --prune --force-if-includes unless -n --dry-run unless
    --force-with-lease and !-f and !--force`,
          'vcs overwrite if =+* unless -n --dry-run unless --force-with-lease and !-f and !--force',
          'vcs delete of remote if -d --delete unless -n --dry-run',
          'vcs delete of remote if =:* unless -n --dry-run',
          'vcs publish unless -n --dry-run',
        ],
      },
      reset: {
        options: '--hard --soft --mixed --merge --keep --quiet --patch',
        operands: '-*',
        effects: 'vcs discard if --hard --merge --keep',
      },
      branch: {
        options: `u: --set-upstream-to= --contains= --merged[=] --no-merged[=] --sort= --format= --points-at=`,
        operands: '-*',
        effects: [
          'vcs delete of branches if -D',
          'vcs delete of branches if -f --force -M and #1 unless -M and #<2',
        ],
      },
      log: {
        options: `n:L:S:G: --max-count= --author= --since= --until= --after= --before= --grep= --format= --pretty[=]
    --date=`,
        operands: '-*',
      },
      diff: {
        options: 'U:O:S:G: --output= --stat[=] --word-diff[=] --diff-filter=',
        operands: 'read*',
        values: '--output=write',
      },
      show: { options: '--format= --pretty[=]', operands: '-*' },
      blame: { options: 'L:S: --date=', operands: 'read*' },
      archive: {
        options: 'o: --output= --format= --prefix= --remote=',
        operands: '-*',
        values: '-o|--output=write',
      },
      bundle: { operands: '- write -*' },
      clone: {
        options: `b:o:c:u:j: --branch= --origin= --config= --depth= --reference= --upload-pack= --template=
    --shallow-since= --jobs= --filter=`,
        operands: '- write',
        values: '-u|--upload-pack=helper -c|--config=helper:git-config',
      },
      init: {
        options: 'b: --template= --separate-git-dir= --initial-branch= --object-format=',
        operands: 'write',
      },
      worktree: { options: 'b:B: --reason=', operands: '- write -*' },
      config: {
        options: 'f: --file= --type= --default= --blob=',
        operands: '-*',
        values: '-f|--file=edit',
        marked: 'helper:bang',
        effects: `persist setting if =core.* =credential.* =url.* =http.* =https.* =include* =filter.* =diff.* =merge.* =gpg.*
    =protocol.* =sequence.* =init.templatedir =remote.* =safe.* =receive.* =transfer.* and #2 unless --get --get-all --list -l
    --unset --unset-all --get-regexp`,
        examples: { 'git config --global core.hooksPath /tmp/h': 'persist setting' },
      },
      grep: {
        options: 'A:B:C:e:f:m:O:: --open-files-in-pager[=]',
        operands: '- read*',
        values: '-O|--open-files-in-pager=helper',
      },
      rebase: {
        options: 's:X:C:x: --onto= --strategy= --exec=',
        operands: '-*',
        values: '-x|--exec=helper',
        effects: ['vcs rewrite if --root unless =filter-repo and --analyze'],
      },
      'cherry-pick': {
        options: 'm:s:X: --mainline=',
        operands: '-*',
      },
      revert: { options: 'm: --mainline=', operands: '-*' },
      'submodule add': {
        options: 'bf: --reference= --name= --branch= --depth= --force',
        operands: '- write',
      },
      subtree: { options: 'P:m:b: --prefix= --squash --rejoin', operands: '-*', values: '-P|--prefix=write' },
      'fast-export': {
        options: '--export-marks= --import-marks=',
        operands: '-*',
        values: '--export-marks=write',
      },
      submodule: { options: 'b: --reference= --name= --branch= --depth= --jobs=', operands: '-*' },
      fetch: { options: 'j:o: --upload-pack=', values: '--upload-pack=helper' },
      'ls-remote': { options: '--upload-pack=', values: '--upload-pack=helper' },
      difftool: { options: 'x:t: --extcmd= --tool=', values: '-x|--extcmd=helper' },
      'filter-branch': {
        options: `d: --env-filter= --tree-filter= --index-filter= --parent-filter= --msg-filter= --commit-filter=
    --tag-name-filter=`,
        values: `
    --env-filter|--tree-filter|--index-filter|--parent-filter|--msg-filter|--commit-filter|--tag-name-filter=helper`,
        effects: 'vcs rewrite unless =filter-repo and --analyze',
      },
      'bisect run': { operands: 'command+' },
      'submodule foreach': { options: 'q --recursive --quiet', operands: 'shell+' },
      'symbolic-ref': {
        effects: ['vcs discard if -d --delete', 'vcs delete of refs if #2 unless =refs/remotes/*/HEAD'],
      },
      'annex drop': 'vcs discard if --force',
      switch: {
        options: 'c:C: --create= --force-create= --orphan= --conflict=',
        operands: '-*',
        effects: [
          'vcs discard if -f --force --discard-changes',
          'vcs delete of branches if -C --force-create',
        ],
      },
      'stash drop|stash clear|stash pop --force': 'vcs discard',
      'checkout-index|worktree remove': 'vcs discard if -f --force',
      'read-tree': 'vcs discard if --reset -u -m',
      'submodule deinit': 'vcs discard if -f --force --all',
      'sparse-checkout': 'vcs discard if =set =reapply =disable and --force',
      lfs: 'vcs discard if =prune and --force -f',
      'update-ref': {
        effects: ['vcs delete of refs if -d --delete --stdin --no-deref', 'vcs delete of refs if #2'],
      },
      replace: 'vcs delete of refs if -d -f',
      'filter-repo|reflog expire|reflog delete|replace -d|fast-import':
        'vcs rewrite unless =filter-repo and --analyze',
      gc: {
        effects: [
          'vcs rewrite if ~--prune=now ~--prune=all ~--prune=0* unless =filter-repo and --analyze',
          'vcs rewrite if --prune and --prune=now --prune=all unless =filter-repo and --analyze',
        ],
      },
      prune: 'vcs rewrite unless -n --dry-run unless =filter-repo and --analyze',
      notes: 'vcs rewrite if =prune unless =filter-repo and --analyze',
      'credential fill|credential-store get|credential-cache get|credential-osxkeychain get|credential-manager get':
        'secret show of stores',
      'repo delete|project delete|release delete|variable delete|mr delete|issue delete|ssh-key delete|ci delete|schedule delete|runner delete|delete|repos delete|label delete|snippet delete|api -x delete':
        'remote delete of forges',
      'repo transfer|repo archive': 'remote change of forges',
      'deploy-key add': 'remote create of forges',
    },
    examples: {
      'git reset --hard': 'vcs discard',
      'git push --force': 'vcs publish; vcs overwrite',
      'git push origin --delete main': 'vcs delete of remote',
      'git filter-branch --all': 'vcs rewrite',
    },
  },
  {
    names: 'git-filter-repo bfg git-filter-branch',
    effects: 'vcs rewrite unless =filter-repo and --analyze',
    subs: {
      'filter-branch|filter-repo|reflog expire|reflog delete|replace -d|fast-import':
        'vcs rewrite unless =filter-repo and --analyze',
      gc: {
        effects: [
          'vcs rewrite if ~--prune=now ~--prune=all ~--prune=0* unless =filter-repo and --analyze',
          'vcs rewrite if --prune and --prune=now --prune=all unless =filter-repo and --analyze',
        ],
      },
      prune: 'vcs rewrite unless -n --dry-run unless =filter-repo and --analyze',
      rebase: 'vcs rewrite if --root unless =filter-repo and --analyze',
      notes: 'vcs rewrite if =prune unless =filter-repo and --analyze',
    },
  },
  {
    names: 'hg',
    effects: `vcs discard of other if =strip =purge =rollback =histedit =prune unless >commit >log >add >grep >help`,
    subs: {
      'update|up|checkout|co': 'vcs discard of other if -C --clean',
      revert: 'vcs discard of other if --all -a --no-backup -C',
      push: 'vcs discard of other if -f --force',
    },
  },
  {
    names: 'svn',
    subs: {
      'revert|cleanup': 'vcs discard of other if -R --recursive --remove-unversioned',
      'delete|rm': 'vcs discard of other if ~*://*',
    },
  },
  {
    names: 'jj',
    subs: {
      'abandon|op restore|op undo|op abandon|restore': 'vcs discard of other',
      'git push': 'vcs discard of other unless !--deleted and !--all',
    },
  },
  { names: 'p4', subs: { 'obliterate|revert|delete': 'vcs discard of other' } },
  { names: 'bzr', subs: { 'uncommit|revert': 'vcs discard of other' } },
  { names: 'fossil', subs: { 'revert|clean': 'vcs discard of other' } },
  { names: 'sl', subs: { 'purge|strip|goto --clean|undo': 'vcs discard of other' } },
  { names: 'darcs', subs: { 'obliterate|revert|unpull': 'vcs discard of other' } },
];
