package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Ledger is a page of the ledger.
type Ledger struct {
	Entries    []LedgerEntry `json:"entries"` // the latest first
	NextCursor *string       `json:"nextCursor"`
}

// LedgerEntry is one entry of the ledger.
type LedgerEntry struct {
	EntryID    string        `json:"entryId"`
	CreatedAt  time.Time     `json:"createdAt"`
	Kind       string        `json:"kind" doc:"grant, spend or payout."`
	Token      atelier.Token `json:"token"`
	Amount     atelier.Money `json:"amount" doc:"Negative when it was spent or paid out."`
	Reason     string        `json:"reason" doc:"render, model or tool for what was spent, remake for a render that was made again free of charge; credit or claim for what was granted or paid out."`
	WorkflowID string        `json:"workflowId,omitzero"`
	JobID      string        `json:"jobId,omitzero"`
	RunID      string        `json:"runId,omitzero"`
	ModelID    string        `json:"modelId,omitzero"`
	AppSource  string        `json:"appSource,omitzero"`
	KeyID      string        `json:"keyId,omitzero" doc:"The API key that asked for what was spent."`
	KeyName    string        `json:"keyName,omitzero"`
}
