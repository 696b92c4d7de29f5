package api

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// ledgerRequest is the query of GET /v1/account/ledger.
type ledgerRequest struct {
	From    string `wire:"from" doc:"Only entries from this time on: RFC 3339, or a UTC day as YYYY-MM-DD."`
	To      string `wire:"to" doc:"Only entries before this time: RFC 3339, or a UTC day as YYYY-MM-DD, which is included."`
	ModelID string `wire:"modelId,maxlen=200" doc:"Only what was spent for this model. A page may have fewer entries than the limit, or none, although another follows."`
	Cursor  string `wire:"cursor,maxlen=1000" doc:"The nextCursor of the page before."`
	Limit   int    `wire:"limit,default=50,min=1,max=200" doc:"How many to list."`
}

func (s *Server) ledger(c *endpoint.Call, q ledgerRequest) (apitype.Ledger, error) {
	from, err := parseMoment("from", q.From, 0)
	if err != nil {
		return apitype.Ledger{}, err
	}
	to, err := parseMoment("to", q.To, 24*time.Hour)
	if err != nil {
		return apitype.Ledger{}, err
	}
	page, err := s.billing.Ledger(c, c.Caller.Wallet, billing.LedgerQuery{From: from, To: to, ModelID: q.ModelID, Cursor: q.Cursor, Limit: q.Limit})
	reply := apitype.Ledger{Entries: []apitype.LedgerEntry{}, NextCursor: page.Next}
	for _, l := range page.Lines {
		reply.Entries = append(reply.Entries, apitype.LedgerEntry{
			EntryID: l.ID(), CreatedAt: l.At, Kind: l.Kind, Token: l.Token, Amount: l.Change(), Reason: l.Reason,
			WorkflowID: l.WorkflowID, JobID: l.JobID, RunID: l.RunID, ModelID: l.ModelID, AppSource: l.App, KeyID: l.KeyID, KeyName: l.KeyName,
		})
	}
	return reply, err
}

// parseMoment reads a time, or a day, to whose beginning it adds something.
func parseMoment(field, text string, add time.Duration) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Add(add), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, atelier.Refuse(field, "must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31, not %q.", text)
	}
	return at, nil
}
