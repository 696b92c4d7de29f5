package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
)

// NewDatabase makes a database on a PostgreSQL server, with psql: no other
// package than store speaks to the database by a library.
func NewDatabase(ctx context.Context, server string) (address string, drop func(), err error) {
	name := "atelier_bench_" + strings.ToLower(rand.Text()[:12]) // its own
	if err := SQL(ctx, server, "CREATE DATABASE "+name); err != nil {
		return "", nil, err
	}
	drop = func() { _ = SQL(context.Background(), server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") }
	u, err := url.Parse(server)
	if err != nil {
		return "", drop, err
	}
	u.Path = "/" + name
	return u.String(), drop, nil
}

// SQL runs a script on a PostgreSQL database.
func SQL(ctx context.Context, database, script string) error {
	out, err := exec.CommandContext(ctx, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", script, database).CombinedOutput()
	if err != nil {
		return fmt.Errorf("psql: %w %s", err, out)
	}
	return nil
}
