/** Clouds, infrastructure as code, deploy tools, forges, stores of secrets. */
import type { Row } from '../notation.ts';

export const CLOUD: readonly Row[] = [
  {
    names: 'aws awslocal aws2',
    options: `--profile= --region= --output= --query= --endpoint-url= --project= --zone= --format= --account=
    --subscription= --resource-group= --name= --bucket= --key= --body= --filter= --location=
    --cli-input-json= --ids= --instance-ids= --configuration= --impersonate-service-account= -g= -n= -o=`,
    operands: '-*',
    values: '--body=read',
    prints: 'download if !>completion and !>aliases',
    unless: '>*+help >*+*+help --endpoint-url=http://localhost* --endpoint-url=http://127.0.0.1*',
    effects: [
      `remote delete of aws if >*+delete-* >*+terminate-* >*+deregister-* >*+purge-* >*+remove-*
    >*+schedule-key-deletion >*+revoke-* >*+batch-delete* >*+reboot-* >*+release-* >*+disassociate-*
    >*+leave-* >*+reject-* unless >configure`,
      `remote change of aws if >*+disable-* >*+stop-* >*+detach-* >*+cancel-* >*+reset-* >*+close-account
    unless >configure`,
      'remote change of aws if >s3api+put-bucket-lifecycle* unless >configure',
      `remote change of aws if >iam+attach-* >iam+put-* unless >configure unless >organizations+list-*
    >organizations+describe-* >sso-admin+list-* >sso-admin+describe-*`,
      `remote create of aws if >iam+upload-* unless >configure unless >organizations+list-*
    >organizations+describe-* >sso-admin+list-* >sso-admin+describe-*`,
      `remote delete of aws if >organizations+* >sso-admin+* unless >configure unless >organizations+list-*
    >organizations+describe-* >sso-admin+list-* >sso-admin+describe-*`,
      'remote delete of aws if >iam+deactivate-* unless >configure',
      `secret show of stores if >ssm+get-param* unless >ssm+get-param* and !--with-decryption unless
    >configure+get and =region =output =*.region =*.output =profile =cli_pager unless >sts+assume-role`,
    ],
    verbs: 'remote',
    subs: {
      's3 rb|s3 rm': 'remote delete of aws unless --dryrun',
      's3 sync|s3 mv': 'remote change of aws if --delete unless --dryrun',
      's3api put-bucket-acl|s3api put-object-acl|s3api put-bucket-policy|s3api put-public-access-block|s3api put-bucket-versioning|iam update-assume-role-policy|iam update-login-profile|iam set-default-policy-version|iam update-access-key':
        'remote change of aws',
      'iam create-access-key': { effects: ['remote create of aws', 'secret show of stores'] },
      'iam create-login-profile|iam add-user-to-group|iam create-user|iam create-policy-version|iam add-role-to-instance-profile':
        'remote create of aws',
      'iam pass-role': 'remote delete of aws',
      'secretsmanager delete-secret|secrets delete|keyvault secret delete': 'remote delete of secret-stores',
      'configure get': 'secret show of stores unless =region =output =*.region =*.output =profile =cli_pager',
      'configure export-credentials|secretsmanager get-secret-value|secretsmanager batch-get-secret-value|sts get-session-token|sts get-federation-token|iam get-credential-report|sso get-role-credentials|kms decrypt|ec2 get-password-data|redshift get-cluster-credentials':
        'secret show of stores',
    },
    examples: {
      'aws s3 rb s3://data --force': 'remote delete of aws',
      'aws s3 ls': 'nothing',
      'aws ec2 terminate-instances --instance-ids i-1': 'remote delete of aws',
    },
  },
  {
    names: 'gcloud',
    options: `--profile= --region= --output= --query= --endpoint-url= --project= --zone= --format= --account=
    --subscription= --resource-group= --name= --bucket= --key= --body= --filter= --location=
    --cli-input-json= --ids= --instance-ids= --configuration= --impersonate-service-account= -g= -n= -o=`,
    operands: '-*',
    prints: 'download if !>completion and !>aliases',
    effects: [
      `remote delete of gcloud if >**+delete >**+remove-iam-policy-binding >**+destroy >**+abandon-instances
    >**+simulate-maintenance-event >**+undelete >**+purge >**+revoke unless >**+add-iam-policy-binding and
    !~*allUsers* and !~*allAuthenticated* and !~*roles/owner* and !~*roles/editor* and !~*admin* unless
    >config >auth >components >emulators >topic`,
      `remote create of gcloud if >**+add-iam-policy-binding unless >**+add-iam-policy-binding and !~*allUsers*
    and !~*allAuthenticated* and !~*roles/owner* and !~*roles/editor* and !~*admin* unless >config >auth
    >components >emulators >topic`,
      `remote change of gcloud if >**+set-iam-policy >**+disable >**+stop >**+reset >**+detach-disk
    >**+rollback >**+drain unless >**+add-iam-policy-binding and !~*allUsers* and !~*allAuthenticated* and
    !~*roles/owner* and !~*roles/editor* and !~*admin* unless >config >auth >components >emulators >topic`,
      `remote create of gcloud if >iam+service-accounts+keys+create unless >storage+rsync and
    !--delete-unmatched-destination-objects`,
      `secret show of stores if >auth+print-* >auth+application-default+print-*
    >iam+service-accounts+keys+create >beta+secrets+versions+access`,
    ],
    verbs: 'remote',
    subs: {
      'compute ssh': {
        options: `--command= --zone= --project= --ssh-flag= --tunnel-through-iap --internal-ip --quiet --plain
    --ssh-key-file=`,
        operands: '-*',
        values: '--command=shell',
        mixed: true,
        remote: true,
      },
      'storage rm|storage buckets delete|alpha storage rm|projects delete': 'remote delete of gcloud',
      'sql instances patch': 'remote change of gcloud',
      'storage rsync': 'remote delete of gcloud unless !--delete-unmatched-destination-objects',
      'secretsmanager delete-secret|secrets delete|keyvault secret delete': 'remote delete of secret-stores',
      'pubsub subscriptions seek': 'remote delete of queues',
      'secrets versions access|auth application-default print-access-token|sql generate-login-token':
        'secret show of stores',
    },
  },
  {
    names: 'az',
    options: `--profile= --region= --output= --query= --endpoint-url= --project= --zone= --format= --account=
    --subscription= --resource-group= --name= --bucket= --key= --body= --filter= --location=
    --cli-input-json= --ids= --instance-ids= --configuration= --impersonate-service-account= -g= -n= -o=`,
    operands: '-*',
    prints: 'download if !>completion and !>aliases',
    effects: [
      `remote delete of azure if >**+delete >**+delete-* >**+purge >**+deallocate >**+remove >**+reimage
    >**+regenerate >**+renew >**+revoke >**+delete-batch unless >config >extension+remove >account+clear
    >cache >alias >bicep >webapp+restart`,
      `remote change of azure if >**+stop >**+restart >**+reset unless >config >extension+remove >account+clear
    >cache >alias >bicep >webapp+restart`,
      `remote create of azure if >network+nsg+rule+create >sql+server+firewall-rule+create and ~[*] ~0.0.0.0*
    ~internet ~0.0.0.0/0`,
      `remote change of azure if >network+nsg+rule+update and ~[*] ~0.0.0.0* ~internet ~0.0.0.0/0`,
      `remote create of azure if >network+nsg+rule+create >sql+server+firewall-rule+create and >vm+open-port`,
      'remote change of azure if >network+nsg+rule+update and >vm+open-port',
      `secret show of stores if >storage+account+keys+list >webapp+deployment+list-publishing-*
    >ad+sp+credential+* >servicebus+**+keys+list`,
    ],
    verbs: 'remote',
    subs: {
      'vm open-port': {
        effects: [
          'remote delete of azure if ~[*] ~0.0.0.0* ~internet ~0.0.0.0/0',
          'remote delete of azure if >vm+open-port',
        ],
      },
      'secretsmanager delete-secret|secrets delete|keyvault secret delete': 'remote delete of secret-stores',
      'account get-access-token|keyvault secret show|keyvault secret download|keyvault key download|storage account show-connection-string|acr credential show|cosmosdb keys list|redis list-keys|functionapp keys list':
        'secret show of stores',
    },
  },
  {
    names: 'gsutil',
    options: 'o:h:i:u:',
    operands: '- read* write',
    prints: 'download if !>completion and !>aliases',
    subs: {
      'rm|rb|iam ch|acl ch|defacl': 'remote delete of gcloud',
      'acl set|lifecycle set|versioning set': 'remote change of gcloud',
      rsync: 'remote delete of gcloud if -d unless -n',
    },
  },
  {
    names: 'terraform tofu terragrunt terraform-docs',
    options: `-chdir= -var= -var-file= -target= -state= -out= -backend-config= -lock-timeout= -parallelism= -replace=`,
    operands: '-*',
    values: '-state=edit -var-file=read -out=write',
    single: true,
    verbs: 'remote',
    subs: {
      'registry publish': 'package publish',
      'destroy|run-all destroy|destroy-all|state rm|workspace delete': 'remote delete of infrastructure',
      'run-all apply|apply-all|force-unlock|taint|state replace-provider': 'remote change of infrastructure',
      'state push': 'remote create of infrastructure',
      'state mv': 'remote change of infrastructure unless -dry-run',
      apply: {
        effects: [
          `remote change of infrastructure if -auto-approve --auto-approve -destroy --destroy -replace -lock=false`,
          'remote change of infrastructure if ~-replace=* ~-lock=false ~-destroy',
          'remote change of infrastructure if ~-destroy',
        ],
      },
    },
    examples: { 'terraform destroy': 'remote delete of infrastructure', 'terraform plan': 'nothing' },
  },
  {
    names: 'heroku',
    effects: [
      `remote delete of platforms if >*:destroy >*:delete >*:reset >*:remove >*:unset >access:* >data:* unless
    >ps:scale and !~*=0 unless >access >rollback >keys:remove >git:remote >access:* >data:*`,
      `remote change of platforms if >pg:kill* unless >ps:scale and !~*=0 unless >access >rollback >keys:remove
    >git:remote >access:* >data:*`,
      'secret show of stores if >pg:credentials*',
    ],
    verbs: 'remote',
    subs: {
      run: {
        options: 'a:r:x --app= --remote= --size= --type= --env= --exit-code --no-tty',
        operands: 'shell+',
        mixed: true,
        remote: true,
      },
      'apps:transfer|pg:promote|ps:stop|releases:rollback|addons:detach|pg:backups:restore':
        'remote change of platforms',
      'ps:scale': 'remote change of platforms unless !~*=0',
      'maintenance:on|domains:clear|pg:backups:delete|pipelines:destroy|certs:remove|drains:remove|keys:clear':
        'remote delete of platforms',
      'pg:push|pg:copy': 'remote create of platforms',
      'auth:token|config': 'secret show of stores',
    },
  },
  {
    names: 'fly flyctl',
    effects: 'remote delete of platforms if >*+destroy >vol*+de* >lfsc+*+destroy',
    verbs: 'remote',
    subs: {
      'ssh console': {
        options: 'a:C:s:g: --app= --command= --select --pty --user=',
        operands: '-*',
        values: '-C|--command=shell',
        mixed: true,
        remote: true,
      },
      'apps destroy|destroy|machine destroy|machines destroy|m destroy|volumes destroy|volumes delete|secrets unset|ips release|certs remove|orgs delete|redis destroy|wireguard remove|tokens revoke|storage destroy':
        'remote delete of platforms',
      'postgres detach|pg detach|apps suspend|scale count 0|machine stop|apps move|consul detach':
        'remote change of platforms',
      'auth token|tokens create|ssh issue': 'secret show of stores',
    },
  },
  {
    names: 'railway',
    verbs: 'remote',
    subs: {
      run: { options: 's:e: --service= --environment=', operands: 'command+' },
      'delete|down|service delete|environment delete|volume delete|remove': 'remote delete of platforms',
      variables: 'secret show of stores unless --set',
    },
  },
  {
    names: 'aws-vault',
    subs: {
      exec: {
        options: 'nd:j: --no-session --duration= --region= --server --json',
        operands: '- -- command+',
      },
    },
  },
  {
    names: 'bq',
    effects: ['remote delete of gcloud if >remove_*', 'remote delete of gcloud if rm'],
    subs: {
      rm: 'remote delete of gcloud',
      cancel: 'remote change of gcloud',
      load: 'remote delete of gcloud if --replace',
    },
  },
  {
    names: 'firebase',
    effects: 'remote delete of gcloud if >*:delete >*:disable >apphosting:*:delete',
    verbs: 'remote',
    subs: {
      'database:remove|firestore:delete|projects:delete|functions:delete|firestore:databases:delete':
        'remote delete of gcloud',
      'database:set|hosting:disable': 'remote change of gcloud',
      'auth:import': 'remote create of gcloud',
    },
  },
  { names: 'azd', subs: { down: 'remote delete of azure' } },
  {
    names: 'azcopy',
    subs: {
      'remove|rm': 'remote delete of azure',
      sync: 'remote change of azure unless !~--delete-destination=true',
    },
  },
  {
    names: 'k3s',
    subs: {
      'config delete-context|config delete-cluster': 'remote delete of kubernetes',
      'config unset': 'remote change of kubernetes',
      'drain|cordon|taint|uncordon --all': 'remote change of kubernetes unless >taint+**+*-',
      replace: 'remote change of kubernetes if --force',
      apply: 'remote change of kubernetes if --prune --force unless ~--prune=false ~--force=false',
    },
  },
  {
    names: 'microk8s',
    subs: {
      'config delete-context|config delete-cluster': 'remote delete of kubernetes',
      'config unset': 'remote change of kubernetes',
      'drain|cordon|taint|uncordon --all': 'remote change of kubernetes unless >taint+**+*-',
      replace: 'remote change of kubernetes if --force',
      apply: 'remote change of kubernetes if --prune --force unless ~--prune=false ~--force=false',
      'delete|destroy|uninstall|remove|cluster delete|delete cluster': 'remote delete of clusters',
      reset: 'remote change of clusters',
    },
  },
  { names: 'kubeadm', subs: { reset: 'remote change of clusters' } },
  {
    names: `k3s-uninstall.sh k3s-agent-uninstall.sh k3s-killall.sh rke2-uninstall.sh rke2-killall.sh`,
    effects: 'remote delete of clusters',
  },
  {
    names: 'kind',
    subs: {
      'delete|cluster delete|delete cluster': `remote delete of clusters unless !--all and !-a and !--purge and !~*prod* and !~clusters`,
      'destroy|uninstall|remove': 'remote delete of clusters',
      reset: 'remote change of clusters',
      'delete clusters': 'remote delete of clusters if --all -A',
    },
  },
  {
    names: 'k3d vcluster',
    subs: {
      'delete|cluster delete|delete cluster': `remote delete of clusters unless !--all and !-a and !--purge and !~*prod* and !~clusters`,
      'destroy|uninstall|remove': 'remote delete of clusters',
      reset: 'remote change of clusters',
    },
  },
  {
    names: 'eksctl',
    verbs: 'remote',
    subs: {
      'delete|destroy|uninstall|remove|cluster delete|delete cluster': 'remote delete of clusters',
      reset: 'remote change of clusters',
    },
  },
  {
    names: 'kops ctlptl gke-deploy rosa talosctl rke clusterctl tkgi',
    subs: {
      'delete|destroy|uninstall|remove|cluster delete|delete cluster': 'remote delete of clusters',
      reset: 'remote change of clusters',
    },
  },
  {
    names: 'argocd',
    verbs: 'remote',
    subs: {
      'app delete|app terminate-op|proj rm|cluster rm|repo rm|delete|uninstall|backup delete|restore delete|schedule delete|rm':
        'remote delete of clusters',
      suspend: 'remote change of clusters',
      'app sync': 'remote change of clusters unless !--prune and !--force',
    },
  },
  {
    names: 'istioctl linkerd cilium',
    subs: {
      'app delete|app terminate-op|proj rm|cluster rm|repo rm|delete|uninstall|backup delete|restore delete|schedule delete|rm':
        'remote delete of clusters',
      suspend: 'remote change of clusters',
      'app sync': 'remote change of clusters unless !--prune and !--force',
    },
  },
  {
    names: 'flux',
    verbs: 'remote',
    subs: {
      'app delete|app terminate-op|proj rm|cluster rm|repo rm|delete|uninstall|backup delete|restore delete|schedule delete|rm':
        'remote delete of clusters',
      'app sync': 'remote change of clusters unless !--prune and !--force',
    },
  },
  {
    names: 'velero',
    subs: {
      'app delete|app terminate-op|proj rm|cluster rm|repo rm|delete|uninstall|restore delete|schedule delete|rm':
        'remote delete of clusters',
      'backup delete': { effects: ['remote delete of clusters', 'remote delete of backups'] },
      suspend: 'remote change of clusters',
      'app sync': 'remote change of clusters unless !--prune and !--force',
      'delete backup': 'remote delete of backups',
    },
  },
  {
    names: 'nomad',
    effects: 'remote delete of clusters if >acl+*+delete',
    verbs: 'remote',
    subs: {
      'job stop|stop|node drain': 'remote change of clusters',
      'job purge|namespace delete|system gc|volume delete|node eligibility|var purge|server force-leave':
        'remote delete of clusters',
    },
  },
  {
    names: 'pulumi',
    verbs: 'remote',
    subs: {
      'destroy|stack rm|state delete': 'remote delete of infrastructure',
      'cancel|state unprotect|down': 'remote change of infrastructure',
      'up|update|refresh': 'remote change of infrastructure if -y --yes -f --skip-preview',
      'config get|stack export|config|stack output': 'secret show of stores if --show-secrets',
    },
  },
  {
    names: 'cdk cdktf',
    verbs: 'remote',
    subs: {
      'destroy|delete|remove|terminate|env delete|app delete|svc delete|undeploy|job delete|nuke':
        'remote delete of infrastructure',
      down: 'remote change of infrastructure',
    },
  },
  {
    names: `sam copilot serverless sls sst amplify eb chalice zappa up apex architect stackery cloudformation cfn
    crossplane ecs-cli`,
    subs: {
      'destroy|delete|remove|terminate|env delete|app delete|svc delete|undeploy|job delete|nuke':
        'remote delete of infrastructure',
      down: 'remote change of infrastructure',
    },
  },
  {
    names: 'arc',
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
      'destroy|delete|remove|terminate|nuke': {
        effects: ['remote delete of infrastructure', 'remote delete of platforms'],
      },
      'env delete|app delete|svc delete|undeploy|job delete': 'remote delete of infrastructure',
      down: 'remote change of infrastructure',
      'purge|rm|erase|wipe|bulk-delete': 'remote delete of platforms',
    },
  },
  {
    names: 'now vercel vc',
    verbs: 'remote',
    subs: {
      remove: { effects: ['remote delete of platforms', 'remote delete of infrastructure'] },
      'rm|env rm|env remove|domains rm|project rm|projects rm|project remove|alias rm|certs rm|secrets rm|dns rm|teams rm|blob del|blob store remove|integration remove':
        'remote delete of platforms',
      'env ls --decrypt|token': 'secret show of stores',
      'destroy|delete|terminate|env delete|app delete|svc delete|undeploy|job delete|nuke':
        'remote delete of infrastructure',
      down: 'remote change of infrastructure',
    },
  },
  {
    names: 'aws-nuke cloud-nuke gcp-nuke azure-nuke leftovers',
    effects: `remote change of infrastructure if --no-dry-run --force unless >inspect-aws >resource-types`,
    subs: { 'run|aws|gcp|azure': 'remote change of infrastructure' },
  },
  { names: 'packer', subs: { build: 'remote change of infrastructure if -force' } },
  { names: 'ansible-pull', effects: 'remote change of infrastructure if -U=http://*' },
  {
    names: 'juju maas govc',
    effects: [
      'remote delete of infrastructure if >destroy-* >remove-* >*+delete',
      'remote change of infrastructure if >*+stop >*+unset',
      `remote delete of platforms if >*+delete >*+*+delete >*+*+*+delete >*+destroy >*+*+destroy >*+*+*+destroy
    >*+terminate >*+*+terminate >*+*+*+terminate >*+purge >*+*+purge >*+*+*+purge >*+remove >*+*+remove
    >*+rm >*+*+rm >*+erase >*+*+erase >*+wipe >*+*+wipe >*+nuke >*+*+nuke >delete-* >*+delete-*
    >*+*+delete-* >*-delete >*+*-delete >*+*+*-delete >*:delete >destroy-* >*+destroy-* >*+*+destroy-*
    >*-destroy >*+*-destroy >*+*+*-destroy >*:destroy >terminate-* >*+terminate-* >*+*+terminate-*
    >*-terminate >*+*-terminate >*+*+*-terminate >*:terminate >purge-* >*+purge-* >*+*+purge-* >*-purge
    >*+*-purge >*+*+*-purge >*:purge >remove-* >*+remove-* >*+*+remove-* >*-remove >*+*-remove >*+*+*-remove
    >*:remove >*+delete?* >*+terminate?* >*+release?*instance* >*+*+bulk-delete unless >config >configure
    >auth >context >plugin >plugins >completion >help >cache >login >profile >alias`,
    ],
    subs: {
      'kill-controller|undefine|vm.destroy|datastore.rm|machine release|vm.power|pool-delete|vol-delete|snapshot-delete|shutdown|net-destroy|vol-wipe':
        'remote change of infrastructure',
      'delete|destroy': { effects: ['remote delete of infrastructure', 'remote delete of platforms'] },
      'terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  {
    names: 'lxd cinder glance neutron vcenter virt-manager',
    effects: [
      'remote delete of infrastructure if >destroy-* >remove-* >*+delete',
      'remote change of infrastructure if >*+stop >*+unset',
    ],
    subs: {
      'kill-controller|undefine|vm.destroy|datastore.rm|machine release|vm.power|pool-delete|vol-delete|snapshot-delete|shutdown|net-destroy|vol-wipe':
        'remote change of infrastructure',
      'delete|destroy': 'remote delete of infrastructure',
    },
  },
  {
    names: 'openstack nova',
    effects: [
      'remote delete of infrastructure if >destroy-* >remove-* >*+delete',
      'remote change of infrastructure if >*+stop >*+unset',
      `remote delete of platforms if >**+delete >**+rm >**+terminate >**+destroy >**+remove >**+delete-*
    >**+poweroff >**+power-off >**+shutdown >**+rebuild >**+bulk-delete >**+purge >**+halt >*+delete*
    >**+reboot unless >config >auth >context >plugin >**+list >ssh-key >account`,
      `remote change of platforms if >**+reset >**+stop >**+detach unless >config >auth >context >plugin
    >**+list >ssh-key >account`,
    ],
    subs: {
      'kill-controller|undefine|vm.destroy|datastore.rm|machine release|vm.power|pool-delete|vol-delete|snapshot-delete|shutdown|net-destroy|vol-wipe':
        'remote change of infrastructure',
      'delete|destroy': 'remote delete of infrastructure',
    },
  },
  {
    names: 'render',
    operands: '-*',
    effects: `remote delete of platforms if >*:destroy >*:delete >*:remove >*+delete >delete-* >purge-* >unbind-*`,
    verbs: 'remote',
    subs: {
      'delete|destroy|apps:destroy|environment:delete|services delete|app delete':
        'remote delete of platforms',
    },
  },
  {
    names: 'qovery dokku platform scalingo gigalixir clever divio flightctl porter coolify',
    effects: `remote delete of platforms if >*:destroy >*:delete >*:remove >*+delete >delete-* >purge-* >unbind-*`,
    subs: {
      'delete|destroy|apps:destroy|environment:delete|services delete|app delete':
        'remote delete of platforms',
    },
  },
  {
    names: 'northflank koyeb caprover cf deta',
    effects: [
      `remote delete of platforms if >*:destroy >*:delete >*:remove >*+delete >delete-* >purge-* >unbind-*`,
      `remote delete of platforms if >*+delete >*+*+delete >*+*+*+delete >*+destroy >*+*+destroy >*+*+*+destroy
    >*+terminate >*+*+terminate >*+*+*+terminate >*+purge >*+*+purge >*+*+*+purge >*+remove >*+*+remove
    >*+rm >*+*+rm >*+erase >*+*+erase >*+wipe >*+*+wipe >*+nuke >*+*+nuke >delete-* >*+delete-*
    >*+*+delete-* >*-delete >*+*-delete >*+*+*-delete >*:delete >destroy-* >*+destroy-* >*+*+destroy-*
    >*-destroy >*+*-destroy >*+*+*-destroy >*:destroy >terminate-* >*+terminate-* >*+*+terminate-*
    >*-terminate >*+*-terminate >*+*+*-terminate >*:terminate >purge-* >*+purge-* >*+*+purge-* >*-purge
    >*+*-purge >*+*+*-purge >*:purge >remove-* >*+remove-* >*+*+remove-* >*-remove >*+*-remove >*+*+*-remove
    >*:remove >*+delete?* >*+terminate?* >*+release?*instance* >*+*+bulk-delete unless >config >configure
    >auth >context >plugin >plugins >completion >help >cache >login >profile >alias`,
    ],
    subs: {
      'delete|destroy|apps:destroy|environment:delete|services delete|app delete|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete':
        'remote delete of platforms',
    },
  },
  {
    names: 'supabase',
    verbs: 'remote',
    subs: {
      'projects delete|branches delete|functions delete|secrets unset|storage rm|orgs delete':
        'remote delete of platforms',
      'db reset': 'remote change of platforms unless !--linked and !--db-url',
      'db push': 'remote create of platforms unless !--include-all and !--force',
    },
  },
  {
    names: `planetscale pscale neon neonctl turso xata cockroach tidbcloud atlas mongocli upstash aiven avn dynamodb`,
    effects: `remote delete of platforms if >*+delete >*+destroy >*+terminate >*+*+delete unless >clusters+pause`,
    subs: {
      'delete|destroy|db destroy|database delete|branch delete|clusters delete|service terminate|group destroy':
        'remote delete of platforms',
      'branches reset': 'remote change of platforms',
    },
  },
  {
    names: 'ccloud confluent',
    effects: `remote delete of platforms if >*+delete >*+destroy >*+terminate >*+*+delete unless >clusters+pause`,
    subs: {
      delete: { effects: ['remote delete of platforms', 'remote delete of queues'] },
      'destroy|db destroy|database delete|branch delete|clusters delete|service terminate|group destroy':
        'remote delete of platforms',
      'branches reset': 'remote change of platforms',
      'topic delete|delete topic|group delete|topic trim-prefix|cluster delete|kafka topic delete|kafka cluster delete':
        'remote delete of queues',
    },
  },
  {
    names: 'linode-cli scw oci',
    operands: '-*',
    effects: [
      `remote delete of platforms if >**+delete >**+rm >**+terminate >**+destroy >**+remove >**+delete-*
    >**+poweroff >**+power-off >**+shutdown >**+rebuild >**+bulk-delete >**+purge >**+halt >*+delete*
    >**+reboot unless >config >auth >context >plugin >**+list >ssh-key >account`,
      `remote change of platforms if >**+reset >**+stop >**+detach unless >config >auth >context >plugin
    >**+list >ssh-key >account`,
    ],
    verbs: 'remote',
  },
  {
    names: `civo exo vultr-cli vultr ovhcloud packet metal upctl cherryctl yc gridscale ionosctl stackit exoscale
    latitude lsh brightbox phoenixnap equinix`,
    effects: [
      `remote delete of platforms if >**+delete >**+rm >**+terminate >**+destroy >**+remove >**+delete-*
    >**+poweroff >**+power-off >**+shutdown >**+rebuild >**+bulk-delete >**+purge >**+halt >*+delete*
    >**+reboot unless >config >auth >context >plugin >**+list >ssh-key >account`,
      `remote change of platforms if >**+reset >**+stop >**+detach unless >config >auth >context >plugin
    >**+list >ssh-key >account`,
    ],
  },
  {
    names: 'hcloud ibmcloud aliyun',
    operands: '-*',
    effects: [
      `remote delete of platforms if >**+delete >**+rm >**+terminate >**+destroy >**+remove >**+delete-*
    >**+poweroff >**+power-off >**+shutdown >**+rebuild >**+bulk-delete >**+purge >**+halt >*+delete*
    >**+reboot unless >config >auth >context >plugin >**+list >ssh-key >account`,
      `remote change of platforms if >**+reset >**+stop >**+detach unless >config >auth >context >plugin
    >**+list >ssh-key >account`,
      `remote delete of platforms if >*+delete >*+*+delete >*+*+*+delete >*+destroy >*+*+destroy >*+*+*+destroy
    >*+terminate >*+*+terminate >*+*+*+terminate >*+purge >*+*+purge >*+*+*+purge >*+remove >*+*+remove
    >*+rm >*+*+rm >*+erase >*+*+erase >*+wipe >*+*+wipe >*+nuke >*+*+nuke >delete-* >*+delete-*
    >*+*+delete-* >*-delete >*+*-delete >*+*+*-delete >*:delete >destroy-* >*+destroy-* >*+*+destroy-*
    >*-destroy >*+*-destroy >*+*+*-destroy >*:destroy >terminate-* >*+terminate-* >*+*+terminate-*
    >*-terminate >*+*-terminate >*+*+*-terminate >*:terminate >purge-* >*+purge-* >*+*+purge-* >*-purge
    >*+*-purge >*+*+*-purge >*:purge >remove-* >*+remove-* >*+*+remove-* >*-remove >*+*-remove >*+*+*-remove
    >*:remove >*+delete?* >*+terminate?* >*+release?*instance* >*+*+bulk-delete unless >config >configure
    >auth >context >plugin >plugins >completion >help >cache >login >profile >alias`,
    ],
    verbs: 'remote',
    subs: {
      'delete|destroy|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  {
    names: 'tccli kamatera',
    effects: [
      `remote delete of platforms if >**+delete >**+rm >**+terminate >**+destroy >**+remove >**+delete-*
    >**+poweroff >**+power-off >**+shutdown >**+rebuild >**+bulk-delete >**+purge >**+halt >*+delete*
    >**+reboot unless >config >auth >context >plugin >**+list >ssh-key >account`,
      `remote change of platforms if >**+reset >**+stop >**+detach unless >config >auth >context >plugin
    >**+list >ssh-key >account`,
      `remote delete of platforms if >*+delete >*+*+delete >*+*+*+delete >*+destroy >*+*+destroy >*+*+*+destroy
    >*+terminate >*+*+terminate >*+*+*+terminate >*+purge >*+*+purge >*+*+*+purge >*+remove >*+*+remove
    >*+rm >*+*+rm >*+erase >*+*+erase >*+wipe >*+*+wipe >*+nuke >*+*+nuke >delete-* >*+delete-*
    >*+*+delete-* >*-delete >*+*-delete >*+*+*-delete >*:delete >destroy-* >*+destroy-* >*+*+destroy-*
    >*-destroy >*+*-destroy >*+*+*-destroy >*:destroy >terminate-* >*+terminate-* >*+*+terminate-*
    >*-terminate >*+*-terminate >*+*+*-terminate >*:terminate >purge-* >*+purge-* >*+*+purge-* >*-purge
    >*+*-purge >*+*+*-purge >*:purge >remove-* >*+remove-* >*+*+remove-* >*-remove >*+*-remove >*+*+*-remove
    >*:remove >*+delete?* >*+terminate?* >*+release?*instance* >*+*+bulk-delete unless >config >configure
    >auth >context >plugin >plugins >completion >help >cache >login >profile >alias`,
    ],
    subs: {
      'delete|destroy|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  {
    names: `convox appwrite bce hwcloud jdcloud volcengine ve leaseweb contabo cntb cloudns dnsimple flarectl
    cf-terraforming fastly akamai bunny keycdn gcore edgio algolia mux cloudinary uploadcare imgix prismic
    strapi hygraph storyblok directus kinsta pantheon terminus acli platformsh upsun ddev-live wpengine
    cloudways plesk cpanel whmapi1 uapi nitric encore garden okteto devspace loft spacectl env0 scalr tfc
    hcp boundary waypoint rad humanitec score tsuru deis flynn nanobox hephy piku sup zeet zeabur genezio
    adaptable cyclic glitch replit space begin cfy brev runpodctl vastai lambda-cloud modal replicate
    huggingface-cli hf wandb clearml comet neptune dvc-studio kaggle databricks dbx snow snowsql astro
    fivetran airbyte hightouch dbt-cloud dagster-cloud meltano segment ldcli statsig unleash configcat okta
    auth0 workos clerk keycloak kcadm.sh kcadm gam gws m365 pnp sfdx sf force zendesk zcli hubspot hs
    shopify bigcommerce stripe paddle twilio vonage nexmo plivo sendgrid mailgun postmark newrelic
    datadog-ci dog sentry-cli honeycomb logz sumologic grafana-cli grafanactl tkn nexus cloudsmith
    packagecloud quay harbor tailscale twingate zerotier-cli netbird ngrok linear jira acli-jira notion
    asana trello slack discord teams zoom box dropbox mega-cmd gdrive drive onedrive rclone-browser
    ossutil64 coscli qshell bosh ntnx ncli vcd vmware xo-cli hammer katello foreman satellite cloudify
    morpheus`,
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
      'delete|destroy|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
    },
  },
  {
    names: 'typesense meilisearch',
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
      'delete|remove': { effects: ['remote delete of platforms', 'remote delete of databases'] },
      'destroy|terminate|purge|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
      'bucket-delete|bucket-flush|database drop|database wipe|instance destroy': 'remote delete of databases',
    },
  },
  {
    names: 'prefect',
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
      'delete|destroy|terminate|purge|remove|rm|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
      'db reset|server database reset': 'remote change of queues',
      'dags delete|db clean|deployment delete|connections delete|users delete|variables delete':
        'remote delete of queues',
    },
  },
  {
    names: 'b2 wasabi storj uplink ossutil coscmd obsutil',
    effects: [
      `remote delete of platforms if >*+delete >*+*+delete >*+*+*+delete >*+destroy >*+*+destroy >*+*+*+destroy
    >*+terminate >*+*+terminate >*+*+*+terminate >*+purge >*+*+purge >*+*+*+purge >*+remove >*+*+remove
    >*+rm >*+*+rm >*+erase >*+*+erase >*+wipe >*+*+wipe >*+nuke >*+*+nuke >delete-* >*+delete-*
    >*+*+delete-* >*-delete >*+*-delete >*+*+*-delete >*:delete >destroy-* >*+destroy-* >*+*+destroy-*
    >*-destroy >*+*-destroy >*+*+*-destroy >*:destroy >terminate-* >*+terminate-* >*+*+terminate-*
    >*-terminate >*+*-terminate >*+*+*-terminate >*:terminate >purge-* >*+purge-* >*+*+purge-* >*-purge
    >*+*-purge >*+*+*-purge >*:purge >remove-* >*+remove-* >*+*+remove-* >*-remove >*+*-remove >*+*+*-remove
    >*:remove >*+delete?* >*+terminate?* >*+release?*instance* >*+*+bulk-delete unless >config >configure
    >auth >context >plugin >plugins >completion >help >cache >login >profile >alias`,
      `remote delete of backups if >delete-* unless >sync and !--delete-removed and !--delete and
    !--delete-after unless >setacl and !--acl-public`,
      `remote change of backups if >cancel-* unless >sync and !--delete-removed and !--delete and
    !--delete-after unless >setacl and !--acl-public`,
    ],
    subs: {
      'delete|rm': { effects: ['remote delete of platforms', 'remote delete of backups'] },
      'destroy|terminate|purge|remove|erase|wipe|nuke|bulk-delete': 'remote delete of platforms',
      'del|rb|bucket delete|file delete|expire|hide-file|delobj': 'remote delete of backups',
      setacl: 'remote delete of backups unless !--acl-public',
      sync: 'remote change of backups unless !--delete-removed and !--delete and !--delete-after',
    },
  },
  {
    names: 'tea',
    subs: {
      'repo delete|project delete|release delete|variable delete|mr delete|issue delete|ssh-key delete|ci delete|schedule delete|runner delete|delete|repos delete|label delete|snippet delete|api -x delete':
        'remote delete of forges',
      'repo transfer|repo archive': 'remote change of forges',
      'deploy-key add': 'remote create of forges',
    },
  },
  {
    names: 'circleci travis buildkite-agent drone jenkins-cli concourse fly-ci argo spin',
    effects: 'remote delete of forges if >*+delete >delete-* >*+rm',
    subs: {
      'context delete|pipeline delete|delete|pipeline destroy|destroy-pipeline|wipe-out-workspace':
        'remote delete of forges',
      'repo disable': 'remote change of forges',
    },
  },
  { names: 'wrangler', verbs: 'remote' },
];
