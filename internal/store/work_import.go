package store

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
)

// importedAtOnce is how many jobs are imported before the next ones are read.
const importedAtOnce = 500

// importWork makes records of the renders that completed before there were records,
// and counts them. The counters of their days have them already; the counters by
// model and by application get them here. Of a worker that is no longer connected it
// is not known whose it was: its renders count for the network alone.
func (tx *Tx) importWork() error {
	for after := ""; ; {
		jobs, err := tx.jobs(`WHERE id > $1 AND state = 'completed' AND network IN ('fast', 'relaxed') ORDER BY id LIMIT $2`, after, importedAtOnce)
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, j := range jobs {
			if err := tx.importJob(j); err != nil {
				return fmt.Errorf("job %s: %w", j.ID, err)
			}
		}
		if _, err := tx.CountWork(importedAtOnce); err != nil {
			return err
		}
		after = string(jobs[len(jobs)-1].ID)
	}
}

func (tx *Tx) importJob(j StoredJob) error {
	w := Work{
		Cause: fmt.Sprintf("job/%s/%d", j.ID, j.Attempt), Wallet: j.Wallet, App: j.Charge.App, Network: j.Network, ModelID: j.Spec.ModelID,
		At: j.EndedAt, Imported: true, ByPlan: j.Charge.ByPlan, Spark: j.Charge.Cost.Spark, USD: j.Charge.Cost.USD,
	}
	var delivered int64
	err := tx.row(`SELECT COUNT(*) FROM artifact WHERE job_id = $1 AND SUBSTR(id, LENGTH(id) - 9) <> '-lastFrame'`, string(j.ID)).scan(&delivered)
	if err != nil {
		return err
	}
	ordered := int64(0)
	for _, a := range j.Spec.Artifacts {
		if !strings.HasSuffix(a.ID, "-lastFrame") {
			ordered++
		}
	}
	if delivered < ordered { // as it was charged
		w.Spark = w.Spark * atelier.Money(delivered) / atelier.Money(ordered)
		w.USD = w.USD * atelier.Money(delivered) / atelier.Money(ordered)
	}
	err = tx.rows(func(scan func(...any) error) error {
		var (
			token  atelier.Token
			amount atelier.Money
		)
		err := scan(&token, &amount)
		switch token {
		case atelier.TokenSvc:
			w.SvcSpent += amount
		case atelier.TokenPremiumSpark:
			w.PaidSparkSpent += amount
			w.SparkSpent += amount
		default:
			w.SparkSpent += amount
		}
		return err
	}, `SELECT token, amount FROM ledger WHERE cause = $1 AND kind = 'spend'`, w.Cause)
	if err != nil {
		return err
	}
	worker, err := tx.AnyWorker(j.WorkerID)
	if err == nil {
		w.Worker, w.NFT = worker.Wallet, worker.NFTTokenID
	} else if err != ErrNotFound {
		return err
	}
	return tx.RecordWork(w)
}
