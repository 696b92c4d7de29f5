package store

// dialect is every difference between the two databases that SQL text shows.
type dialect struct {
	name string

	// lockMigrations keeps two starting nodes from migrating at once. SQLite
	// has one writer anyway.
	lockMigrations string

	// forUpdate ends a SELECT that must keep its rows from changing until the
	// transaction ends. With one writer they cannot change anyway. Keys never
	// change, so rows that refer to the locked ones may still be written.
	forUpdate string

	// skipLocked ends a SELECT that claims jobs: others that claim at the same
	// time get other jobs instead of waiting.
	skipLocked string

	// bytewise ends a text that is sorted as Go sorts: by its bytes. SQLite does
	// so anyway; a PostgreSQL sorts by the collation it was made with.
	bytewise string

	// clustered ends a table whose rows are to lie in the order of its primary
	// key, without an index beside them. Migrations say where.
	clustered string
}

var (
	sqliteDialect   = dialect{name: "sqlite", clustered: "WITHOUT ROWID"}
	postgresDialect = dialect{name: "postgres", lockMigrations: "SELECT pg_advisory_xact_lock(7236834)", forUpdate: " FOR NO KEY UPDATE", skipLocked: " FOR NO KEY UPDATE OF job SKIP LOCKED",
		bytewise: ` COLLATE "C"`}
)
