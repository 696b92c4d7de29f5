package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// actionsCommand shows what was done.
type actionsCommand struct {
	operated
	Wallet text `arg:"" optional:"" help:"Wallet address or username of the account concerned. All when omitted."`
	By     text `help:"Only what this operator or account did: a wallet address, or \"command line\"." placeholder:"WALLET"`
	Action text `help:"Only actions of this name, such as \"create key\"." placeholder:"NAME"`
	Key    text `help:"Only what was done with the API key of this id." placeholder:"ID"`
	Target text `help:"Only what was done to the key or other thing of this id." placeholder:"ID"`
	Days   int  `help:"How many UTC days, up to today." default:"30"`
	JSON   bool `help:"Print JSON, an action a line." name:"json" xor:"format"`
	CSV    bool `help:"Print CSV." name:"csv" xor:"format"`
}

// Run lists actions, newest first, page by page: there may be many.
func (a *actionsCommand) Run(ctx context.Context, t terminal) error {
	if a.Days < 1 || a.Days > mostDays {
		return fmt.Errorf("--days must be from 1 to %d", mostDays)
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	q := apitype.ActionQuery{
		Wallet: string(a.Wallet), Operator: string(a.By), Action: string(a.Action), KeyID: string(a.Key), TargetID: string(a.Target),
		From: today.AddDate(0, 0, 1-a.Days), Page: apitype.Page{Limit: 200},
	}
	return a.operate(ctx, func(o operations) error {
		part, err := o.Actions(ctx, q)
		if err != nil {
			return err
		}
		list := a.list(t.out)
		for named := (cursors{}); err == nil; part, err = o.Actions(ctx, q) {
			for i := 0; i < len(part.Actions) && err == nil; i++ {
				err = list.add(part.Actions[i])
			}
			if err != nil || part.NextCursor == nil {
				break
			}
			if err = named.add(*part.NextCursor); err != nil {
				break
			}
			q.Cursor = *part.NextCursor
		}
		return errors.Join(err, list.end())
	})
}

// actionList writes actions in a form.
type actionList struct {
	add func(apitype.Action) error
	end func() error
}

func (a *actionsCommand) list(out io.Writer) actionList {
	switch {
	case a.JSON:
		e := json.NewEncoder(out)
		return actionList{func(a apitype.Action) error { return e.Encode(a) }, func() error { return nil }}
	case a.CSV:
		w := csv.NewWriter(out)
		_ = w.Write([]string{"at", "by", "keyId", "action", "walletAddress", "username", "targetId", "detail", "reason"}) // end says what went wrong
		return actionList{
			func(a apitype.Action) error {
				row := append([]string{a.At.Format(time.RFC3339)}, actionTexts(a)...)
				for i, text := range row {
					row[i] = spreadsheetText(text)
				}
				return w.Write(row)
			},
			func() error { w.Flush(); return w.Error() },
		}
	}
	return actionTable(columns(out))
}

// actionTexts are the fields of an action but for its time.
func actionTexts(a apitype.Action) []string {
	or := func(id *string) string {
		if id == nil {
			return ""
		}
		return *id
	}
	wallet := ""
	if a.WalletAddress != nil {
		wallet = string(*a.WalletAddress)
	}
	return []string{a.Operator, or(a.KeyID), a.Action, wallet, a.Username, or(a.TargetID), a.Detail, a.Reason}
}

func actionTable(w *tabwriter.Writer) actionList {
	fmt.Fprintln(w, "AT\tBY\tACTION\tACCOUNT\tDETAIL\tREASON")
	return actionList{
		func(a apitype.Action) error {
			by := a.OperatorName
			if by == "" {
				by = a.Operator
			}
			cells := []string{a.At.Format(time.RFC3339), by, a.Action, a.Username, a.Detail, a.Reason}
			for i, text := range cells {
				cells[i] = atelier.Excerpt(strings.Join(strings.Fields(text), " "))
			}
			_, err := fmt.Fprintln(w, strings.Join(cells, "\t"))
			return err
		},
		w.Flush,
	}
}
