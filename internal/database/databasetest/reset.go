package databasetest

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/jackc/pgx/v5"
)

// State is what a PostgreSQL database has: its tables and their rows.
type State struct {
	schema    string            // a digest of all tables, columns and indexes
	rows      map[string]string // by table, as JSON
	sequences string            // the statement that sets them
}

// StateOf reads the state of a small database.
func StateOf(t testing.TB, o database.Options) State {
	t.Helper()
	ctx := context.Background()
	conn, err := connect(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	s, err := stateOf(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stateOf(ctx context.Context, conn *pgx.Conn) (State, error) {
	schema, tables, err := tablesOf(ctx, conn)
	if err != nil {
		return State{}, err
	}
	s := State{schema: schema, rows: map[string]string{}}
	for _, table := range tables {
		var text string
		if err := conn.QueryRow(ctx, `SELECT COALESCE(json_agg(t), '[]')::text FROM `+pgx.Identifier{table}.Sanitize()+` t`).Scan(&text); err != nil {
			return s, err
		}
		s.rows[table] = text
	}
	err = conn.QueryRow(ctx, `SELECT COALESCE(string_agg(format('SELECT setval(%L, %s, %L)', quote_ident(sequencename), COALESCE(last_value, start_value), last_value IS NOT NULL), ';' ORDER BY sequencename), '')
		FROM pg_sequences WHERE schemaname = 'public'`).Scan(&s.sequences)
	return s, err
}

// tablesOf gives a digest of all tables, and the names of those that may have rows.
func tablesOf(ctx context.Context, conn *pgx.Conn) (schema string, tables []string, err error) {
	err = conn.QueryRow(ctx, `SELECT md5(string_agg(concat_ws(' ', c.relname, c.relkind, a.attname, a.atttypid, a.attnotnull), ',' ORDER BY c.relname, a.attnum))
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`).Scan(&schema)
	if err != nil {
		return "", nil, err
	}
	// A table that never had a row has no pages.
	rows, err := conn.Query(ctx, `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0`)
	if err != nil {
		return "", nil, err
	}
	tables, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return schema, tables, err
}

// Reset brings a database back to a state when the test that used it ends. It reports false
// when it dropped the database instead: the test failed, changed the tables, or left
// connections to it.
func Reset(t testing.TB, o database.Options, to State) bool {
	t.Helper()
	if !t.Failed() && reset(context.Background(), o, to) {
		return true
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	admin(t, `DROP DATABASE IF EXISTS "`+strings.TrimPrefix(u.Path, "/")+`" WITH (FORCE)`)
	return false
}

// connect connects to a database beside those who use it.
func connect(ctx context.Context, o database.Options) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return nil, err
	}
	c.RuntimeParams["application_name"] = observer
	return pgx.ConnectConfig(ctx, c)
}

// observer is the name of connections that are not a use of the database.
const observer = "databasetest"

// connections counts the connections that use a database. One that was closed counts until the server has noticed it.
func connections(ctx context.Context, conn *pgx.Conn) (n int, err error) {
	err = conn.QueryRow(ctx, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name <> $1 AND backend_type = 'client backend'`, observer).Scan(&n)
	return n, err
}

func reset(ctx context.Context, o database.Options, to State) bool {
	conn, err := connect(ctx, o)
	if err != nil {
		return false
	}
	defer conn.Close(ctx)
	if n, err := connections(ctx, conn); err != nil || n > 0 {
		return false
	}
	schema, tables, err := tablesOf(ctx, conn)
	if err != nil || schema != to.schema {
		return false
	}
	// Without the triggers of foreign keys the order of the tables does not matter.
	statements := []string{`SET session_replication_role = replica`}
	for _, table := range tables {
		name := pgx.Identifier{table}.Sanitize()
		statements = append(statements, `DELETE FROM `+name)
		if text := to.rows[table]; text != "" {
			statements = append(statements, `INSERT INTO `+name+` OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::`+name+`, '`+strings.ReplaceAll(text, `'`, `''`)+`')`)
		}
	}
	statements = append(statements, to.sequences)
	_, err = conn.Exec(ctx, strings.Join(statements, ";\n"))
	return err == nil
}

// AwaitUnused waits until the server has noticed that all connections to a database were closed, and opens none:
// PostgreSQL copies no database that has any, and waits for a few seconds only.
func AwaitUnused(t testing.TB, name string) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, server())
	if err != nil {
		t.Fatalf("connect to the test server: %v", err)
	}
	defer conn.Close(context.Background())
	for n := 1; n > 0 && err == nil; clock.Sleep(ctx, time.Millisecond) {
		err = conn.QueryRow(ctx, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`, name).Scan(&n)
	}
	if err != nil {
		t.Fatal(err)
	}
}
