/** Containers, virtual machines and clusters. */
import type { Row } from '../notation.ts';

export const CONTAINERS: readonly Row[] = [
  {
    names: 'docker podman nerdctl',
    options: `H:c:l:f:t: --host= --context= --config= --log-level= --file= --filter= --format= --tag= --project-name=
    --profile= --env-file= --project-directory= --time= --signal= --build-arg= --platform= --target= -p=`,
    operands: '-*',
    values: '-f|--file|--env-file=read',
    subs: {
      compose: {
        options: `H:c:l:f:t: --host= --context= --config= --log-level= --file= --filter= --format= --tag= --project-name=
    --profile= --env-file= --project-directory= --time= --signal= --build-arg= --platform= --target= -p= p:`,
        operands: '-*',
        values: '-f|--file|--env-file=read',
      },
      cp: { operands: 'read write' },
      'exec|container exec': {
        options: `dit e:u:w:l --detach --interactive --tty --privileged --latest --detach-keys= --env= --env-file= --user=
    --workdir=`,
        operands: '- command+',
        remote: true,
      },
      'run|container run': {
        options: `diPqt a:c:e:h:l:m:p:u:v:w: --detach --interactive --tty --init --privileged --rm --no-healthcheck
    --oom-kill-disable --publish-all --read-only --sig-proxy[=] --quiet --disable-content-trust[=]
    --add-host= --annotation= --attach= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cgroupns=
    --cidfile= --cpu-period= --cpu-quota= --cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= --device=
    --device-cgroup-rule= --dns= --dns-option= --dns-search= --domainname= --entrypoint= --env= --env-file=
    --expose= --gpus= --group-add= --health-cmd= --health-interval= --hostname= --ip= --ip6= --ipc=
    --isolation= --kernel-memory= --label= --label-file= --link= --log-driver= --log-opt= --mac-address=
    --memory= --memory-reservation= --memory-swap= --mount= --name= --network= --net= --network-alias=
    --pid= --pids-limit= --platform= --publish= --pull= --restart= --runtime= --security-opt= --shm-size=
    --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= --ulimit= --user= --userns= --uts=
    --volume= --volume-driver= --volumes-from= --workdir= --userns= --replace --systemd= --secret= --arch=
    --os=`,
        operands: '- command+',
        values: '-v|--volume|--mount=mount -w|--workdir=folder --entrypoint=entry',
        remote: true,
        effects: [
          `defence walls if --privileged --cap-add --device --security-opt --pid=host --network=host --net=host --ipc=host
    --userns=host --uts=host ~*docker.sock* ~/:/* ~--volume=/:/*`,
        ],
      },
      'compose exec|compose run': {
        options: `dTitPq e:l:p:u:v:w: --detach --no-deps --rm --no-TTY --service-ports --use-aliases --build --quiet-pull
    --interactive --tty --remove-orphans --entrypoint= --env= --name= --publish= --user= --volume=
    --workdir= --index= --privileged`,
        operands: '- command+',
        values: '-v|--volume|--mount=mount -w|--workdir=folder --entrypoint=entry',
        remote: true,
      },
      'delete|manifest rm|tag delete|manifest delete|repo rm': 'package withdraw',
      'rm|container rm|rmi': {
        options: 'fvl --force --volumes --link --no-prune',
        operands: '-*',
        effects: [
          'remote delete of containers if -H=*://* --host=*://*',
          'remote delete of local-containers unless -H=*://* --host=*://*',
        ],
      },
      'kill|container kill': {
        operands: '-*',
        effects: [
          'remote change of containers if -H=*://* --host=*://*',
          'process kill unless -H=*://* --host=*://*',
        ],
      },
      stop: `remote change of containers if -H=*://* --host=*://* unless !-v and !--volumes and !-H and !--host`,
      'volume rm|system prune': {
        effects: [
          'remote delete of containers if -H=*://* --host=*://*',
          'remote delete of containers if -a --all --volumes -f --force',
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'compose down': {
        effects: [
          `remote delete of containers if -H=*://* --host=*://* unless !-v and !--volumes and !-H and !--host`,
          `remote delete of containers if -v --volumes --rmi -sfv unless --dry-run unless --rmi and !-v and
    !--volumes`,
        ],
      },
      'volume prune|volume remove': {
        effects: [
          'remote delete of containers if -a --all --volumes -f --force',
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'system reset': {
        effects: [
          'remote change of containers if -a --all --volumes -f --force',
          `remote change of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'image prune': {
        effects: [
          `remote delete of containers if -a --all --volumes -f --force unless !-a and !--all and !-af and !-fa
    unless !-a and !--all`,
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune
    unless !-a and !--all and !-af and !-fa unless !-a and !--all`,
        ],
      },
      'network prune': {
        effects: [
          `remote delete of containers if -a --all --volumes -f --force unless !-a and !--all and !-af and !-fa`,
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune
    unless !-a and !--all and !-af and !-fa`,
        ],
      },
      'down|compose rm': `remote delete of containers if -v --volumes --rmi -sfv unless --dry-run unless --rmi and !-v and
    !--volumes`,
      'stack rm|node rm|service rm|secret rm|config rm|machine rm|unshare rm': 'remote delete of containers',
      'swarm leave': 'remote delete of containers unless !-f and !--force',
      'service scale': 'remote change of containers unless !~*=0',
      'context rm|pod rm': 'remote delete of containers unless !-f and !-a and !--all and !-fa and !--force',
      'node demote|machine reset': 'remote change of containers',
      'build|buildx build|compose build|compose up|up': 'run on nothing',
      push: 'remote create of images',
      'pull|compose pull': 'receive',
    },
    examples: { 'docker volume rm data': 'remote delete of containers', 'docker build .': 'run from file' },
  },
  {
    names: 'docker-compose podman-compose',
    options: `H:c:l:f:t: --host= --context= --config= --log-level= --file= --filter= --format= --tag= --project-name=
    --profile= --env-file= --project-directory= --time= --signal= --build-arg= --platform= --target= -p=`,
    operands: '-*',
    values: '-f|--file|--env-file=read',
    effects: 'remote change of containers if >**+kill and -p',
    subs: {
      'exec|run': {
        options: `dTitPq e:l:p:u:v:w: --detach --no-deps --rm --no-TTY --service-ports --use-aliases --build --quiet-pull
    --interactive --tty --remove-orphans --entrypoint= --env= --name= --publish= --user= --volume=
    --workdir= --index= --privileged`,
        operands: '- command+',
        values: '-v|--volume|--mount=mount -w|--workdir=folder --entrypoint=entry',
        remote: true,
      },
      rm: {
        effects: [
          'remote delete of containers if -H=*://* --host=*://*',
          'remote delete of containers if -f --force -v -s and -v',
        ],
      },
      kill: {
        effects: [
          'remote change of containers if -H=*://* --host=*://*',
          'remote change of containers if -p',
        ],
      },
      stop: `remote change of containers if -H=*://* --host=*://* unless !-v and !--volumes and !-H and !--host`,
      'container rm|rmi': 'remote delete of containers if -H=*://* --host=*://*',
      'container kill': 'remote change of containers if -H=*://* --host=*://*',
      'volume rm|system prune': {
        effects: [
          'remote delete of containers if -H=*://* --host=*://*',
          'remote delete of containers if -a --all --volumes -f --force',
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'compose down': {
        effects: [
          `remote delete of containers if -H=*://* --host=*://* unless !-v and !--volumes and !-H and !--host`,
          `remote delete of containers if -v --volumes --rmi -sfv unless --dry-run unless --rmi and !-v and
    !--volumes`,
        ],
      },
      'volume prune|volume remove': {
        effects: [
          'remote delete of containers if -a --all --volumes -f --force',
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'system reset': {
        effects: [
          'remote change of containers if -a --all --volumes -f --force',
          `remote change of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'image prune': {
        effects: [
          `remote delete of containers if -a --all --volumes -f --force unless !-a and !--all and !-af and !-fa
    unless !-a and !--all`,
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune
    unless !-a and !--all and !-af and !-fa unless !-a and !--all`,
        ],
      },
      'network prune': {
        effects: [
          `remote delete of containers if -a --all --volumes -f --force unless !-a and !--all and !-af and !-fa`,
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune
    unless !-a and !--all and !-af and !-fa`,
        ],
      },
      'down|compose rm': `remote delete of containers if -v --volumes --rmi -sfv unless --dry-run unless --rmi and !-v and
    !--volumes`,
      'stack rm|node rm|service rm|secret rm|config rm': 'remote delete of containers',
      'swarm leave': 'remote delete of containers unless !-f and !--force',
      'service scale': 'remote change of containers unless !~*=0',
      'context rm|pod rm': 'remote delete of containers unless !-f and !-a and !--all and !-fa and !--force',
      'node demote': 'remote change of containers',
    },
  },
  {
    names: 'kubectl oc k kubectl.exe minikube-kubectl kubecolor',
    options: `n:f:l:o:k:c:p:s: --namespace= --filename= --selector= --output= --context= --kubeconfig= --cluster=
    --user= --server= --token= --grace-period= --timeout= --field-selector= --container= --replicas= --as=
    --type= --patch= --image= --from-literal= --from-file= --dry-run[=] --cascade[=] --kustomize=`,
    operands: '-*',
    values: '-f|--filename|--kubeconfig|--from-file|-k=read',
    prints: 'download if !>completion and !>aliases',
    verbs: 'remote',
    subs: {
      exec: {
        options: `itq c:f:n: --stdin --tty --quiet --container= --filename= --namespace= --context= --kubeconfig=
    --pod-running-timeout= --cluster= --user= --server= --token= --request-timeout= --as=`,
        operands: '- -- command+',
        mixed: true,
        remote: true,
      },
      run: {
        options: `it n:l: --stdin --tty --rm --quiet --image= --restart= --namespace= --context= --env= --labels=
    --overrides= --port= --command --attach --leave-stdin-open --privileged --image-pull-policy= --dry-run=
    --output= --expose --pod-running-timeout= --annotations= --kubeconfig= --as= --serviceaccount=`,
        operands: '- -- command+',
        mixed: true,
        remote: true,
      },
      debug: {
        options: `itq c:f:n: --stdin --tty --quiet --container= --filename= --namespace= --context= --kubeconfig=
    --pod-running-timeout= --cluster= --user= --server= --token= --request-timeout= --as= --image=
    --copy-to= --target= --share-processes --profile=`,
        operands: '- -- command+',
        mixed: true,
        remote: true,
      },
      rsh: { options: 'tT n:c: --shell= --container= --namespace=', operands: 'host command+', remote: true },
      'config delete-context|config delete-cluster': 'remote delete of kubernetes',
      'config unset': 'remote change of kubernetes',
      'drain|cordon|taint|uncordon --all': 'remote change of kubernetes unless >taint+**+*-',
      replace: 'remote change of kubernetes if --force',
      apply: 'remote change of kubernetes if --prune --force unless ~--prune=false ~--force=false',
      'config view': 'secret show of stores if --raw',
      get: 'secret show of cluster if =secret* =*/secret* and -o --output --template',
      whoami: 'secret show of stores if -t --show-token',
    },
    examples: { 'kubectl delete ns prod': 'remote delete of unlisted', 'kubectl get pods': 'nothing' },
  },
  {
    names: 'helm helm3',
    options: `f:n: --values= --namespace= --set= --set-string= --set-file= --version= --kubeconfig= --kube-context=
    --timeout= --repo=`,
    operands: '-*',
    values: '-f|--values|--kubeconfig=read',
    verbs: 'remote',
    subs: {
      'push|cm-push|nexus-push': 'package publish',
      'uninstall|delete|del|un': 'remote delete of clusters',
      upgrade: 'remote change of clusters if --force and --reset-values --cleanup-on-fail --force',
    },
  },
  {
    names: 'lxc-attach',
    options: 'n:e --name= --clear-env --keep-env --set-var=',
    operands: '- -- command+',
    remote: true,
    shellAlone: true,
  },
  {
    names: 'vagrant',
    subs: {
      ssh: {
        options: 'pt c: --command= --plain --tty',
        operands: '-*',
        values: '-c|--command=shell',
        mixed: true,
        remote: true,
      },
      'destroy|box remove|snapshot delete': 'remote delete of infrastructure',
      'global-status --prune': 'remote change of infrastructure',
    },
  },
  {
    names: 'crictl',
    subs: {
      exec: { options: 'its r: --interactive --tty --sync --timeout=', operands: '- command+', remote: true },
      'stopp|rmp|rm': {
        effects: [
          'remote delete of containers if unknown',
          'remote delete of containers if -a -fa -f --all --force --prune',
        ],
      },
      rmi: 'remote delete of containers if -a -fa -f --all --force --prune',
      stop: 'remote change of containers if -a -fa -f --all --force --prune',
    },
  },
  {
    names: 'lxc incus',
    subs: {
      exec: {
        options: 'tTn --force-interactive --mode= --cwd= --env= --user= --group=',
        operands: '- -- command+',
        remote: true,
      },
      'delete|storage delete|image delete|project delete|storage volume delete|profile delete|network delete|rm':
        'remote delete of containers',
    },
  },
  {
    names: 'machinectl',
    subs: {
      shell: {
        options: 'E:q --uid= --setenv= --quiet',
        operands: '- command+',
        remote: true,
        effects: 'privilege root',
      },
      'remove|terminate|clean|poweroff': 'remote delete of containers',
      kill: 'remote change of containers',
    },
  },
  {
    names: 'multipass',
    subs: {
      exec: {
        options: 'd: --working-directory= --no-map-working-directory',
        operands: '- -- command+',
        remote: true,
      },
      'delete|purge|factory-reset|prune|unregister|deletevm|rm': 'remote delete of containers',
    },
  },
  {
    names: 'limactl',
    subs: {
      shell: { options: '--workdir= --shell= --debug --tty=', operands: '- command+', remote: true },
      'delete|prune': 'remote delete of containers unless !--all and !-f',
      'purge|factory-reset|unregister|deletevm|rm': 'remote delete of containers',
    },
  },
  {
    names: 'colima',
    subs: {
      ssh: { options: 'p: --profile=', operands: 'host -- command+', remote: true },
      'delete|purge|factory-reset|prune|unregister|deletevm|rm': 'remote delete of containers',
    },
  },
  {
    names: 'minikube',
    subs: {
      ssh: { options: 'p:n: --profile= --node= --native-ssh', operands: 'shell+', remote: true },
      delete: {
        effects: [
          'remote delete of containers unless !--all and !-f',
          `remote delete of clusters unless !--all and !-a and !--purge and !~*prod* and !~clusters`,
        ],
      },
      'purge|factory-reset|unregister|deletevm|rm': 'remote delete of containers',
      prune: 'remote delete of containers unless !--all and !-f',
      'destroy|uninstall|remove': 'remote delete of clusters',
      reset: 'remote change of clusters',
      'cluster delete|delete cluster': `remote delete of clusters unless !--all and !-a and !--purge and !~*prod* and !~clusters`,
    },
  },
  {
    names: 'distrobox',
    subs: {
      enter: { options: 'n: --name= --root --no-tty --additional-flags=', operands: '- -- command+' },
      rm: 'remote delete of containers if -f --force -a --all',
    },
  },
  {
    names: 'toolbox',
    subs: {
      run: { options: 'c:r:d: --container= --release= --distro=', operands: 'command+' },
      rm: 'remote delete of containers if -f --force -a --all',
    },
  },
  {
    names: 'buildah finch lima-nerdctl',
    subs: {
      'rm|container rm|rmi': 'remote delete of containers if -H=*://* --host=*://*',
      'kill|container kill': 'remote change of containers if -H=*://* --host=*://*',
      stop: `remote change of containers if -H=*://* --host=*://* unless !-v and !--volumes and !-H and !--host`,
      'volume rm|system prune': {
        effects: [
          'remote delete of containers if -H=*://* --host=*://*',
          'remote delete of containers if -a --all --volumes -f --force',
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'compose down': {
        effects: [
          `remote delete of containers if -H=*://* --host=*://* unless !-v and !--volumes and !-H and !--host`,
          `remote delete of containers if -v --volumes --rmi -sfv unless --dry-run unless --rmi and !-v and
    !--volumes`,
        ],
      },
      'volume prune|volume remove': {
        effects: [
          'remote delete of containers if -a --all --volumes -f --force',
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'system reset': {
        effects: [
          'remote change of containers if -a --all --volumes -f --force',
          `remote change of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune`,
        ],
      },
      'image prune': {
        effects: [
          `remote delete of containers if -a --all --volumes -f --force unless !-a and !--all and !-af and !-fa
    unless !-a and !--all`,
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune
    unless !-a and !--all and !-af and !-fa unless !-a and !--all`,
        ],
      },
      'network prune': {
        effects: [
          `remote delete of containers if -a --all --volumes -f --force unless !-a and !--all and !-af and !-fa`,
          `remote delete of containers if >volume+rm >volume+remove >volume+prune >system+reset >system+prune
    unless !-a and !--all and !-af and !-fa`,
        ],
      },
      'down|compose rm': `remote delete of containers if -v --volumes --rmi -sfv unless --dry-run unless --rmi and !-v and
    !--volumes`,
      'stack rm|node rm|service rm|secret rm|config rm': 'remote delete of containers',
      'swarm leave': 'remote delete of containers unless !-f and !--force',
      'service scale': 'remote change of containers unless !~*=0',
      'context rm|pod rm': 'remote delete of containers unless !-f and !-a and !--all and !-fa and !--force',
      'node demote': 'remote change of containers',
    },
  },
  { names: 'lxc-destroy', effects: 'remote delete of containers' },
  {
    names: 'ctr',
    effects: [
      'remote delete of containers if >**+rm >**+delete >**+del',
      'remote change of containers if >**+kill',
    ],
  },
  {
    names: 'virsh',
    effects: [
      'remote delete of infrastructure if >destroy-* >remove-* >*+delete unless >shutdown',
      'remote change of infrastructure if >*+stop >*+unset unless >shutdown',
    ],
    subs: {
      'undefine|vol-delete|pool-delete|snapshot-delete|vol-wipe': {
        effects: ['remote delete of containers', 'remote change of infrastructure'],
      },
      destroy: { effects: ['remote delete of containers', 'remote delete of infrastructure'] },
      'pool-destroy|shutdown': 'remote delete of containers',
      reset: 'remote change of containers',
      'kill-controller|vm.destroy|datastore.rm|machine release|vm.power|net-destroy':
        'remote change of infrastructure',
      delete: 'remote delete of infrastructure',
    },
  },
  {
    names: 'pvesh',
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
      'destroy|delete': { effects: ['remote delete of containers', 'remote delete of platforms'] },
      'delsnapshot|vm-destroy|vm-uninstall|vdi-destroy|unlink|delnode': 'remote delete of containers',
      rollback: 'remote change of containers',
      'terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  {
    names: 'pvecm vzctl xe',
    subs: {
      'destroy|delete|delsnapshot|vm-destroy|vm-uninstall|vdi-destroy|unlink|delnode':
        'remote delete of containers',
      rollback: 'remote change of containers',
    },
  },
  {
    names: 'vboxmanage',
    effects: [
      'remote delete of containers if >snapshot+**+delete and --delete --delete-all',
      'remote delete of containers if >snapshot+**+delete and ~poweroff ~reset',
      'remote delete of containers if >snapshot+**+delete and >snapshot+**+delete',
    ],
    subs: {
      'unregistervm|closemedium|controlvm': {
        effects: [
          'remote delete of containers if --delete --delete-all',
          'remote delete of containers if ~poweroff ~reset',
          'remote delete of containers if >snapshot+**+delete',
        ],
      },
    },
  },
  {
    names: 'orb orbctl lima tart vfkit podman-machine vmrun utmctl',
    subs: { 'delete|purge|factory-reset|prune|unregister|deletevm|rm': 'remote delete of containers' },
  },
  { names: 'docker-machine', subs: { rm: 'remote delete of containers' } },
];
