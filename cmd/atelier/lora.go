package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// loraCommand groups the commands about personal LoRAs.
type loraCommand struct {
	List   loraList   `cmd:"" help:"List the personal LoRAs of all accounts, newest first."`
	Show   loraShow   `cmd:"" help:"Show a personal LoRA: its source, its file and its status."`
	Upload loraUpload `cmd:"" help:"Add a LoRA file to the library of your account."`
	Review loraReview `cmd:"" help:"Hold a ready personal LoRA back, so that no render uses it, or release it."`
	Revoke loraRevoke `cmd:"" help:"Withdraw a personal LoRA for good. Its file is removed."`
}

// loraStatus is a status of personal LoRAs.
type loraStatus atelier.LoraStatus

// UnmarshalText reads the flag.
func (s *loraStatus) UnmarshalText(b []byte) error {
	if values := atelier.LoraReady.Values(); !slices.Contains(values, string(b)) {
		return fmt.Errorf("%q is not one of %s", b, strings.Join(values, ", "))
	}
	*s = loraStatus(b)
	return nil
}

// listedLora is a personal LoRA in the output of a command.
type listedLora struct {
	ID           atelier.LoraID      `json:"id"`
	Wallet       atelier.Wallet      `json:"walletAddress"`
	Name         string              `json:"name"`
	ModelID      string              `json:"modelId"`
	Family       string              `json:"family"`
	Status       atelier.LoraStatus  `json:"status"`
	Reason       string              `json:"reason,omitzero"`
	FailureCode  atelier.LoraFailure `json:"failureCode,omitzero"`
	Requirements []string            `json:"requirements,omitempty"`
	Link         string              `json:"link"`
	Source       string              `json:"source"`
	Provider     string              `json:"provider"`
	Version      string              `json:"version"`
	Bytes        int64               `json:"bytes,omitzero"`
	SHA256       string              `json:"sha256,omitzero"`
	Key          string              `json:"objectKey,omitzero"`
	CreatedAt    time.Time           `json:"createdAt"`
	UpdatedAt    time.Time           `json:"updatedAt"`
}

func newListedLora(l apitype.OperatorLora) listedLora {
	return listedLora{
		ID: l.ID, Wallet: l.WalletAddress, Name: l.Name, ModelID: l.ModelID, Family: l.Family, Status: l.Status, Reason: orZero(l.Reason), FailureCode: orZero(l.FailureCode),
		Requirements: l.Requirements, Link: l.Link, Source: l.Source, Provider: l.Provider, Version: l.Version, Bytes: l.Bytes, SHA256: orZero(l.SHA256),
		Key: orZero(l.ObjectKey), CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}
}

// orZero is a value that may be absent.
func orZero[T any](v *T) (out T) {
	if v != nil {
		out = *v
	}
	return out
}

type loraList struct {
	operated
	Status  loraStatus `help:"Only those in this status." placeholder:"S"`
	Account text       `help:"Only those of this account: its wallet address or username." placeholder:"W"`
	JSON    bool       `help:"Print JSON." name:"json"`
}

// Run lists the personal LoRAs.
func (c *loraList) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		all, err := readAll(func(p apitype.Page) ([]apitype.OperatorLora, *string, error) {
			part, err := o.Loras(ctx, apitype.LoraQuery{Status: atelier.LoraStatus(c.Status), Wallet: string(c.Account), Page: p})
			return part.Loras, part.NextCursor, err
		})
		if err != nil {
			return err
		}
		list := []listedLora{}
		for _, l := range all {
			list = append(list, newListedLora(l))
		}
		if c.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := columns(t.out)
		fmt.Fprintln(table, "LORA\tWALLET\tSTATUS\tFAMILY\tBYTES\tCREATED\tNAME\tSOURCE")
		for _, l := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%q\t%s\n", l.ID, l.Wallet, l.Status, l.Family, l.Bytes, l.CreatedAt.Format(time.RFC3339), l.Name, l.Source)
		}
		return table.Flush()
	})
}

// loraID is the argument of the commands about one personal LoRA.
type loraID struct {
	ID text `arg:"" help:"Its id, as atelier lora list shows it."`
}

func (i loraID) id() atelier.LoraID { return atelier.LoraID(i.ID) }

type loraShow struct {
	operated
	loraID
	JSON bool `help:"Print JSON." name:"json"`
}

// Run shows a personal LoRA.
func (c *loraShow) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		found, err := o.Lora(ctx, c.id())
		if err != nil {
			return err
		}
		l := newListedLora(found)
		if c.JSON {
			return printJSON(t.out, l)
		}
		table := columns(t.out)
		for _, row := range []struct{ name, value string }{
			{"lora", string(l.ID)}, {"wallet", string(l.Wallet)}, {"name", fmt.Sprintf("%q", l.Name)}, {"model", l.ModelID + ", family " + l.Family},
			{"status", string(l.Status)}, {"reason", l.Reason}, {"failure", string(l.FailureCode)}, {"requirements", strings.Join(l.Requirements, " ")},
			{"link", l.Link}, {"source", l.Source}, {"version", strings.TrimSpace(l.Provider + " " + l.Version)}, {"bytes", fmt.Sprint(l.Bytes)},
			{"sha256", l.SHA256}, {"object", l.Key}, {"created", l.CreatedAt.Format(time.RFC3339)}, {"updated", l.UpdatedAt.Format(time.RFC3339)},
		} {
			if row.value != "" {
				fmt.Fprintf(table, "%s\t%s\n", row.name, row.value)
			}
		}
		return table.Flush()
	})
}

type loraReview struct {
	operated
	loraID
	Reason  text `help:"Why it is held back, for its owner." placeholder:"TEXT" xor:"review"`
	Release bool `help:"Let it be used again." xor:"review"`
	printing
}

// Run holds a personal LoRA back, or releases it.
func (c *loraReview) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		l, err := o.ReviewLora(ctx, c.id(), c.Release, string(c.Reason))
		return c.reportLora(t, l, err)
	})
}

type loraRevoke struct {
	operated
	loraID
	Reason text `help:"Why, for its owner." placeholder:"TEXT"`
	printing
}

// Run withdraws a personal LoRA.
func (c *loraRevoke) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		l, err := o.RevokeLora(ctx, c.id(), string(c.Reason))
		return c.reportLora(t, l, err)
	})
}

// reportLora prints the status of a personal LoRA that a command has changed.
func (p printing) reportLora(t terminal, l apitype.OperatorLora, err error) error {
	if err != nil {
		return err
	}
	return p.result(t.out, newListedLora(l), fmt.Sprintf("%s: %s", l.ID, l.Status))
}
