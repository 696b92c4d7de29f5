package operator

import (
	"cmp"
	"context"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/graph"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/pull"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/template"
)

// Engine does what operators ask for. It is safe for concurrent use.
type Engine struct {
	db       *store.DB
	accounts *account.Engine
	billing  *billing.Engine
	fleet    *fleet.Engine
	loras    *lora.Operator
	opts     Options
}

// Options are the settings of an engine.
type Options struct {
	// CancelWork ends everything that a suspended account has under way, and returns how
	// many workflows and chat runs that were.
	CancelWork func(context.Context, atelier.Account) (int, error)

	// Connections keeps the servers that operators connect.
	Connections *connection.Engine

	// Graphs keeps the graphs of ComfyUI that operators bring.
	Graphs *graph.Engine

	// Pulls fetches files of models. Nil on the command line, which has no node to do it.
	Pulls *pull.Engine

	// Service is the wallet of the account of the service's own workers. It cannot be
	// suspended.
	Service atelier.Wallet

	// Templates finds the engine that keeps the public templates.
	Templates func() (*template.Engine, error)

	// FreeSpace reads how many bytes are free on the disks of this node. Nil where it
	// stores nothing.
	FreeSpace func() (int64, error)

	// Searched is how many accounts or jobs one request looks at for those that it lists;
	// zero is mostSearched.
	Searched int

	Now func() time.Time
}

const mostSearched = 5_000

// New makes an engine.
func New(db *store.DB, accounts *account.Engine, bill *billing.Engine, f *fleet.Engine, o Options) *Engine {
	o.Searched = cmp.Or(o.Searched, mostSearched)
	return &Engine{db: db, accounts: accounts, billing: bill, fleet: f, loras: lora.NewOperator(db, o.Now), opts: o}
}

// CommandLine is the operator of commands that work on the database. It is no wallet:
// those have no spaces.
const CommandLine = "command line"

// Operator is an engine that acts for one operator.
type Operator struct {
	*Engine
	name    string
	keyHash string // of the API key that the operator acts with; empty for the command line
	keyID   string // of the same
	limits  *atelier.KeyLimits
}

// As returns the engine as an operator uses it: by the wallet, or CommandLine.
func (e *Engine) As(name string) Operator { return Operator{Engine: e, name: name} }

// AsCaller returns the engine as an operator uses it through the API.
func (e *Engine) AsCaller(c atelier.Caller) Operator {
	return Operator{e, string(c.Wallet), c.KeyHash, c.KeyID, c.Limits}
}

// maxReason is the longest reason or note, in characters.
const maxReason = 500

// checkReason refuses a reason that is too long.
func checkReason(field, reason string) error {
	if utf8.RuneCountInString(reason) > maxReason || !utf8.ValidString(reason) {
		return atelier.Refuse(field, "must be at most %d characters.", maxReason)
	}
	return nil
}

// record returns what writes an action in the transaction of a change.
func (o Operator) record(a store.Action) account.Also {
	a.ID, a.At, a.By, a.KeyID = mint.OrderedUUID(), o.opts.Now(), o.name, o.keyID
	return func(tx *store.Tx) error { return tx.InsertAction(a) }
}

// The limits of lists.
const (
	defaultLimit = 50
	maxLimit     = 200
)

// part is the part of a list that is asked for: a row more than fits tells whether there
// are others.
type part struct {
	list  string // its name is in its cursors
	limit int
	cursor.Place
}

// newPart reads the position of a list whose rows have keys of some values.
func newPart(list string, p apitype.Page, values int) (part, error) {
	out := part{list: list, limit: p.Limit}
	if out.limit == 0 {
		out.limit = defaultLimit
	}
	if out.limit < 1 || out.limit > maxLimit {
		return out, atelier.Refuse("limit", "must be between 1 and %d.", maxLimit)
	}
	var err error
	out.Place, err = cursor.Decode(list, p.Cursor, values)
	return out, err
}

// cut returns the rows that belong to a part, and the cursor of the next one.
func cut[T any](p part, rows []T, key func(T) []string) ([]T, *string) {
	if len(rows) <= p.limit {
		return rows, nil
	}
	rows = rows[:p.limit]
	return rows, cursor.Encode(p.list, key(rows[p.limit-1])...)
}

// convert converts the rows of a list. The result is never nil, so that JSON has an empty
// list.
func convert[From, To any](rows []From, one func(From) To) []To {
	out := make([]To, len(rows))
	for i, row := range rows {
		out[i] = one(row)
	}
	return out
}

// optional is a value that may be absent: nil when it is zero.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
