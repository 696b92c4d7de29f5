package store

// dialect is every difference between the two databases that SQL text shows.
type dialect struct {
	name string

	// lockMigrations keeps two starting nodes from migrating at once. SQLite
	// has one writer.
	lockMigrations string

	// forUpdate ends a SELECT that locks its rows until the transaction ends. SQLite
	// has one writer and needs no lock. Keys never change, so rows that refer to the
	// locked ones may still be written.
	forUpdate string

	// skipLocked ends a SELECT that claims jobs: transactions that claim at the same
	// time get other jobs instead of waiting.
	skipLocked string

	// bytewise follows a text in ORDER BY, to sort it by its bytes, as Go does. SQLite
	// does so by default; PostgreSQL sorts by the collation of the database.
	bytewise string

	// clustered ends the definition of a table whose rows are stored in the order of
	// the primary key, without a separate index. Migrations use it.
	clustered string

	// find is the function that finds a text in another and returns its place, from 1, or
	// 0. There is no standard one that both databases have, and LIKE differs in case.
	find string
}

var (
	sqliteDialect   = dialect{name: "sqlite", clustered: "WITHOUT ROWID", find: "instr"}
	postgresDialect = dialect{name: "postgres", lockMigrations: "SELECT pg_advisory_xact_lock(7236834)", forUpdate: " FOR NO KEY UPDATE", skipLocked: " FOR NO KEY UPDATE OF job SKIP LOCKED",
		bytewise: ` COLLATE "C"`, find: "strpos"}
)
