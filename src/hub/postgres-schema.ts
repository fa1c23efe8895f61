/**
 * The migrations of PostgreSQL: plain SQL, numbered by their place. Segments and decisions are partitioned by the day of receipt,
 * so that retention drops tables instead of rows. A migration that was released is never changed.
 */

const FIRST = `
CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE machines (
  id text PRIMARY KEY,
  name text NOT NULL,
  labels text NOT NULL,
  public_key text NOT NULL UNIQUE,
  generation bigint NOT NULL,
  nonce text NOT NULL,
  state text NOT NULL,
  problem text,
  joined_at bigint NOT NULL,
  seen_at bigint NOT NULL
);
CREATE TABLE join_tokens (
  hash text PRIMARY KEY,
  labels text NOT NULL,
  expires_at bigint NOT NULL,
  machine text
);
CREATE TABLE tapes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine text NOT NULL REFERENCES machines (id),
  place text NOT NULL,
  session text NOT NULL,
  branch integer NOT NULL,
  owner text NOT NULL,
  folder text NOT NULL,
  policy text NOT NULL,
  next_seq bigint NOT NULL,
  head text NOT NULL,
  first_seq bigint NOT NULL,
  first_prev text NOT NULL,
  signed_to bigint,
  signed_head text,
  pending text NOT NULL,
  state text NOT NULL,
  problem text,
  received_at bigint NOT NULL,
  UNIQUE (machine, place, session, branch)
);
CREATE TABLE segments (
  day integer NOT NULL,
  tape bigint NOT NULL,
  from_seq bigint NOT NULL,
  to_seq bigint NOT NULL,
  head text NOT NULL,
  decisions integer NOT NULL,
  received_at bigint NOT NULL,
  machine_state text NOT NULL,
  raw_bytes bigint NOT NULL,
  body bytea NOT NULL
) PARTITION BY LIST (day);
ALTER TABLE segments ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX segments_by_tape ON segments (tape, from_seq, day);
CREATE TABLE decisions (
  day integer NOT NULL,
  tape bigint NOT NULL,
  seq bigint NOT NULL,
  at bigint,
  event text,
  action text NOT NULL,
  hook text,
  layer text,
  tool text
) PARTITION BY LIST (day);
CREATE UNIQUE INDEX decisions_by_tape ON decisions (tape, seq, day);
CREATE TABLE removals (
  removed_at bigint NOT NULL,
  before_day integer NOT NULL,
  tapes bigint NOT NULL,
  segments bigint NOT NULL,
  entries bigint NOT NULL,
  decisions bigint NOT NULL,
  raw_bytes bigint NOT NULL
);
`;

const POLICIES = `
CREATE TABLE policies (
  version bigint PRIMARY KEY,
  digest text NOT NULL,
  targets text NOT NULL,
  snapshot text NOT NULL,
  archive bytea NOT NULL,
  published_at bigint NOT NULL
);
CREATE TABLE rollouts (
  version bigint NOT NULL,
  labels text NOT NULL,
  percent bigint NOT NULL,
  author text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (version, labels)
);
CREATE TABLE tokens (
  hash text PRIMARY KEY,
  role text NOT NULL,
  expires_at bigint NOT NULL
);
ALTER TABLE machines ADD COLUMN status text NOT NULL DEFAULT '';
ALTER TABLE machines ADD COLUMN status_at bigint NOT NULL DEFAULT 0;
INSERT INTO settings (name, value) VALUES ('policy_revision', '0');
`;

/** The last entry whose decision a collector has. */
const EXPORTED = `
ALTER TABLE tapes ADD COLUMN exported_to bigint NOT NULL DEFAULT 0;
`;

export const POSTGRES_MIGRATIONS: readonly string[] = [FIRST, POLICIES, EXPORTED];
