package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/operator"

	"github.com/atelier-project/atelier/internal/wire"
)

// operated selects the installation that an operator's command works on: by its database,
// or by its address.
type operated struct {
	installation
	URL    serviceURL `help:"Work on the installation at this address, through its operator API, and not on a database." placeholder:"URL"`
	APIKey apiKey     `help:"With --url: an API key of an operator. Default: ATELIER_API_KEY." name:"api-key" placeholder:"KEY"`

	Profile profileName `help:"Work on the installation of this profile of atelier login, with its API key." placeholder:"NAME"`
}

// operations are what operators' commands do. The operator engine does them on a database,
// remote through the API of a service.
type operations interface {
	Accounts(ctx context.Context, q apitype.AccountQuery) (apitype.Accounts, error)
	Account(ctx context.Context, name string) (apitype.Account, error)
	CreateAccount(ctx context.Context, n apitype.NewAccount) (apitype.OpenedAccount, error)
	Credit(ctx context.Context, name string, c apitype.Credit, key string) (apitype.Account, error)
	SetPlan(ctx context.Context, name string, p apitype.PlanChange) (apitype.Account, error)
	SetOperator(ctx context.Context, name string, operator bool, reason string) (apitype.Account, error)
	AddNFT(ctx context.Context, name, id, reason string) (apitype.AddedNFT, error)
	RemoveNFT(ctx context.Context, name, id, reason string) (apitype.Account, error)
	Suspend(ctx context.Context, name, reason string) (apitype.Suspension, error)
	Reinstate(ctx context.Context, name, reason string) (apitype.Reinstatement, error)
	Keys(ctx context.Context, name string, p apitype.Page) (apitype.OperatorKeys, error)
	CreateKey(ctx context.Context, name string, k apitype.CreateKey) (apitype.NewKey, error)
	LimitKey(ctx context.Context, name, id string, l apitype.LimitKey) (apitype.OperatorKey, error)
	RevokeKey(ctx context.Context, name, id, reason string) (apitype.RevokedKey, error)
	RevokeAnyKey(ctx context.Context, key, reason string) (apitype.RevokedKey, error)
	RevokeKeys(ctx context.Context, name, reason string) (apitype.RevokedKeys, error)
	Members(ctx context.Context, name string) (apitype.Members, error)
	InviteMember(ctx context.Context, name string, n apitype.InviteMember) (apitype.Invitation, error)
	ChangeMember(ctx context.Context, name string, person atelier.PersonID, q apitype.ChangeMember) (apitype.Member, error)
	RemoveMember(ctx context.Context, name string, person atelier.PersonID, reason string) (apitype.RemovedMember, error)
	CreateToken(ctx context.Context, name string, ttl time.Duration, reason string) (apitype.SessionToken, error)
	Actions(ctx context.Context, q apitype.ActionQuery) (apitype.Actions, error)
	Workers(ctx context.Context, p apitype.Page) (apitype.OperatorWorkers, error)
	Worker(ctx context.Context, id atelier.WorkerID) (apitype.OperatorWorkerDetail, error)
	WorkerHistory(ctx context.Context, id atelier.WorkerID, w apitype.HistoryWindow) (apitype.WorkerHistory, error)
	DrainWorker(ctx context.Context, id atelier.WorkerID, draining bool, reason string) (apitype.OperatorWorker, error)
	Unresolved(ctx context.Context, p apitype.Page) (apitype.UnresolvedJobs, error)
	Resolve(ctx context.Context, id atelier.JobID, reason string) (apitype.UnresolvedJob, error)
	SpotChecks(ctx context.Context, p apitype.Page) (apitype.SpotChecks, error)
	Claims(ctx context.Context, p apitype.Page) (apitype.Claims, error)
	Claim(ctx context.Context, name string, approved bool, reason string) (*apitype.Claim, error)
	DecideClaim(ctx context.Context, id string, pay bool, reason string) (apitype.Claim, error)
	Loras(ctx context.Context, q apitype.LoraQuery) (apitype.OperatorLoras, error)
	Lora(ctx context.Context, id atelier.LoraID) (apitype.OperatorLora, error)
	ReviewLora(ctx context.Context, id atelier.LoraID, release bool, reason string) (apitype.OperatorLora, error)
	RevokeLora(ctx context.Context, id atelier.LoraID, reason string) (apitype.OperatorLora, error)
	PublishTemplate(ctx context.Context, fields map[string]wire.Raw, reason string) (apitype.PublishedTemplate, error)
	WithdrawTemplate(ctx context.Context, id, reason string) (apitype.WithdrawnTemplate, error)
	Connections(ctx context.Context, check bool) (apitype.Connections, error)
	CreateConnection(ctx context.Context, n apitype.NewConnection) (apitype.Connection, error)
	RemoveConnection(ctx context.Context, id, reason string) (apitype.Connection, error)
	TestConnection(ctx context.Context, id string) (apitype.ConnectionTest, error)
	DiscoverServers(ctx context.Context) (apitype.FoundServers, error)
}

