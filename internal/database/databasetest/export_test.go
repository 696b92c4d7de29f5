package databasetest

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/database"
)

// AwaitClosed waits until the server has noticed that all connections to a database were closed.
func AwaitClosed(t *testing.T, o database.Options) {
	t.Helper()
	conn, err := connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for n := 1; n > 0 && err == nil; clock.Sleep(t.Context(), time.Millisecond) {
		n, err = connections(t.Context(), conn)
	}
	if err != nil {
		t.Fatal(err)
	}
}
