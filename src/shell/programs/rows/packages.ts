/** Package managers and what they run. */
import type { Row } from '../notation.ts';

export const PACKAGES: readonly Row[] = [
  {
    names: 'dnf yum',
    operands: '-*',
    effects: 'package remove if -e --erase -P --purge -R --remove unless >install >update >upgrade',
    subs: {
      'remove|purge|autoremove|erase|del|rm|uninstall': 'package remove',
      'install|upgrade|dist-upgrade|full-upgrade|reinstall|update': 'package install',
    },
  },
  {
    names: 'brew',
    operands: '-*',
    subs: {
      'uninstall|remove|rm': {
        effects: ['package remove-all if --ignore-dependencies --zap', 'package remove'],
      },
      'services stop --all': 'package remove-all',
      'install|upgrade|update|reinstall|refresh': 'package install',
    },
  },
  {
    names: 'pacman',
    operands: '-*',
    effects: [
      'package install if -S -U -Sy -Syu',
      'package remove if -R -Rs -Rns -Rsc',
      'package remove if -R -Rs -Rns -Rsc -Rdd --remove',
    ],
    subs: { 'remove|purge|autoremove|erase|del|rm|uninstall': 'package remove' },
  },
  {
    names: 'snap',
    operands: '-*',
    subs: {
      'remove|uninstall|rm|purge|autoremove|erase|del': 'package remove',
      'install|upgrade|update|reinstall|refresh': 'package install',
    },
  },
  {
    names: 'apt apt-get',
    options: 'o:c:t: --option= --config-file=',
    operands: '-*',
    values: '-o|--option=helper:apt-option',
    effects: 'package remove if -e --erase -P --purge -R --remove unless >install >update >upgrade',
    subs: {
      'remove|purge': {
        effects: [
          'kernel change if --allow-remove-essential --force-yes',
          'package remove-all if =*[*]',
          'package remove',
        ],
      },
      autoremove: { effects: ['kernel change if --allow-remove-essential --force-yes', 'package remove'] },
      'erase|del|rm|uninstall': 'package remove',
      install: { effects: ['kernel change if --allow-remove-essential --force-yes', 'package install'] },
      'upgrade|dist-upgrade|full-upgrade|reinstall|update': 'package install',
    },
    examples: { 'sudo apt remove nginx': 'package remove; privilege root' },
  },
  {
    names: 'npm pnpm',
    options: `C:w: --prefix= --registry= --workspace= --filter= --dir= --cwd= --userconfig= --tag= --otp=`,
    operands: '-*',
    effects: `package publish if >workspaces+foreach+**+publish >workspace+*+publish unless >run+publish >run+release
    unless --dry-run -n`,
    subs: {
      'config set|set': 'persist setting',
      exec: {
        options: 'yqp:c: --yes --no --package= --call= --workspace= --workspaces',
        operands: 'command+',
        values: '-c|--call=shell',
      },
      x: { options: 'yqp:c: --yes --no --package= --call=', operands: 'command+', values: '-c|--call=shell' },
      'publish|npm publish|stage-publish|release publish|release': 'package publish unless --dry-run -n',
      '-r publish|workspaces publish|exec np|exec semantic-release': 'package publish',
      'unpublish|deprecate|dist-tag add|dist-tag rm|dist-tags add|owner add|owner rm|token create|token revoke|npm owner|npm tag|tag add|unstar-all':
        'package withdraw',
      access: 'package withdraw unless >access+list >access+ls*',
      team: 'package withdraw unless >team+ls',
      hook: 'package withdraw unless >hook+ls',
      adduser: 'package withdraw unless !--registry',
      dlx: { options: 'c --package= --shell-mode', operands: 'command+' },
      'install|i|add|ci': 'package install',
      'uninstall|remove|rm|un': 'package remove',
      'run|run-script|test|t|start|stop|restart|build': 'run',
    },
    examples: {
      'npm install left-pad': 'package install',
      'npm publish': 'package publish',
      'npm run build': 'run from file',
    },
  },
  {
    names: 'yarn',
    options: '--cwd= --registry= --tag= --otp=',
    operands: '-*',
    effects: `package publish if >workspaces+foreach+**+publish >workspace+*+publish unless >run+publish >run+release
    unless --dry-run -n`,
    subs: {
      exec: { operands: 'command+' },
      dlx: { options: 'qp: --quiet --package=', operands: 'command+' },
      'publish|npm publish|stage-publish|release publish|release': 'package publish unless --dry-run -n',
      '-r publish|workspaces publish|exec np|exec semantic-release': 'package publish',
      'unpublish|deprecate|dist-tag add|dist-tag rm|dist-tags add|owner add|owner rm|token create|token revoke|npm owner|npm tag|tag add|unstar-all':
        'package withdraw',
      access: 'package withdraw unless >access+list >access+ls*',
      team: 'package withdraw unless >team+ls',
      hook: 'package withdraw unless >hook+ls',
      adduser: 'package withdraw unless !--registry',
      'install|i|add|ci': 'package install',
      'uninstall|remove|rm|un': 'package remove',
      'run|run-script|test|t|start|stop|restart|build': 'run',
    },
  },
  {
    names: 'cargo',
    options: `C:p:F:j:Z: --manifest-path= --package= --features= --target= --target-dir= --config= --bin= --example=
    --profile= --color=`,
    operands: '-*',
    subs: {
      watch: {
        options: 'cq x:s:w:i:d: --exec= --shell= --watch= --ignore= --delay=',
        operands: '-*',
        values: '-s|--shell=shell',
        mixed: true,
      },
      'publish|yank|workspaces publish': 'package publish unless --dry-run -n --list',
      owner: `package publish unless --dry-run -n --list unless -l --list unless !-a and !--add and !-r and !--remove`,
      release: 'package publish unless --dry-run -n --list unless !-x and !--execute',
      'install|add|update': 'package install',
      'uninstall|remove|rm': 'package remove',
      'run|test|build|bench|check': 'run on nothing',
    },
  },
  {
    names: 'go',
    options: '-o= -C= -ldflags= -tags= -run= -mod= -p= -count= -timeout= -exec= -toolexec= -vettool=',
    operands: '-*',
    values: '-o=write -exec|-toolexec|-vettool=helper',
    single: true,
    subs: {
      'mod publish': 'package publish',
      'install|get': 'package install',
      'run|generate|test|build': 'run',
    },
  },
  {
    names: 'pip pip3 pip2',
    options: `r:t:e:c:i:d: --dest= --requirement= --target= --editable= --index-url= --extra-index-url= --constraint= --prefix=
    --root=`,
    operands: '-*',
    values: '-r|-e=read -t|--target|-d|--dest=write',
    subs: {
      'config set': 'persist setting',
      install: { effects: ['package remove-all if --break-system-packages and elevated', 'package install'] },
      uninstall: 'package remove',
      download: 'receive on nothing',
    },
    examples: { 'pip install requests': 'package install' },
  },
  {
    names: 'npx',
    options: `yqp:c: --yes --no --no-install --quiet --ignore-existing --prefer-offline --package= --call=
    --workspace= --workspaces --node-options=`,
    operands: 'command+',
    values: '-c|--call=shell',
    effects: 'remote change of infrastructure if >firebase+*:delete',
    subs: {
      'cdk destroy|cdktf destroy|serverless remove|sls remove|sst remove|wrangler delete|vercel rm|vercel remove|supabase projects delete|amplify delete|netlify sites:delete|netlify-cli sites:delete':
        'remote delete of infrastructure',
      'supabase db reset': 'remote change of infrastructure',
    },
  },
  {
    names: 'bunx',
    options: 'p: --bun --package= --silent --verbose',
    operands: 'command+',
    effects: 'remote change of infrastructure if >firebase+*:delete',
    subs: {
      'cdk destroy|cdktf destroy|serverless remove|sls remove|sst remove|wrangler delete|vercel rm|vercel remove|supabase projects delete|amplify delete|netlify sites:delete|netlify-cli sites:delete':
        'remote delete of infrastructure',
      'supabase db reset': 'remote change of infrastructure',
    },
  },
  {
    names: 'pnpx',
    options: 'yqp:c: --yes --package= --call=',
    operands: 'command+',
    effects: 'remote change of infrastructure if >firebase+*:delete',
    subs: {
      'cdk destroy|cdktf destroy|serverless remove|sls remove|sst remove|wrangler delete|vercel rm|vercel remove|supabase projects delete|amplify delete|netlify sites:delete|netlify-cli sites:delete':
        'remote delete of infrastructure',
      'supabase db reset': 'remote change of infrastructure',
    },
  },
  {
    names: 'uvx',
    options: `qv p: --from= --with= --python= --quiet --verbose --isolated --refresh --no-cache --offline`,
    operands: 'command+',
  },
  {
    names: 'nix-shell',
    options: 'p:A:E:I:i:j:Q --run= --command= --packages --pure --keep= --expr=',
    operands: '-*',
    values: '--run|--command=shell',
    mixed: true,
  },
  {
    names: 'mise rtx',
    subs: {
      'exec|x': { options: 'C:j: --cd= --command=', operands: '- -- command+', values: '--command=shell' },
    },
  },
  {
    names: 'volta',
    subs: { run: { options: '--node= --npm= --yarn= --bundled-npm', operands: 'command+' } },
  },
  { names: 'corepack', operands: 'command+', quiet: '--help --version' },
  { names: 'nvm', subs: { exec: { options: '--silent', operands: '- command+' } } },
  { names: 'fnm', subs: { exec: { options: '--using=', operands: 'command+' } } },
  { names: 'nodenv rbenv pyenv', subs: { exec: { operands: 'command+' } } },
  {
    names: 'lerna',
    effects: `package publish if >workspaces+foreach+**+publish >workspace+*+publish unless >run+publish >run+release
    unless --dry-run -n`,
    subs: {
      exec: { options: '--scope= --ignore= --parallel --stream --concurrency=', operands: '- -- command+' },
      'publish|npm publish|stage-publish|release publish|release': 'package publish unless --dry-run -n',
    },
  },
  {
    names: 'guix',
    subs: { shell: { options: 'CNP D: --container --pure --network', operands: '- -- command+' } },
  },
  {
    names: 'composer',
    subs: {
      exec: { options: 'lqvn d: --list --working-dir= --no-interaction --quiet', operands: 'command+' },
      'install|update|require|add': 'package install',
      remove: 'package remove',
    },
  },
  {
    names: 'bundle',
    subs: {
      exec: { options: '--keep-file-descriptors --gemfile=', operands: 'command+' },
      'release|exec rake release': 'package publish',
      'credentials:show|credentials:edit|secrets:show': 'secret show of stores',
      'install|update|require|add': 'package install',
      remove: 'package remove',
    },
  },
  {
    names: 'poetry',
    subs: {
      run: { options: 'q', operands: 'command+' },
      'publish|upload': 'package publish unless --dry-run --build-only',
      'add|install|update': 'package install',
      remove: 'package remove',
    },
  },
  { names: 'pipenv', subs: { run: { operands: 'command+' } } },
  {
    names: 'rye hatch',
    subs: {
      run: { operands: 'command+' },
      'publish|upload': 'package publish unless --dry-run --build-only',
    },
  },
  {
    names: 'pipx',
    subs: {
      run: {
        options: '--spec= --no-cache --python= --pip-args= --system-site-packages --verbose',
        operands: 'command+',
      },
      'install|inject': 'package install',
      'uninstall|uninstall-all': 'package remove',
    },
  },
  {
    names: 'uv',
    subs: {
      run: {
        options: `qvm: p: --with= --extra= --group= --python= --frozen --locked --isolated --no-project --no-sync --quiet
    --env-file= --directory= --project= --script --no-dev --all-extras --package=`,
        operands: 'command+',
      },
      'publish|upload': 'package publish unless --dry-run --build-only',
      'pip install|add|sync|tool install': 'package install',
      'pip uninstall|remove|tool uninstall': 'package remove',
    },
  },
  {
    names: 'pdm',
    subs: {
      run: { options: 's --site-packages --no-self', operands: 'command+' },
      'publish|upload': 'package publish unless --dry-run --build-only',
      'add|install|update': 'package install',
      remove: 'package remove',
    },
  },
  {
    names: 'conda mamba',
    effects: 'package publish if >build+**+--push unless !>upload',
    subs: {
      run: {
        options: 'n:p:v --name= --prefix= --no-capture-output --live-stream --cwd= --verbose',
        operands: 'command+',
      },
      'upload|publish|submit|trunk push|repo push|pub publish|pub lish|release|push|collection publish|role import|register|trunk delete':
        'package publish unless !>upload',
      'env remove': {
        effects: [
          'package remove-all if -n=base unless !-n=base',
          'package remove-all if --all unless !-n=base',
        ],
      },
      remove: { effects: ['package remove-all if -n=base', 'package remove-all if --all', 'package remove'] },
      'install|create|update': 'package install',
      uninstall: 'package remove',
    },
  },
  {
    names: 'micromamba',
    subs: {
      run: { options: 'n:p: --name= --prefix= --cwd= --attach=', operands: 'command+' },
      'install|create|update': 'package install',
      'remove|uninstall': 'package remove',
    },
  },
  { names: 'asdf', subs: { exec: { operands: 'command+' } } },
  { names: 'direnv', subs: { exec: { operands: '- command+' } } },
  {
    names: 'nix',
    subs: {
      'develop|shell': {
        options: 'c:i --command= --ignore-environment --impure',
        operands: '-*',
        values: '-c|--command=command+',
      },
    },
  },
  {
    names: 'changeset changesets jsr rush nx auto standard-version-publish beachball',
    effects: `package publish if >workspaces+foreach+**+publish >workspace+*+publish unless >run+publish >run+release
    unless --dry-run -n`,
    subs: {
      'publish|npm publish|stage-publish|release publish|release': 'package publish unless --dry-run -n',
    },
  },
  {
    names: 'np semantic-release release-it',
    effects: [
      `package publish if >workspaces+foreach+**+publish >workspace+*+publish unless >run+publish >run+release
    unless --dry-run -n`,
      'package publish unless --version --help -d --dry-run --preview unless --dry-run -n',
    ],
    subs: {
      'publish|npm publish|stage-publish|release publish|release': 'package publish unless --dry-run -n',
    },
  },
  { names: 'twine', subs: { upload: 'package publish' } },
  { names: 'flit maturin', subs: { 'publish|upload': 'package publish unless --dry-run --build-only' } },
  {
    names: 'gem',
    subs: {
      'push|inabox': 'package publish',
      yank: { effects: ['package publish', 'package withdraw'] },
      owner: 'package publish unless !-a and !--add and !-r and !--remove',
      install: 'package install',
      uninstall: 'package remove',
    },
  },
  {
    names: 'mvn mvnw gradle gradlew sbt ant mill',
    effects: `package publish if =deploy =release:perform =release:prepare =deploy:deploy-file =nexus-staging:release
    =central-publishing:publish =publish =publishtosonatype =publishAll* =publish*ToMaven* =publishPlugins
    =uploadArchives =bintrayUpload =closeAndRelease* =publishSigned =sonatypeBundleRelease =sonatypeRelease
    =publish*ToSonatype* =publishToSonatype =jreleaserFullRelease =publishAndRelease* =*:publish unless
    =release:prepare and ~-DdryRun=true ~-DdryRun and #<2 unless =publishToMavenLocal =publishLocal
    =publishM2 =*ToMavenLocal unless ~-DaltDeploymentRepository=local* ~--dry-run ~-m`,
  },
  {
    names: 'lein',
    effects: `package publish if =deploy =release:perform =release:prepare =deploy:deploy-file =nexus-staging:release
    =central-publishing:publish =publish =publishtosonatype =publishAll* =publish*ToMaven* =publishPlugins
    =uploadArchives =bintrayUpload =closeAndRelease* =publishSigned =sonatypeBundleRelease =sonatypeRelease
    =publish*ToSonatype* =publishToSonatype =jreleaserFullRelease =publishAndRelease* =*:publish unless
    =release:prepare and ~-DdryRun=true ~-DdryRun and #<2 unless =publishToMavenLocal =publishLocal
    =publishM2 =*ToMavenLocal unless ~-DaltDeploymentRepository=local* ~--dry-run ~-m`,
    subs: { 'deploy|release': 'package publish' },
  },
  { names: 'dotnet nuget paket', subs: { 'nuget push|nuget delete|push|delete': 'package publish' } },
  {
    names: 'oras',
    subs: {
      'push|cm-push|nexus-push': 'package publish',
      'delete|manifest rm|tag delete|manifest delete|repo rm': 'package withdraw',
    },
  },
  {
    names: 'vsce ovsx web-ext chrome-webstore-upload ext',
    subs: { 'publish|unpublish|sign|upload|delete-publisher': 'package publish unless --help' },
  },
  {
    names: 'fastlane',
    effects: 'package publish if >*+release >*+deploy unless >beta',
    subs: {
      'release|deliver|upload_to_app_store|upload_to_play_store|supply|pilot|ios release|android release|deploy|match nuke|pilot upload':
        'package publish',
    },
  },
  { names: 'eas expo', subs: { 'submit|update --branch production|publish': 'package publish' } },
  { names: 'goreleaser', subs: { release: 'package publish unless --snapshot --skip --skip-publish' } },
  {
    names: `luarocks opam dub nimble shards raco conan anaconda pod carthage pub elm spago cabal hackage quicklisp
    julia-register haxelib wapm wasmer bower jspm composer-publish snapcraft flatpak-builder charmcraft
    ansible-galaxy choco winget copr-cli debsign`,
    effects: 'package publish if >build+**+--push',
    subs: {
      'upload|publish|submit|trunk push|repo push|pub publish|pub lish|release|push|collection publish|role import|register|trunk delete':
        'package publish',
    },
  },
  {
    names: 'vcpkg stack scoop',
    effects: 'package publish if >build+**+--push unless !>upload',
    subs: {
      'upload|publish|submit|trunk push|repo push|pub publish|pub lish|release|push|collection publish|role import|register|trunk delete':
        'package publish unless !>upload',
    },
  },
  {
    names: 'cpan-upload dput',
    effects: ['package publish if >build+**+--push', 'package publish'],
    subs: {
      'upload|publish|submit|trunk push|repo push|pub publish|pub lish|release|push|collection publish|role import|register|trunk delete':
        'package publish',
    },
  },
  {
    names: 'dart flutter',
    effects: 'package publish if >build+**+--push unless >pub+publish and --dry-run -n',
    subs: {
      'upload|publish|submit|trunk push|repo push|pub lish|release|push|collection publish|role import|register|trunk delete':
        'package publish',
      'pub publish': 'package publish unless --dry-run -n',
    },
  },
  { names: 'clojars', subs: { 'deploy|release': 'package publish' } },
  { names: 'pypi pypi-cli', subs: { 'delete|yank': 'package withdraw' } },
  {
    names: 'skopeo crane',
    subs: { 'delete|manifest rm|tag delete|manifest delete|repo rm': 'package withdraw' },
  },
  {
    names: 'regctl',
    effects: `remote delete of platforms if >*+delete >*+*+delete >*+*+*+delete >*+destroy >*+*+destroy >*+*+*+destroy
    >*+terminate >*+*+terminate >*+*+*+terminate >*+purge >*+*+purge >*+*+*+purge >*+remove >*+*+remove
    >*+rm >*+*+rm >*+erase >*+*+erase >*+wipe >*+*+wipe >*+nuke >*+*+nuke >delete-* >*+delete-*
    >*+*+delete-* >*-delete >*+*-delete >*+*+*-delete >*:delete >destroy-* >*+destroy-* >*+*+destroy-*
    >*-destroy >*+*-destroy >*+*+*-destroy >*:destroy >terminate-* >*+terminate-* >*+*+terminate-*
    >*-terminate >*+*-terminate >*+*+*-terminate >*:terminate >purge-* >*+purge-* >*+*+purge-* >*-purge
    >*+*-purge >*+*+*-purge >*:purge >remove-* >*+remove-* >*+*+remove-* >*-remove >*+*-remove >*+*+*-remove
    >*:remove >*+delete?* >*+terminate?* >*+release?*instance* >*+*+bulk-delete unless >config >configure
    >auth >context >plugin >plugins >completion >help >cache >login >profile >alias`,
    subs: {
      delete: { effects: ['package withdraw', 'remote delete of platforms'] },
      'manifest rm|tag delete|manifest delete|repo rm': 'package withdraw',
      'destroy|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  { names: 'nix-collect-garbage', effects: 'package remove-all if -d --delete-old' },
  {
    names: 'nix-env',
    options: 'iuqe f:p: --install --upgrade --uninstall --file= --profile= --delete-generations',
    operands: '-*',
    effects: [
      'package remove-all if --delete-generations and ~old',
      'package install on -f|--file if -i -u --install --upgrade',
    ],
  },
  { names: 'easy_install', operands: '-*', effects: 'package install' },
  { names: 'rustup', subs: { 'self uninstall': 'package remove-all' } },
  {
    names: 'flatpak port',
    operands: '-*',
    subs: {
      'install|upgrade|update|reinstall|refresh': 'package install',
      'uninstall|remove|rm': 'package remove',
    },
  },
];
