package store

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
)

// Head is what the rows of workflows and of chat runs have in common: whose they are, their status, and where their
// log is.
type Head struct {
	Wallet    atelier.Wallet
	Status    atelier.Status
	Waiting   atelier.WaitingReason
	Events    int64 // how many the log has had: the next sequence
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Move changes the status along a table.
func (h *Head) Move(table []atelier.Move[atelier.Status], to atelier.Status, why atelier.WaitingReason) error {
	if !atelier.MayMove(table, h.Status, to) {
		return fmt.Errorf("store: no move from %q to %q", h.Status, to)
	}
	h.Status, h.Waiting = to, why
	return nil
}
