/** The migrations of SQLite: plain SQL, numbered by their place. A migration that was released is never changed. */

const FIRST = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE machines (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  labels TEXT NOT NULL,
  public_key TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  state TEXT NOT NULL,
  problem TEXT,
  joined_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
);
CREATE TABLE join_tokens (
  hash TEXT PRIMARY KEY,
  labels TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  machine TEXT
);
CREATE TABLE tapes (
  id INTEGER PRIMARY KEY,
  machine TEXT NOT NULL REFERENCES machines (id),
  place TEXT NOT NULL,
  session TEXT NOT NULL,
  branch INTEGER NOT NULL,
  owner TEXT NOT NULL,
  folder TEXT NOT NULL,
  policy TEXT NOT NULL,
  next_seq INTEGER NOT NULL,
  head TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  first_prev TEXT NOT NULL,
  signed_to INTEGER,
  signed_head TEXT,
  pending TEXT NOT NULL,
  state TEXT NOT NULL,
  problem TEXT,
  received_at INTEGER NOT NULL,
  UNIQUE (machine, place, session, branch)
);
CREATE TABLE segments (
  day INTEGER NOT NULL,
  tape INTEGER NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  head TEXT NOT NULL,
  decisions INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  machine_state TEXT NOT NULL,
  raw_bytes INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE UNIQUE INDEX segments_by_tape ON segments (tape, from_seq, day);
CREATE INDEX segments_by_day ON segments (day);
CREATE TABLE decisions (
  day INTEGER NOT NULL,
  tape INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER,
  event TEXT,
  action TEXT NOT NULL,
  hook TEXT,
  layer TEXT,
  tool TEXT,
  PRIMARY KEY (day, tape, seq)
) WITHOUT ROWID;
CREATE TABLE removals (
  removed_at INTEGER NOT NULL,
  before_day INTEGER NOT NULL,
  tapes INTEGER NOT NULL,
  segments INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  decisions INTEGER NOT NULL,
  raw_bytes INTEGER NOT NULL
);
`;

const POLICIES = `
CREATE TABLE policies (
  version INTEGER PRIMARY KEY,
  digest TEXT NOT NULL,
  targets TEXT NOT NULL,
  snapshot TEXT NOT NULL,
  archive BLOB NOT NULL,
  published_at INTEGER NOT NULL
);
CREATE TABLE rollouts (
  version INTEGER NOT NULL,
  labels TEXT NOT NULL,
  percent INTEGER NOT NULL,
  author TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (version, labels)
);
CREATE TABLE tokens (
  hash TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
ALTER TABLE machines ADD COLUMN status TEXT NOT NULL DEFAULT '';
ALTER TABLE machines ADD COLUMN status_at INTEGER NOT NULL DEFAULT 0;
INSERT INTO settings (name, value) VALUES ('policy_revision', '0');
`;

/** The last entry whose decision a collector has. */
const EXPORTED = `
ALTER TABLE tapes ADD COLUMN exported_to INTEGER NOT NULL DEFAULT 0;
`;

export const SQLITE_MIGRATIONS: readonly string[] = [FIRST, POLICIES, EXPORTED];
