/**
 * What each version of the schema adds to the one before. A step that was ever released is not changed again. Programs of
 * the version before go on while a newer one migrates: a step may add, and may not take away what they use.
 */
export const MIGRATIONS: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE SEQUENCE ${schema}.fences;

    CREATE TABLE ${schema}.sessions (
      tenant text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      state text NOT NULL DEFAULT 'idle',
      reason text,
      owner text,
      fence bigint NOT NULL DEFAULT 0,
      previous bigint NOT NULL DEFAULT 0,
      lease_until timestamptz,
      crashes integer NOT NULL DEFAULT 0,
      ready_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      prompts integer NOT NULL DEFAULT 0,
      signals integer NOT NULL DEFAULT 0,
      last_number bigint NOT NULL DEFAULT 0,
      last_event bigint NOT NULL DEFAULT 0,
      first_event bigint NOT NULL DEFAULT 1,
      created timestamptz NOT NULL DEFAULT clock_timestamp(),
      changed timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (tenant, session)
    ) WITH (fillfactor = 70);
    CREATE INDEX sessions_queued ON ${schema}.sessions (tenant, ready_at) WHERE state = 'queued';
    CREATE INDEX sessions_running ON ${schema}.sessions (tenant) WHERE state = 'running';

    CREATE TABLE ${schema}.inbox (
      tenant text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      id text NOT NULL,
      kind text NOT NULL,
      body text NOT NULL,
      event bigint NOT NULL,
      idempotency_key text COLLATE "C",
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      acknowledged timestamptz,
      PRIMARY KEY (tenant, session, number),
      FOREIGN KEY (tenant, session) REFERENCES ${schema}.sessions ON DELETE CASCADE
    );
    CREATE UNIQUE INDEX inbox_keys ON ${schema}.inbox (tenant, session, idempotency_key)
      WHERE idempotency_key IS NOT NULL;
    CREATE INDEX inbox_open ON ${schema}.inbox (tenant, session, (kind = 'prompt'), number) INCLUDE (kind)
      WHERE acknowledged IS NULL;
    CREATE INDEX inbox_done ON ${schema}.inbox (acknowledged) WHERE acknowledged IS NOT NULL;

    CREATE TABLE ${schema}.journal (
      tenant text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      call text COLLATE "C" NOT NULL,
      tool text NOT NULL,
      input text,
      attempts integer NOT NULL DEFAULT 1,
      result text,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ended timestamptz,
      PRIMARY KEY (tenant, session, call),
      FOREIGN KEY (tenant, session) REFERENCES ${schema}.sessions ON DELETE CASCADE
    ) WITH (fillfactor = 80);
    CREATE INDEX journal_age ON ${schema}.journal USING brin (at);

    CREATE TABLE ${schema}.events (
      tenant text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      id bigint NOT NULL,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      message text NOT NULL,
      PRIMARY KEY (tenant, session, id)
    );
    CREATE INDEX events_age ON ${schema}.events USING brin (at);

    CREATE TABLE ${schema}.approvals (
      id text COLLATE "C" PRIMARY KEY,
      place bigint GENERATED ALWAYS AS IDENTITY,
      tenant text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      question text NOT NULL,
      state text NOT NULL DEFAULT 'pending',
      answer text,
      since timestamptz NOT NULL DEFAULT clock_timestamp(),
      settled timestamptz,
      UNIQUE (tenant, session, key),
      FOREIGN KEY (tenant, session) REFERENCES ${schema}.sessions ON DELETE CASCADE
    );
    CREATE INDEX approvals_pending ON ${schema}.approvals (tenant, place) WHERE state = 'pending';
    CREATE INDEX approvals_done ON ${schema}.approvals (settled) WHERE settled IS NOT NULL;

    CREATE TABLE ${schema}.transcripts (
      transcript bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      project_key text NOT NULL,
      session_id text NOT NULL,
      subpath text,
      last_entry text,
      entries bigint NOT NULL DEFAULT 0,
      mtime bigint NOT NULL,
      summary text,
      FOREIGN KEY (tenant, session) REFERENCES ${schema}.sessions ON DELETE CASCADE
    );
    CREATE INDEX transcripts_of ON ${schema}.transcripts (tenant, session);

    CREATE TABLE ${schema}.transcript_entries (
      transcript bigint NOT NULL REFERENCES ${schema}.transcripts ON DELETE CASCADE,
      position bigint NOT NULL,
      entry text NOT NULL,
      PRIMARY KEY (transcript, position)
    );
  `,
];
