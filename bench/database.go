package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
)

// newDatabase makes a database on a PostgreSQL server, with psql: no other
// package than store speaks to the database by a library.
func newDatabase(ctx context.Context, server string) (address string, drop func(), err error) {
	name := "atelier_bench_" + strings.ToLower(rand.Text()[:12]) // its own
	sql := func(ctx context.Context, statement string) error {
		out, err := exec.CommandContext(ctx, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement, server).CombinedOutput()
		if err != nil {
			return fmt.Errorf("psql: %w %s", err, out)
		}
		return nil
	}
	if err := sql(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, err
	}
	drop = func() { _ = sql(context.Background(), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") }
	u, err := url.Parse(server)
	if err != nil {
		return "", drop, err
	}
	u.Path = "/" + name
	return u.String(), drop, nil
}
