package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/jackc/pgx/v5/pgconn"
)

// Errors of PostgreSQL and the network are classified: an outage passes, a mistake in a
// statement does not.
func TestPostgresOutages(t *testing.T) {
	t.Parallel()
	pg := func(code string) error { return fmt.Errorf("query: %w", &pgconn.PgError{Code: code}) }
	for _, tc := range []struct {
		name string
		err  error
		part string
	}{
		{"starting up", pg("57P03"), atelier.PartDatabase},
		{"shutting down", pg("57P01"), atelier.PartDatabase},
		{"too many connections", pg("53300"), atelier.PartDatabase},
		{"disk full", pg("53100"), atelier.PartStorage},
		{"a standby", pg("25006"), atelier.PartDatabase},
		{"in conflict without end", pg("40001"), atelier.PartDatabase},
		{"connection refused", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, atelier.PartDatabase},
		{"cannot connect", fmt.Errorf("acquire: %w", &pgconn.ConnectError{Config: &pgconn.Config{}}), atelier.PartDatabase},
		{"cut off", fmt.Errorf("receive: %w", io.ErrUnexpectedEOF), atelier.PartDatabase},
		{"closed", fmt.Errorf("send: %w", pgconn.ErrConnClosed), atelier.PartDatabase},
		{"no answer in time", context.DeadlineExceeded, atelier.PartDatabase},
		{"the caller left", context.Canceled, ""},
		{"a wrong statement", pg("42601"), ""},
		{"a cancelled statement", pg("57014"), ""},
		{"something else", errors.New("oops"), ""},
	} {
		var away *atelier.UnavailableError
		got := ""
		if errors.As(postgresOutage(tc.err), &away) {
			got = away.Part
		}
		if got != tc.part {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.part)
		}
	}
}
