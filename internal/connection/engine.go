package connection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/seal"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Topic is nudged when a connection has changed.
const Topic = "connection"

// Engine keeps connections. It is safe for concurrent use.
type Engine struct {
	db     *store.DB
	opts   Options
	sealer seal.Sealer
	file   []Entry // of the configuration

	mu     sync.Mutex
	health map[healthKey]apitype.ConnectionHealth
}

// healthKey is a connection as it was checked.
type healthKey struct {
	id       string
	revision int64
}

// Options are what an engine needs of its installation and of the packages above.
type Options struct {
	Secrets []string // of the installation: the first one seals API keys, all of them open
	Config  *config.Config

	// VendorKey reads the API key of a vendor of the configuration.
	VendorKey func(config.Vendor) (string, error)

	// Check says what is wrong with a connection beyond what the configuration knows: models
	// that the catalog does not have, an unknown adapter. Its error begins with a key.
	Check func(Entry) error

	// CheckFolder says why files of models cannot be written to the folder of a ComfyUI. It is
	// asked when a folder is given: one that is away later stops no render.
	CheckFolder func(dir string) error

	// Probe asks a server what it has. Its error is for the operator.
	Probe func(context.Context, Entry) (Found, error)

	// Ping asks a server whether it answers, which costs it less than Probe.
	Ping func(context.Context, Entry) error

	// Changed is called after a change: it uses the connections as they are now.
	Changed func(context.Context)

	// Places are where discovery looks for servers.
	Places []Place

	Now func() time.Time
}

// Found is what a server answered.
type Found struct {
	BaseURL string // that answered, where it is not the one that was asked
	Message string // what was found, as a sentence
	Models  []apitype.FoundModel
}

// New makes an engine.
func New(db *store.DB, o Options) (*Engine, error) {
	sealer, err := seal.New("API keys of connections", o.Secrets)
	if err != nil {
		return nil, err
	}
	e := &Engine{db: db, opts: o, sealer: sealer, health: map[healthKey]apitype.ConnectionHealth{}}
	for _, u := range o.Config.LLM.Upstreams {
		e.file = append(e.file, ofUpstream(u))
	}
	for _, v := range o.Config.Vendors {
		key, err := o.VendorKey(v)
		entry := ofVendor(v, key)
		if err != nil {
			entry.Problem = sentence(err.Error()) // a server does not start then; a command does
		}
		e.file = append(e.file, entry)
	}
	for _, s := range o.Config.Lora.Sources {
		entry := ofSource(s)
		if slices.Contains(config.Default().Lora.Sources, s) {
			entry.From = apitype.ConnectionFromDefault
		}
		e.file = append(e.file, entry)
	}
	for i := range e.file {
		entry := &e.file[i]
		entry.ID, entry.hasKey = fmt.Sprintf("file-%s-%d", entry.Kind, i), entry.Key != ""
		if entry.From == "" {
			entry.From = apitype.ConnectionFromFile
		}
	}
	return e, nil
}

