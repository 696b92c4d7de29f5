package ateliertest

import (
	"encoding/json"
	"strings"
	"time"
)

// usage holds what an account has spent, and for which applications, against
// what is expected.
func (w *world) usage(p paragraph, name string) {
	w.t.Helper()
	sums, err := w.start().Node.Billing.Usage(w.t.Context(), w.person(p, name).Account.Wallet, time.Time{})
	if err != nil {
		w.fail(p, "usage: %v", err)
	}
	list := []map[string]any{}
	for _, s := range sums {
		list = append(list, map[string]any{"app": s.App, "kind": s.Kind, "token": s.Token, "charges": s.Charges, "spent": s.Spent})
	}
	got, err := json.Marshal(list)
	if err != nil {
		w.fail(p, "usage: %v", err)
	}
	if err := w.matchJSON(w.expand(p, strings.Join(p.lines[1:], "\n")), got); err != nil {
		w.fail(p, "the ledger says otherwise: %v\ngot %s", err, got)
	}
}
