/** Databases, queues, caches and backups. */
import type { Row } from '../notation.ts';

export const DATABASES: readonly Row[] = [
  {
    names: 'psql',
    options: `aAbeEHlnqsStwWxXz01?V c:d:f:F:h:L:o:p:P:R:T:U:v: --command= --dbname= --file= --host= --port=
    --username= --set= --variable= --output= --log-file= --no-psqlrc --tuples-only --quiet --list --version
    --single-transaction --csv --no-align --field-separator=`,
    operands: '-*',
    values: '-f|--file=codefile -o|--output|-L=write -c|--command=code',
    mixed: true,
    language: 'sql',
    stdin: true,
    loose: true,
    quiet: '-l --list -V --version',
    prints: 'download',
    examples: {
      "psql -c 'DROP TABLE users'": 'sql drop',
      "psql -c 'DELETE FROM users WHERE id = 1'": 'run from literal',
    },
  },
  {
    names: 'mysql',
    options: `AbBcCEfGHiLnNoqrstUvVwWXj D:e:h:P:S:u:p:: --execute= --database= --host= --port= --user= --socket=
    --defaults-file= --pager= --tee= --password[=] --batch --silent --skip-column-names --table --force --ssl-mode=
    --protocol= --default-character-set=`,
    operands: '-*',
    values: '--pager=helper --tee=write -e|--execute=code',
    mixed: true,
    language: 'sql',
    stdin: true,
    loose: true,
    quiet: '-V',
    prints: 'download',
  },
  {
    names: 'mysqldump',
    options: 'h:P:u:r:S: --result-file= --host= --user=',
    operands: '-*',
    values: '-r|--result-file=write',
  },
  {
    names: 'pg_dump',
    options: 'h:p:U:f:F:d:t:n:T:N:j:Z: --file= --host= --username= --dbname= --format=',
    operands: '-*',
    values: '-f|--file=write',
  },
  {
    names: 'redis-cli',
    options: `x h:p:a:n:r:i:u: --user= --pass= --raw --no-auth-warning --tls --scan --eval= --pipe --cluster`,
    operands: '-*',
    language: 'redis',
    stdin: true,
    loose: true,
    prints: 'download',
    effects: 'remote delete of databases if --cluster and =reset =del-node',
    subs: {
      'flushall|FLUSHALL|flushdb|FLUSHDB': 'remote destroy-all of keys on nothing',
      'del|DEL|unlink|UNLINK': 'remote delete of keys',
      'shutdown|SHUTDOWN|config set|CONFIG SET|replicaof|REPLICAOF|slaveof|SLAVEOF':
        'remote change of keys on nothing',
    },
  },
  {
    names: 'valkey-cli keydb-cli dragonfly-cli',
    options: `x h:p:a:n:r:i:u: --user= --pass= --raw --no-auth-warning --tls --scan --eval= --pipe --cluster`,
    operands: '-*',
    language: 'redis',
    stdin: true,
    loose: true,
    effects: 'remote delete of databases if --cluster and =reset =del-node',
    subs: {
      'flushall|FLUSHALL|flushdb|FLUSHDB': 'remote destroy-all of keys on nothing',
      'del|DEL|unlink|UNLINK': 'remote delete of keys',
      'shutdown|SHUTDOWN|config set|CONFIG SET|replicaof|REPLICAOF|slaveof|SLAVEOF':
        'remote change of keys on nothing',
    },
  },
  {
    names: 'mariadb',
    options: `AbBcCEfGHiLnNoqrstUvVwWX p::D:e:h:P:S:u: --pager= --execute= --database= --host= --port= --user=
    --password[=] --socket= --batch --silent`,
    values: '--pager=helper -e|--execute=code',
    mixed: true,
    language: 'sql',
    stdin: true,
    loose: true,
    quiet: '-V',
    prints: 'download',
  },
  {
    names: 'sqlite3',
    options: `-cmd= -init= -separator= -nullvalue= -csv -json -line -list -html -batch -bail -readonly -header
    -noheader -column -box -table -echo -version`,
    operands: '? code ?*',
    values: '-cmd=code',
    single: true,
    language: 'sql',
    stdin: true,
    loose: true,
  },
  {
    names: 'duckdb',
    options: '-c= -cmd= -s= -init= -csv -json -readonly -box',
    operands: '? code ?*',
    values: '-c|-s|-cmd=code',
    single: true,
    mixed: true,
    language: 'sql',
    stdin: true,
    loose: true,
  },
  {
    names: 'clickhouse clickhouse-client',
    options: `q:h:u:d: --query= --host= --user= --password= --database= --port= --multiquery --format=`,
    values: '-q|--query=code',
    mixed: true,
    language: 'sql',
    stdin: true,
    loose: true,
  },
  {
    names: 'sqlcmd',
    options: 'ELNbC S:U:P:d:Q:q:i:o:h:s:W:',
    values: '-Q|-q=code -i=codefile',
    mixed: true,
    language: 'sql',
    stdin: true,
    loose: true,
  },
  {
    names: 'mongosh',
    options: 'u:p: --eval= --quiet --host= --port= --username= --password= --nodb --norc --file=',
    values: '--eval=code',
    mixed: true,
    language: 'javascript',
    stdin: true,
    loose: true,
    effects:
      'remote delete of collections on nothing if ~*.drop(* ~*dropDatabase(* ~*deleteMany({})* ~*remove({})* ~*.drop()*',
    prints: 'download',
  },
  {
    names: 'mongo',
    options: 'u:p: --eval= --quiet --host= --port= --username= --password= --nodb --norc',
    values: '--eval=code',
    mixed: true,
    language: 'javascript',
    stdin: true,
    loose: true,
    effects:
      'remote delete of collections on nothing if ~*.drop(* ~*dropDatabase(* ~*deleteMany({})* ~*remove({})* ~*.drop()*',
    prints: 'download',
  },
  {
    names: 'cqlsh',
    options: 'e:f:k:u:p: --execute= --file= --keyspace= --ssl',
    values: '-e|--execute=code -f=codefile',
    mixed: true,
    language: 'sql',
    stdin: true,
    loose: true,
  },
  {
    names: 'mysqld mysqld_safe mariadbd mariadbd-safe',
    effects: 'remote delete of databases if --skip-grant-tables',
  },
  {
    names: 'pg_ctl',
    effects: [
      'remote delete of databases if -m --mode and ~immediate ~stop and elevated',
      'remote change of databases if >*+*+stop and --force and elevated',
    ],
    subs: { stop: 'remote change of databases if -m=immediate -m=i' },
  },
  {
    names: `dropdb dropuser dropdb.exe pg_dropcluster mysql_install_db mariadb-install-db pg_resetwal pg_resetxlog
    innochecksum`,
    effects: [
      'remote delete of databases unless -n unless =*_test =*_test_* =test_* =test =*scratch* =*_dev =*_development',
      'remote delete of app-databases if =*_test_* =*_dev =*_development unless -n',
    ],
  },
  {
    names: 'initdb',
    effects: [
      'remote delete of databases if -D=/var/lib/* and elevated',
      'remote change of databases if >*+*+stop and --force and elevated',
    ],
  },
  {
    names: 'pg_ctlcluster',
    effects: [
      'remote delete of databases if -m --mode and ~immediate ~stop and elevated',
      'remote change of databases if >*+*+stop and --force and elevated',
    ],
  },
  {
    names: 'pg_restore',
    effects: [
      `remote delete of databases if -c --clean -C and -c --clean unless =*_test =test_* =test =*scratch* =*_dev
      =*_development`,
      'remote delete of app-databases if -c --clean and =*_dev =*_development',
    ],
  },
  {
    names: 'mysqladmin mariadb-admin',
    effects: [
      `remote delete of databases if >**+drop >**+shutdown >**+flush-* >**+password unless >**+flush-logs`,
      'remote change of databases if >**+kill unless >**+flush-logs',
    ],
    subs: { 'drop|shutdown|password': 'remote delete of databases unless >**+flush-logs' },
  },
  {
    names: 'pg_repack pgbackrest barman wal-g wal-e pghoard xtrabackup mydumper',
    effects: 'remote delete of databases if >**+stanza-delete >**+expire',
    subs: { 'stanza-delete|expire|delete|delete-backup|backup-delete': 'remote delete of databases' },
  },
  {
    names: 'myloader',
    effects: [
      'remote delete of databases if >**+stanza-delete >**+expire',
      'remote delete of databases if -o --overwrite-tables',
    ],
    subs: { 'stanza-delete|expire|delete|delete-backup|backup-delete': 'remote delete of databases' },
  },
  { names: 'mongorestore', effects: 'remote delete of databases if --drop' },
  { names: 'memcached-tool memcrm', effects: 'remote delete of databases if >*+flush*' },
  { names: 'memcflush', effects: ['remote delete of databases', 'remote delete of databases if >*+flush*'] },
  {
    names: 'influx influxd',
    subs: {
      'bucket delete|delete|org delete|user delete|auth delete': 'remote delete of databases',
      'restore --full': 'remote change of databases',
    },
  },
  {
    names: 'nodetool cassandra',
    subs: {
      'decommission|removenode|clearsnapshot|assassinate|truncatehints': 'remote delete of databases',
      drain: 'remote change of databases',
    },
  },
  {
    names: 'cypher-shell neo4j-admin',
    subs: {
      'database load|load': 'remote delete of databases if --overwrite-destination --force',
      'database delete': 'remote delete of databases',
    },
  },
  {
    names: `couchbase-cli cbq arangosh rethinkdb dynamodb-admin surreal edgedb gel fauna ravendb solr
    elasticsearch-* opensearch-* qdrant`,
    subs: {
      'bucket-delete|bucket-flush|database drop|database wipe|delete|instance destroy|remove':
        'remote delete of databases',
    },
  },
  { names: 'ldapdelete', effects: 'remote delete of databases' },
  {
    names: 'elasticdump curator curator_cli',
    subs: {
      'delete-indices|delete_indices': 'remote delete of databases',
      close: 'remote change of databases',
    },
  },
  { names: 'flyway', subs: { clean: 'remote delete of app-databases' } },
  {
    names: 'liquibase',
    effects: 'remote change of app-databases if >rollback*',
    subs: { 'drop-all|dropall': 'remote delete of app-databases' },
  },
  {
    names: `kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs
    kafka-configs.sh kafka-acls kafka-acls.sh`,
    effects: [
      'remote delete of queues if --delete --delete-config --delete-offsets --remove',
      'remote delete of queues if --reset-offsets and --execute',
    ],
  },
  {
    names: 'kafka-delete-records kafka-delete-records.sh',
    effects: [
      'remote delete of queues if --delete --delete-config --delete-offsets --remove',
      'remote delete of queues if --reset-offsets and --execute',
      'remote delete of queues',
    ],
  },
  {
    names: 'kafka-storage.sh',
    effects: [
      'remote delete of queues if --delete --delete-config --delete-offsets --remove',
      'remote delete of queues if --reset-offsets and --execute',
    ],
    subs: { format: 'remote delete of queues' },
  },
  {
    names: 'rpk kafkactl kcat kaf',
    subs: {
      'topic delete|delete topic|group delete|delete|topic trim-prefix|cluster delete|kafka topic delete|kafka cluster delete':
        'remote delete of queues',
    },
  },
  {
    names: 'rabbitmqctl',
    effects: [
      'remote delete of queues if >delete_* >clear_* unless >add_user >stop_app',
      'remote change of queues if >close_* unless >add_user >stop_app',
    ],
    subs: {
      'purge_queue|force_reset|shutdown|forget_cluster_node|delete|purge|delete_user':
        'remote delete of queues',
      'reset|stop|set_permissions|change_password|set_user_tags|stop_app': 'remote change of queues',
    },
  },
  {
    names: 'rabbitmq-queues rabbitmqadmin rabbitmq-diagnostics',
    effects: [
      'remote delete of queues if >delete_* >clear_* unless >add_user >stop_app',
      'remote change of queues if >close_* unless >add_user >stop_app',
    ],
    subs: {
      'purge_queue|force_reset|shutdown|forget_cluster_node|delete|purge': 'remote delete of queues',
      'reset|stop|set_permissions|change_password|set_user_tags': 'remote change of queues',
    },
  },
  {
    names: 'nats',
    effects: 'remote delete of queues if >stream+del* >kv+del*',
    subs: {
      'stream purge|stream rm|consumer rm|kv del|kv purge|kv rm|object rm|server raft':
        'remote delete of queues',
    },
  },
  {
    names: 'pulsar-admin pulsarctl',
    effects: `remote delete of queues if >*+delete >*+*+delete >*+clear-backlog >*+unload >*+delete-* >*+terminate
    >*+skip*`,
  },
  { names: 'sidekiq sidekiqctl rq dramatiq bull resque', subs: { 'empty|clear': 'remote delete of queues' } },
  {
    names: 'mosquitto_ctrl activemq artemis emqx_ctl beanstool nsqadmin',
    effects: 'remote delete of queues if >**+delete >**+purge >**+remove',
    subs: { 'purge|queue delete': 'remote delete of queues' },
  },
  {
    names: 'temporal tctl',
    subs: {
      'workflow terminate|workflow delete|namespace delete|schedule delete|batch terminate':
        'remote delete of queues',
    },
  },
  {
    names: 'airflow dagster',
    subs: {
      'db reset|server database reset': 'remote change of queues',
      'dags delete|db clean|deployment delete|connections delete|users delete|variables delete':
        'remote delete of queues',
    },
  },
  {
    names: 'restic',
    effects: `remote delete of backups if =forget =prune unless --dry-run -n unless >help >snapshots >stats >ls`,
    subs: {
      'forget|prune|key remove|key delete|repair|rewrite': 'remote delete of backups',
      restore: 'remote change of backups if --target=/ --target=/etc --target=/usr* --target=~',
    },
  },
  {
    names: 'borg borgmatic borg1',
    subs: {
      'delete|prune|recreate': 'remote delete of backups',
      'key change-passphrase': 'remote change of backups',
    },
  },
  {
    names: 'kopia',
    subs: {
      'snapshot delete|repository disconnect|policy delete|repository delete|snapshot expire|blob delete|content delete|manifest delete':
        'remote delete of backups',
    },
  },
  {
    names: `duplicity rdiff-backup duplicati-cli bup attic obnam bareos bconsole zbackup duplicacy rustic vorta
    deja-dup backintime urbackupclientctl`,
    effects: `remote delete of backups if --remove-older-than --delete -d --nuke --delete-all --force --delete-backup`,
    subs: {
      'remove-older-than|remove-all-but-n-full|delete|prune|purge|remove|cleanup|forget|rm':
        'remote delete of backups',
    },
  },
  {
    names: 'tarsnap rsnapshot burp',
    effects: `remote delete of backups if --remove-older-than --delete -d --nuke --delete-all --force --delete-backup
    unless !-d and !--nuke`,
    subs: {
      'remove-older-than|remove-all-but-n-full|delete|prune|purge|remove|cleanup|forget|rm':
        'remote delete of backups unless !-d and !--nuke',
    },
  },
  {
    names: 'mc',
    prints: 'download if !>completion and !>aliases',
    effects: `remote delete of backups if >admin+bucket+remote+rm unless >mirror and !--remove and !--overwrite unless
    >ilm+ls >ilm+rule+ls >admin+policy+ls >admin+policy+info >ilm >admin+policy`,
    subs: {
      'rb|rm|admin user remove': 'remote delete of backups',
      'admin service stop|version suspend|anonymous set public': 'remote change of backups',
      mirror: 'remote delete of backups unless !--remove and !--overwrite',
    },
  },
  {
    names: 'mcli minio-client',
    effects: `remote delete of backups if >admin+bucket+remote+rm unless >mirror and !--remove and !--overwrite unless
    >ilm+ls >ilm+rule+ls >admin+policy+ls >admin+policy+info >ilm >admin+policy`,
    subs: {
      'rb|rm|admin user remove': 'remote delete of backups',
      'admin service stop|version suspend|anonymous set public': 'remote change of backups',
      mirror: 'remote delete of backups unless !--remove and !--overwrite',
    },
  },
  {
    names: 's3cmd',
    prints: 'download if !>completion and !>aliases',
    effects: [
      `remote delete of backups if >delete-* unless >sync and !--delete-removed and !--delete and
    !--delete-after unless >setacl and !--acl-public`,
      `remote change of backups if >cancel-* unless >sync and !--delete-removed and !--delete and
    !--delete-after unless >setacl and !--acl-public`,
    ],
    subs: {
      'del|rb|rm|delete|bucket delete|file delete|expire|hide-file|delobj': 'remote delete of backups',
      setacl: 'remote delete of backups unless !--acl-public',
      sync: 'remote change of backups unless !--delete-removed and !--delete and !--delete-after',
    },
  },
  {
    names: 's4cmd s5cmd aws-shell gof3r',
    effects: [
      `remote delete of backups if >delete-* unless >sync and !--delete-removed and !--delete and
    !--delete-after unless >setacl and !--acl-public`,
      `remote change of backups if >cancel-* unless >sync and !--delete-removed and !--delete and
    !--delete-after unless >setacl and !--acl-public`,
    ],
    subs: {
      'del|rb|rm|delete|bucket delete|file delete|expire|hide-file|delobj': 'remote delete of backups',
      setacl: 'remote delete of backups unless !--acl-public',
      sync: 'remote change of backups unless !--delete-removed and !--delete and !--delete-after',
    },
  },
  {
    names: 'btrbk zrepl sanoid syncoid snapraid',
    subs: { 'clean|prune|zfs-abstraction release-all|delete': 'remote delete of backups' },
  },
  { names: 'consul', verbs: 'remote' },
];
