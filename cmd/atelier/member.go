package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

type accountMembers struct {
	operated
	Wallet string `arg:"" help:"Wallet address or username."`
	JSON   bool   `help:"Print JSON." name:"json"`
}

// Run lists the members and the invitations.
func (m *accountMembers) Run(ctx context.Context, t terminal) error {
	return m.operate(ctx, func(o operations) error {
		team, err := o.Members(ctx, m.Wallet)
		if err != nil {
			return err
		}
		if m.JSON {
			return printJSON(t.out, team)
		}
		table := columns(t.out)
		fmt.Fprintln(table, "ID\tNAME\tE-MAIL\tROLE\tSINCE\tBUDGET")
		for _, one := range team.Members {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", one.PersonID, printable(one.Name), printable(orDash(one.Email)), one.Role,
				one.Since.Format(time.RFC3339), budgetText(one.Budget))
		}
		for _, i := range team.Invitations {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\tinvited, until %s\t%s\n", i.InvitationID, printable(cmp.Or(i.Name, "-")), printable(orDash(i.Email)), i.Role,
				i.ExpiresAt.Format(time.RFC3339), budgetText(i.Budget))
		}
		return table.Flush()
	})
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}

func budgetText(b *apitype.KeyBudget) string {
	return cmp.Or(describeLimits(apitype.KeyLimits{Budget: b}), "-")
}

// memberBudget is the budget of a member on the command line.
type memberBudget struct {
	Budget []keyBudget `help:"How much work the member may ask for: an amount of Spark, or of US dollars as 5usd, a day, a month or in all, such as 100/month. Repeat it for several." placeholder:"N/day|month|total" sep:"none"`
}

type accountAddMember struct {
	accountChange
	Email text   `help:"The person who signs in with this e-mail, verified by a provider, accepts the invitation; so does the person who has the link." placeholder:"ADDRESS"`
	Name  text   `help:"What the person is called." placeholder:"N"`
	Role  string `help:"owner, editor or viewer." enum:"owner,editor,viewer" default:"editor"`
	memberBudget
}

// Run makes an invitation.
func (m *accountAddMember) Run(ctx context.Context, t terminal) error {
	budget, err := readBudget(m.Budget)
	if err != nil {
		return err
	}
	return m.operate(ctx, func(o operations) error {
		n := apitype.NewMember{Email: string(m.Email), Name: string(m.Name), Role: atelier.Role(m.Role), Budget: budget}
		i, err := o.InviteMember(ctx, m.Wallet, apitype.InviteMember{NewMember: n, Reason: m.reason()})
		if err != nil {
			return err
		}
		if i.Link == "" { // on the database, which does not know where the service is
			c, err := m.load()
			if err != nil {
				return err
			}
			i.Link = strings.TrimRight(cmp.Or(c.PublicURL, "http://"+c.Listen), "/") + "/#invitation=" + i.Code
		}
		return m.result(t.out, i, i.Link)
	})
}

type accountChangeMember struct {
	operated
	Wallet string `arg:"" help:"Wallet address or username."`
	Member text   `arg:"" help:"The member, by the id that account members shows."`
	Role   string `help:"owner, editor or viewer." enum:",owner,editor,viewer" default:""`
	memberBudget
	NoBudget bool `help:"Remove the budget."`
	reasoned
	printing
}

// Run changes a member.
func (m *accountChangeMember) Run(ctx context.Context, t terminal) error {
	budget, err := readBudget(m.Budget)
	if err != nil {
		return err
	}
	switch {
	case budget != nil && m.NoBudget:
		return errors.New("--budget and --no-budget cannot be used together")
	case budget == nil && !m.NoBudget && m.Role == "":
		return errors.New("nothing to change: give --role, --budget or --no-budget")
	}
	q := apitype.ChangeMember{Budget: budget, NoBudget: m.NoBudget, Reason: m.reason()}
	if m.Role != "" {
		q.Role = new(atelier.Role(m.Role))
	}
	return m.operate(ctx, func(o operations) error {
		changed, err := o.ChangeMember(ctx, m.Wallet, atelier.PersonID(m.Member), q)
		if err != nil {
			return err
		}
		return m.result(t.out, changed, fmt.Sprintf("%s: %s, budget %s", changed.Name, changed.Role, budgetText(changed.Budget)))
	})
}

type accountRemoveMember struct {
	operated
	Wallet string `arg:"" help:"Wallet address or username."`
	Member text   `arg:"" help:"The member or the invitation, by the id that account members shows."`
	reasoned
	printing
}

// Run ends a membership.
func (m *accountRemoveMember) Run(ctx context.Context, t terminal) error {
	return m.operate(ctx, func(o operations) error {
		r, err := o.RemoveMember(ctx, m.Wallet, atelier.PersonID(m.Member), m.reason())
		if err != nil {
			return err
		}
		return m.result(t.out, r, fmt.Sprintf("removed; keys revoked: %d; sessions ended: %d", r.KeysRevoked, r.SessionsEnded))
	})
}