// Reseal seals API keys with the first secret that another one opens, so that the others can be
// removed.
func (e *Engine) Reseal(ctx context.Context) error {
	if len(e.sealer) < 2 {
		return nil
	}
	return e.db.Write(ctx, func(tx *store.Tx) error {
		rows, err := tx.Connections()
		if err != nil {
			return err
		}
		for _, row := range rows {
			sealed, changed, err := e.sealer.Reseal(row.Kind, row.ID, row.Sealed)
			if err == nil && changed {
				err = tx.ResealConnection(row.ID, row.Sealed, sealed)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Used lists the connections that are used, and the number of the last change that they have.
func (e *Engine) Used(ctx context.Context) (used []Entry, change int64, err error) {
	var rows []store.Connection
	err = e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if change, err = tx.ConnectionChange(); err == nil {
			rows, err = tx.Connections()
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return slices.DeleteFunc(e.resolve(rows), func(entry Entry) bool { return entry.Problem != "" }), change, nil
}

// Change is the number of the last change.
func (e *Engine) Change(ctx context.Context) (n int64, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		n, err = tx.ConnectionChange()
		return err
	})
	return n, err
}

// entries lists all connections.
func (e *Engine) entries(ctx context.Context) ([]Entry, error) {
	if e.db == nil { // an installation that has no database yet
		return e.resolve(nil), nil
	}
	var rows []store.Connection
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		rows, err = tx.Connections()
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.resolve(rows), nil
}

// resolve reads stored connections and adds them to those of the configuration, each with what
// keeps it from being used. One that was stored first comes first.
func (e *Engine) resolve(rows []store.Connection) []Entry {
	list := slices.Clone(e.file)
	for _, row := range rows {
		list = e.add(list, e.read(row))
	}
	return list
}

// read reads a stored connection.
func (e *Engine) read(row store.Connection) Entry {
	entry := Entry{
		ID: row.ID, Kind: apitype.ConnectionKind(row.Kind), Name: row.Name, From: apitype.ConnectionFromStore, Revision: row.Revision,
		createdAt: row.CreatedAt, updatedAt: row.UpdatedAt, hasKey: row.Sealed != "",
	}
	if err := wire.Unmarshal(row.Settings, &entry.Settings); err != nil {
		entry.Problem = "Its settings cannot be read: remove it and connect it again."
	} else if kind, err := kindOf(entry.Settings); err != nil || kind != entry.Kind {
		entry.Problem = "Its settings cannot be read: remove it and connect it again."
	}
	var err error
	if entry.Key, err = e.sealer.Open(row.Kind, row.ID, row.Sealed); errors.Is(err, seal.ErrUnreadable) && entry.Problem == "" {
		entry.Problem = "Its API key cannot be read, because the session secret of this installation has changed: enter it again."
	}
	return entry
}

// add adds a stored connection to a list, with its problem if it cannot be used beside the
// others.
func (e *Engine) add(list []Entry, entry Entry) []Entry {
	same := slices.IndexFunc(list, func(o Entry) bool {
		return o.From != apitype.ConnectionFromStore && o.Kind == entry.Kind && o.Name == entry.Name
	})
	switch {
	case same >= 0 && list[same].From == apitype.ConnectionFromFile:
		entry.Problem = fmt.Sprintf("The configuration file names %s too, and wins: this one is not used.", entry.Name)
	case same >= 0 && entry.Problem == "":
		list = slices.Delete(list, same, same+1)
	}
	if entry.Problem == "" {
		if err := e.fits(list, entry); err != nil {
			entry.Problem = sentence(err.Error())
		}
	}
	return append(list, entry)
}

// fits refuses a connection that cannot be used beside those of a list that are.
func (e *Engine) fits(list []Entry, entry Entry) error {
	var (
		servers []config.Upstream
		vendors []config.Vendor
		names   []string
	)
	for _, o := range append(slices.Clone(list), entry) {
		if o.Kind != entry.Kind || o.Problem != "" {
			continue
		}
		names = append(names, o.Name)
		switch o.Kind {
		case apitype.ConnectionLLM:
			servers = append(servers, o.Upstream())
		case apitype.ConnectionVendor:
			vendors = append(vendors, o.Vendor())
		}
	}
	last := len(names) - 1
	err := config.CheckModels(servers, func(i, j int) string {
		if i == last {
			return fmt.Sprintf("models[%d]", j)
		}
		return fmt.Sprintf("models[%d] of %s", j, names[i])
	})
	if err == nil {
		err = config.CheckVendors(vendors, func(i int) string {
			if i == last {
				return "vendor"
			}
			return names[i]
		})
		if err != nil {
			err = errors.New(strings.TrimPrefix(err.Error(), "vendor."))
		}
	}
	if err == nil {
		err = e.opts.Check(entry)
	}
	return entry.refusal(err)
}
