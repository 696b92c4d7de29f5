package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/internal/store"
)

// copyID is the id of a copy: they sort as real ids do, the newest last.
func copyID(n int) string { return fmt.Sprintf("wf_durable_workflow_%036d", n) }

// copyBatch is how many workflows are written in one transaction.
const copyBatch = 5_000

// copySQLite fills the file of a service that is not running with copies of a
// workflow and of its log.
func copySQLite(ctx context.Context, dir, wallet, id string, size int) (err error) {
	db, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "atelier.db")})
	if err != nil {
		return err
	}
	defer func() {
		if end := db.Close(); err == nil {
			err = end
		}
	}()
	var (
		row store.StoredWorkflow
		log []atelier.Event
	)
	err = db.Read(ctx, func(tx *store.Tx) (err error) {
		if row, err = tx.Workflow(atelier.Wallet(wallet), atelier.WorkflowID(id)); err == nil {
			log, err = tx.Events(id, -1, 1_000, 1<<30)
		}
		return err
	})
	if err != nil {
		return err
	}
	created, updated := row.CreatedAt, row.UpdatedAt
	for from := 1; from <= size && err == nil; from += copyBatch {
		err = db.Write(ctx, func(tx *store.Tx) error {
			for n := from; n < from+copyBatch && n <= size; n++ {
				// A second apart, and all before the real one.
				ago := -time.Duration(size-n+1) * time.Second
				row.ID, row.CreatedAt, row.UpdatedAt = atelier.WorkflowID(copyID(n)), created.Add(ago), updated.Add(ago)
				if err := tx.InsertWorkflow(row); err != nil {
					return err
				}
				if err := tx.InsertEvents(string(row.ID), log); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return err
}

// copyPostgres does the same inside a PostgreSQL database.
func copyPostgres(ctx context.Context, database, id string, size int) error {
	copied := `'wf_durable_workflow_' || lpad(n::text, 36, '0')`
	ago := fmt.Sprintf(`(%d - n + 1) * 1000::bigint`, size)
	series := fmt.Sprintf(`generate_series(1, %d) AS n`, size)
	script := strings.Join([]string{
		`INSERT INTO workflow (id, wallet, status, waiting, plan, state, events, created_at, updated_at)
			SELECT ` + copied + `, wallet, status, waiting, plan, state, events, created_at - ` + ago + `, updated_at - ` + ago + `
			FROM workflow, ` + series + ` WHERE id = '` + id + `'`,
		`INSERT INTO event (log, sequence, type, at, message, payload, status, waiting)
			SELECT ` + copied + `, sequence, type, at, message, payload, status, waiting
			FROM ` + series + `, event WHERE log = '` + id + `'`,
		`ANALYZE workflow`, `ANALYZE event`,
	}, ";\n")
	return server.SQL(ctx, database, script)
}