// operate runs a command on the installation. It never creates a database: a wrong --data
// must not look like an empty service.
func (p operated) operate(ctx context.Context, do func(operations) error) error {
	return p.operateWith(ctx, node.AdminOptions{Existing: true}, do)
}

func (p operated) operateWith(ctx context.Context, options node.AdminOptions, do func(operations) error) error {
	if p.Profile != "" {
		return p.operateProfile(do)
	}
	if p.URL == "" {
		if p.APIKey != "" {
			return exitError{errors.New("--api-key is for an installation at --url"), 2}
		}
		return p.openAdmin(ctx, options, func(o *node.Admin) error { return do(o.Operators.As(operator.CommandLine)) })
	}
	key := cmp.Or(string(p.APIKey), os.Getenv("ATELIER_API_KEY"))
	switch {
	case p.Data != "" || p.Config != "":
		return exitError{errors.New("--url cannot be used together with --data and --config"), 2}
	case key == "":
		return exitError{fmt.Errorf("--url needs an API key of an operator: give it as --api-key or ATELIER_API_KEY"), 2}
	}
	return p.URL.explain(do(operatorAPI{client.New(string(p.URL), key).Operator()}))
}

// operateProfile runs a command on the installation of a profile. Only the flag selects one: a command
// without flags works on the database of this machine, whatever the user has stored.
func (p operated) operateProfile(do func(operations) error) error {
	if p.URL != "" || p.Data != "" || p.Config != "" {
		return exitError{errors.New("--profile cannot be used together with --url, --data and --config"), 2}
	}
	s := service{Profile: p.Profile, APIKey: p.APIKey}
	c, err := s.connect()
	if err != nil {
		return err
	}
	return s.URL.explain(do(operatorAPI{c.Operator()}))
}

// operatorAPI does operations through the API of a service.
type operatorAPI struct{ client.Operator }

// PublishTemplate publishes a template that was read from a file.
func (r operatorAPI) PublishTemplate(ctx context.Context, fields map[string]wire.Raw, reason string) (apitype.PublishedTemplate, error) {
	document, err := wire.Marshal(fields)
	if err != nil {
		return apitype.PublishedTemplate{}, err
	}
	return r.Operator.PublishTemplate(ctx, document, reason)
}

// reasoned is the flag with which an operator says why.
type reasoned struct {
	Reason text `help:"Why, for the list of operator actions." placeholder:"TEXT"`
}

func (r reasoned) reason() string { return string(r.Reason) }

// readAll reads all pages of a list.
func readAll[T any](read func(apitype.Page) ([]T, *string, error)) ([]T, error) {
	all, named := []T{}, cursors{}
	for page := (apitype.Page{Limit: 200}); ; {
		part, next, err := read(page)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
		if next == nil {
			return all, nil
		}
		if err := named.add(*next); err != nil {
			return nil, err
		}
		page.Cursor = *next
	}
}

// cursors are those that the pages of a list have named.
type cursors map[string]bool

// add fails if a page names the cursor of an earlier one: the list would never end.
func (c cursors) add(cursor string) error {
	if c[cursor] {
		return fmt.Errorf("the list does not end: the service names the page %s twice", plainText(cursor))
	}
	c[cursor] = true
	return nil
}
