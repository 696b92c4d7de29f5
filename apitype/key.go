package apitype

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
)

// NewKeyLimits are the limits that a key gets. What is left out is not limited.
type NewKeyLimits struct {
	ExpiresAt string             `json:"expiresAt,omitempty" wire:"expiresAt,minlen=1,maxlen=40" doc:"When it expires, as RFC 3339."`
	Groups    []atelier.KeyGroup `json:"groups,omitempty" wire:"groups,minlen=1,maxlen=6" doc:"The groups of endpoints that it may use: chat, media, workflows, account, worker, operator."`
	ReadOnly  bool               `json:"readOnly,omitzero" wire:"readOnly" doc:"It may only use endpoints that change nothing."`
	Addresses []string           `json:"addresses,omitempty" wire:"addresses,minlen=1,maxlen=50" doc:"The addresses of its clients, or networks of them such as 10.0.0.0/8."`
	Rate      int                `json:"requestsPerMinute,omitzero" wire:"requestsPerMinute,min=1,max=100000" doc:"How many requests a minute it may send to each node, beside the limits of the account."`
	Models    []string           `json:"models,omitempty" wire:"models,minlen=1,maxlen=200" doc:"The models that it may use, by their ids: language models, and models that make media."`
	Tools     []string           `json:"tools,omitempty" wire:"tools,minlen=1,maxlen=200" doc:"The tools that it may use, in workflows, in chats and in protocols that make media."`
	Budget    *NewKeyBudget      `json:"budget,omitempty" wire:"budget" doc:"How much work it may ask for, by the value of the work, whether the balance or a plan pays for it."`
}

// NewKeyBudget is the budget that a key gets, in decimal strings.
type NewKeyBudget struct {
	Unit  atelier.BudgetUnit `json:"unit,omitempty" wire:"unit,enum=spark|usd,default=spark" doc:"What the amounts are of."`
	Day   string             `json:"day,omitempty" wire:"day,minlen=1,maxlen=40" doc:"The most in a UTC day, such as 12.5."`
	Month string             `json:"month,omitempty" wire:"month,minlen=1,maxlen=40" doc:"The most in a UTC month."`
	Total string             `json:"total,omitempty" wire:"total,minlen=1,maxlen=40" doc:"The most in all."`
}

// Limits reads the limits; nil means none. The error names the field.
func (n *NewKeyLimits) Limits() (l atelier.KeyLimits, err error) {
	if n == nil {
		return l, nil
	}
	l = atelier.KeyLimits{Groups: n.Groups, ReadOnly: n.ReadOnly, Rate: n.Rate, Models: n.Models, Tools: n.Tools}
	if n.ExpiresAt != "" {
		at, err := time.Parse(time.RFC3339, n.ExpiresAt)
		if err != nil || at.Year() > 9999 {
			return l, atelier.Refuse("limits.expiresAt", "must be a time such as 2026-12-31T00:00:00Z.")
		}
		l.ExpiresAt = at.UTC().Truncate(time.Millisecond)
	}
	for i, text := range n.Addresses {
		p, err := atelier.ParseKeyAddress(text)
		if err != nil {
			return l, atelier.Refuse(fmt.Sprintf("limits.addresses[%d]", i), "is wrong: %v.", err)
		}
		l.Addresses = append(l.Addresses, p)
	}
	if n.Budget != nil {
		l.Budget, err = n.Budget.budget("limits.budget")
	}
	return l, err
}

// Replacement reads the limits that replace those of a key; nil means none. It refuses limits that limit nothing: a
// client that has lost them should not remove all limits of the key.
func (n *NewKeyLimits) Replacement() (atelier.KeyLimits, error) {
	l, err := n.Limits()
	if err == nil && n != nil && l.IsZero() {
		err = atelier.Refuse("limits", "must limit something; null removes all limits of the key.")
	}
	return l, err
}

func (n NewKeyBudget) budget(field string) (b atelier.KeyBudget, err error) {
	if b.Unit = n.Unit; b.Unit == "" {
		b.Unit = atelier.BudgetSpark
	}
	for _, part := range []struct {
		name, text string
		into       *atelier.Money
	}{{"day", n.Day, &b.Day}, {"month", n.Month, &b.Month}, {"total", n.Total, &b.Total}} {
		if part.text == "" {
			continue
		}
		amount, err := atelier.ParseMoney(part.text)
		if err != nil || amount <= 0 {
			return b, atelier.Refuse(field+"."+part.name, "must be an amount above 0, such as \"12.5\".")
		}
		*part.into = amount
	}
	return b, nil
}

// CreateKey asks for a key of an account.
type CreateKey struct {
	Name   string        `json:"name,omitempty" wire:"name,maxlen=80" doc:"What the key is for."`
	Limits *NewKeyLimits `json:"limits,omitempty" wire:"limits" doc:"What it is limited to. What is left out is not limited."`
	Reason string        `json:"reason,omitempty" wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

// LimitKey replaces all limits of a key of an account; nil removes them.
type LimitKey struct {
	Limits *NewKeyLimits `json:"limits" wire:"limits" doc:"All its limits from now on; null, or none, removes them."`
	Reason string        `json:"reason,omitempty" wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

// OperatorKeyReply is one key of an account.
type OperatorKeyReply struct {
	Key OperatorKey `json:"key"`
}
