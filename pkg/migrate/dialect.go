package migrate

// Dialect is the SQL that a database speaks.
type Dialect uint8

const (
	// SQLite needs a driver that runs several statements in one Exec.
	SQLite Dialect = iota + 1
	// Postgres needs a driver that sends a text without arguments by the simple protocol.
	Postgres
)

// statements are what differs between the databases. Both locks belong to the transaction that
// begin opens: they need no session, so a pooler in transaction mode may stand in between, and a
// process that dies leaves none behind.
type statements struct {
	begin, create, list, record string
}

func (d Dialect) statements() statements {
	if d == Postgres {
		return statements{
			// READ COMMITTED, whatever the database's default is: what follows the lock must see
			// what its last holder committed. The number is "hub_migr" in ASCII; advisory locks
			// are per database.
			begin: `BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(7527030514216691570)`,
			create: `CREATE TABLE IF NOT EXISTS schema_migrations (
				version    INTEGER PRIMARY KEY,
				name       TEXT NOT NULL,
				checksum   TEXT NOT NULL,
				applied_at TIMESTAMPTZ NOT NULL
			)`,
			list:   `SELECT version, name, checksum FROM schema_migrations ORDER BY version`,
			record: `INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, now())`,
		}
	}
	return statements{
		begin: `BEGIN IMMEDIATE`,
		create: `CREATE TABLE IF NOT EXISTS schema_migrations (
			version    INTEGER PRIMARY KEY,
			name       TEXT NOT NULL,
			checksum   TEXT NOT NULL,
			applied_at INTEGER NOT NULL
		)`,
		list: `SELECT version, name, checksum FROM schema_migrations ORDER BY version`,
		record: `INSERT INTO schema_migrations (version, name, checksum, applied_at)
			VALUES (?, ?, ?, CAST(unixepoch('subsec') * 1000000 AS INTEGER))`,
	}
}
