/** The version of {@link SCHEMA}, kept as `user_version` of the file. */
export const VERSION = 1;

/** The tables of the ledger. */
export const SCHEMA = `
  -- One row a recording and account. A recording is the SHA-256 of its bytes, or the digest of its points if it was
  -- converted; paths are labels. With
  -- row ids, because every entry of an index would repeat the hash without them.
  CREATE TABLE uploads (
    id INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    -- pending: may have been sent. confirmed: the service has it. rejected: the service refused it.
    -- undoing: the service had it, and the request to remove its workout may have been sent. undone: the
    -- workout was taken back from here. held: not sent, since another recording of the ride was.
    state TEXT NOT NULL
      CHECK (state IN ('pending', 'confirmed', 'rejected', 'undoing', 'undone', 'held')),
    -- While pending: the process that sends it (system/processes.ts), alive or dead.
    owner TEXT,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The service's answer: JSON with its ids. And why it refused the recording.
    service TEXT NOT NULL DEFAULT '{}',
    message TEXT,
    -- Refusals since the service last took it.
    refusals INTEGER NOT NULL DEFAULT 0,
    -- Runs in which the service failed on it, or refused it without a reason, since the service last took it;
    -- when the first began, and when the last was counted (ms since the epoch).
    faults INTEGER NOT NULL DEFAULT 0,
    faults_since INTEGER,
    faulted_at INTEGER,
    -- The activity, as far as the recording states it (fit/activity.ts).
    name TEXT,
    started_at INTEGER,
    offset_minutes INTEGER,
    moving_secs REAL,
    distance_meters REAL,
    -- Timer time of the first session (s), and how far its records reach (s, m).
    duration_secs REAL,
    recorded_secs REAL,
    recorded_meters REAL,
    -- Of GPX and TCX: the digest of the points, which identifies the activity, and the version of the converter that
    -- made the bytes with this SHA-256.
    digest TEXT,
    converter INTEGER,
    -- When its records end (ms since the epoch), the sport of its only session, and the file_id.
    ended_at INTEGER,
    sport INTEGER,
    file_id TEXT,
    -- The file name on the wire. With the start it identifies a workout.
    sent_as TEXT NOT NULL,
    -- When it was first compared with the workouts of the platform (ms since the epoch).
    verified_at INTEGER,
    -- Milliseconds since the epoch; of a confirmed one, when it was confirmed.
    changed_at INTEGER NOT NULL,
    UNIQUE (account, sha256)
  );
  CREATE INDEX uploads_started ON uploads (account, started_at);
  CREATE INDEX uploads_changed ON uploads (account, state, changed_at);
  CREATE UNIQUE INDEX uploads_digest ON uploads (account, digest) WHERE digest IS NOT NULL;

  -- What was recorded where (fit/recorded.ts, JSON), to find recordings of one ride. Beside the uploads, which are
  -- often read as a whole.
  CREATE TABLE shapes (upload INTEGER PRIMARY KEY, shape TEXT NOT NULL);

  -- What was found in a file, so that an unchanged one is not read again.
  CREATE TABLE known_files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ms REAL NOT NULL,
    ctime_ms REAL NOT NULL,
    -- Of the recording in it; NULL if it holds none that can be sent.
    sha256 TEXT,
    -- 'activity', or the reason why it is not sent, and a sentence about it.
    verdict TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '',
    -- 1: it holds wellness and no activity.
    wellness INTEGER NOT NULL DEFAULT 0,
    -- Where to look first for the upload of this hash: neighbours in a folder are neighbours there, too,
    -- while their hashes are far apart. NULL or another upload: unknown.
    upload INTEGER
  ) WITHOUT ROWID;

  -- One row a day, kind and account: what was last confirmed.
  CREATE TABLE records (
    account TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('wellness', 'nutrition')),
    date TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'rejected', 'undone')),
    -- Why the service refused it.
    message TEXT,
    owner TEXT,
    digest TEXT NOT NULL,
    -- Of the confirmed record, the fields that the service dropped, with commas between; NULL if it kept all.
    dropped TEXT,
    changed_at INTEGER NOT NULL,
    -- Runs in a row in which the service failed (500) on the record of this digest.
    failures INTEGER NOT NULL DEFAULT 0,
    failed_digest TEXT,
    PRIMARY KEY (account, kind, date)
  ) WITHOUT ROWID;

  -- The files that the values of a day were sent from, and when each was last (ms since the epoch).
  CREATE TABLE record_files (
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    date TEXT NOT NULL,
    -- An absolute path, a path in an archive, or stdin.
    path TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    PRIMARY KEY (account, kind, date, path)
  ) WITHOUT ROWID;

  -- One row a nutrition day and account: its items and fields as JSON (ledger/nutrition.ts).
  CREATE TABLE nutrition_days (
    account TEXT NOT NULL,
    date TEXT NOT NULL,
    day TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'fresh', 'settled')),
    -- With a rowid: SQLite writes rows of many kB twice as fast.
    PRIMARY KEY (account, date)
  );

  -- FIT files that a watcher has read for the athlete's days.
  CREATE TABLE wellness_files (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    -- NULL: it may have changed since it was read.
    size INTEGER,
    mtime_ms REAL,
    ctime_ms REAL,
    -- 1: a day that is in it may have to be sent.
    open INTEGER NOT NULL,
    PRIMARY KEY (account, path)
  ) WITHOUT ROWID;

  -- Their measurements (fit/wellness.ts), so that a day can be sent after the device has left.
  CREATE TABLE wellness_samples (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    -- Its place in the file.
    number INTEGER NOT NULL,
    -- Seconds since the epoch.
    at INTEGER NOT NULL,
    -- JSON, without the time.
    sample TEXT NOT NULL,
    PRIMARY KEY (account, path, number)
  ) WITHOUT ROWID;
  CREATE INDEX wellness_samples_at ON wellness_samples (account, at);

  -- One row a wellness day and account.
  CREATE TABLE wellness_days (
    account TEXT NOT NULL,
    date TEXT NOT NULL,
    -- JSON (ledger/wellness.ts): the value of each field that was sent last, and its origin.
    sent TEXT NOT NULL DEFAULT '{}',
    -- Digest of the record that a watcher sent last.
    watched TEXT,
    -- Digest of the record that the service refused; how often, and when last (ms since the epoch).
    refused TEXT,
    refusals INTEGER NOT NULL DEFAULT 0,
    refused_at INTEGER,
    PRIMARY KEY (account, date)
  ) WITHOUT ROWID;

  -- The wellness fields that an account's service drops, as its answers have shown, each with the time
  -- of the last such answer (JSON; ms since the epoch).
  CREATE TABLE wellness_services (account TEXT PRIMARY KEY, dropped TEXT NOT NULL) WITHOUT ROWID;

  -- The zone in which a written time was read, if the time does not state its own offset.
  CREATE TABLE read_zones (
    account TEXT NOT NULL,
    written TEXT NOT NULL,
    zone TEXT NOT NULL,
    PRIMARY KEY (account, written)
  ) WITHOUT ROWID;

  -- Units that a table does not say, as the user answered: by its source and columns, and the field.
  CREATE TABLE source_units (
    account TEXT NOT NULL,
    form TEXT NOT NULL,
    field TEXT NOT NULL,
    unit TEXT NOT NULL,
    PRIMARY KEY (account, form, field)
  ) WITHOUT ROWID;

  -- The sources that an account's service has given to items that were sent from here: one for each client ID.
  CREATE TABLE nutrition_sources (
    account TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (account, source)
  ) WITHOUT ROWID;

  -- What the answers of a platform have shown (config/platforms.ts), by its address and the endpoint.
  CREATE TABLE platform_facts (
    address TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    fact TEXT NOT NULL,
    -- The day that it was shown on; '' if that does not matter.
    date TEXT NOT NULL DEFAULT '',
    -- When it was last shown (ms since the epoch).
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (address, endpoint, fact, date)
  ) WITHOUT ROWID;

  -- The account of a token from the environment, as the service named it. Tokens are digests.
  CREATE TABLE token_accounts (token TEXT PRIMARY KEY, account_key TEXT NOT NULL) WITHOUT ROWID;

  -- What the watcher remembers of a file, apart from its content.
  CREATE TABLE watch_marks (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ms REAL NOT NULL,
    -- seen: was there before, so it is not sent. moved: a seen one at another path. unfinished: reported as incomplete.
    mark TEXT NOT NULL CHECK (mark IN ('seen', 'moved', 'unfinished')),
    -- When it was put (ms since the epoch).
    marked_at INTEGER NOT NULL,
    PRIMARY KEY (account, path)
  ) WITHOUT ROWID;

  -- GPX and TCX files that a watcher has read, by the SHA-256 of their bytes, and the hashes of the recordings that
  -- they became, with spaces between.
  CREATE TABLE track_files (sha256 TEXT PRIMARY KEY, recordings TEXT NOT NULL) WITHOUT ROWID;

  -- The recordings among these that a watcher does not send, since others cover them.
  CREATE TABLE covered_recordings (
    account TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (account, sha256)
  ) WITHOUT ROWID;

  -- Folders of which only new files are sent, and since when (ms since the epoch).
  CREATE TABLE new_only_folders (
    account TEXT NOT NULL,
    folder TEXT NOT NULL,
    since INTEGER NOT NULL,
    -- 1: it has been scanned since; every file in it without a mark is new.
    done INTEGER NOT NULL,
    PRIMARY KEY (account, folder)
  ) WITHOUT ROWID;
`;
