package connection

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Also writes something else in the transaction of a change. The detail describes the
// connection.
type Also func(tx *store.Tx, entry Entry) error

// maxConnections bounds the stored connections: nodes read all of them.
const maxConnections = 200

// Create stores a connection. The models of a language model server that are not given are those
// that it lists.
func (e *Engine) Create(ctx context.Context, n apitype.NewConnection, also Also) (apitype.Connection, error) {
	kind, err := kindOf(n.ConnectionSettings)
	if err != nil {
		return apitype.Connection{}, err
	}
	entry := Entry{ID: mint.OrderedUUID(), Kind: kind, Name: n.Name, From: apitype.ConnectionFromStore, Key: strings.TrimSpace(n.APIKey), Settings: n.ConnectionSettings, Revision: 1}
	known, err := e.entries(ctx)
	if err != nil {
		return apitype.Connection{}, err
	}
	if entry.Name == "" && kind != apitype.ConnectionLoraSource {
		entry.Name = nameFor(entry, known)
	}
	if err := e.complete(ctx, &entry); err != nil {
		return apitype.Connection{}, err
	}
	if err := e.checkFolder(entry); err != nil {
		return apitype.Connection{}, err
	}
	entry.createdAt = e.opts.Now()
	return e.save(ctx, entry, also, func(tx *store.Tx, rows []store.Connection, row store.Connection) error {
		if len(rows) >= maxConnections {
			return atelier.Errorf(atelier.CodeWrongState, "There are %d connections, which is the limit: remove one first.", maxConnections)
		}
		return tx.InsertConnection(row)
	})
}

// Update changes a stored connection.
func (e *Engine) Update(ctx context.Context, id string, c apitype.ConnectionChange, also Also) (apitype.Connection, error) {
	entry, err := e.stored(ctx, id)
	if err != nil {
		return apitype.Connection{}, err
	}
	before := entry
	if c.ConnectionSettings != (apitype.ConnectionSettings{}) {
		kind, err := kindOf(c.ConnectionSettings)
		if err != nil {
			return apitype.Connection{}, err
		}
		if kind != entry.Kind {
			return apitype.Connection{}, atelier.Refuse(member(kind), "must be left out: the kind of a connection is %s and cannot be changed.", entry.Kind)
		}
		entry.Settings = c.ConnectionSettings
	}
	if c.Name != nil {
		entry.Name = *c.Name
	} else if entry.Kind == apitype.ConnectionLoraSource {
		entry.Name = ""
	}
	switch {
	case c.APIKey != nil:
		entry.Key = strings.TrimSpace(*c.APIKey)
	case before.Key == "" && before.hasKey:
		return apitype.Connection{}, atelier.Refuse("apiKey", "must be given: the stored one cannot be read. Empty removes it.")
	case before.Key != "" && !sameServer(before.BaseURL(), entry.BaseURL()):
		return apitype.Connection{}, atelier.Refuse("apiKey", "must be given again: the address is that of another server, and the stored key is not sent there.")
	}
	if err := e.complete(ctx, &entry); err != nil {
		return apitype.Connection{}, err
	}
	if entry.ModelsDir() != before.ModelsDir() { // one that is away now keeps nothing else from being changed
		if err := e.checkFolder(entry); err != nil {
			return apitype.Connection{}, err
		}
	}
	return e.save(ctx, entry, also, func(tx *store.Tx, _ []store.Connection, row store.Connection) error {
		err := tx.UpdateConnection(row)
		if errors.Is(err, store.ErrNotFound) {
			return atelier.Errorf(atelier.CodeWrongState, "The connection changed at the same time. Read it and try again.")
		}
		if err != nil || entry.ModelsDir() == before.ModelsDir() {
			return err
		}
		return tx.FailPulls(row.ID, entry.ModelsDir(), OtherFolder, row.UpdatedAt)
	})
}

// OtherFolder is the problem of pulls into a folder that their connection no longer names.
const OtherFolder = "The connection names another folder now. Start it again."

// complete checks a connection, and adds what its server knows better.
func (e *Engine) complete(ctx context.Context, entry *Entry) error {
	entry.hasKey, entry.Problem = entry.Key != "", ""
	if err := entry.check(); err != nil {
		return err
	}
	if entry.Settings.LLM == nil {
		return nil
	}
	llm := *entry.Settings.LLM // what the caller gave stays as it is
	entry.Settings.LLM = &llm
	bare := isBare(llm.BaseURL)
	if len(llm.Models) > 0 && !bare {
		return nil
	}
	found, err := e.ask(ctx, *entry)
	switch {
	case err == nil && found.BaseURL != "":
		llm.BaseURL = found.BaseURL
	case err != nil && bare:
		llm.BaseURL = strings.TrimRight(llm.BaseURL, "/") + "/v1" // where nearly all servers have it
	}
	if len(llm.Models) > 0 {
		return nil
	}
	if err != nil {
		return atelier.Refuse("llm.models", "must be given: the server could not be asked for its models. %s", capital(sentence(err.Error())))
	}
	for _, m := range found.Models {
		llm.Models = append(llm.Models, apitype.LLMModel{ID: m.ID, Vision: m.Vision, Reasoning: m.Reasoning})
	}
	if len(llm.Models) == 0 {
		return atelier.Refuse("llm.models", "must be given: the server lists no model. Load or pull one, or name its models.")
	}
	return entry.check()
}

// checkFolder refuses a folder of models that cannot be used.
func (e *Engine) checkFolder(entry Entry) error {
	if entry.ModelsDir() == "" {
		return nil
	}
	if err := e.opts.CheckFolder(entry.ModelsDir()); err != nil {
		return atelier.Refuse("comfyui.modelsDir", "cannot be used: %s", sentence(err.Error()))
	}
	return nil
}

// isBare reports whether an address has no path.
func isBare(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.Trim(u.Path, "/") == ""
}

// save stores a connection that fits beside the others, and checks its server.
func (e *Engine) save(ctx context.Context, entry Entry, also Also, write func(*store.Tx, []store.Connection, store.Connection) error) (apitype.Connection, error) {
	entry.updatedAt = e.opts.Now()
	settings, err := wire.Marshal(entry.Settings)
	if err != nil {
		return apitype.Connection{}, err
	}
	row := store.Connection{ID: entry.ID, Kind: string(entry.Kind), Name: entry.Name, Settings: settings, Revision: entry.Revision, CreatedAt: entry.createdAt, UpdatedAt: entry.updatedAt}
	if row.Sealed, err = e.sealer.Seal(row.Kind, row.ID, entry.Key); err != nil {
		return apitype.Connection{}, atelier.Refuse("apiKey", "cannot be kept: %v.", err)
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.CountConnectionChange(); err != nil {
			return err
		}
		rows, err := tx.Connections()
		if err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(r store.Connection) bool { return r.ID == row.ID })
		if err := e.admit(rows, entry); err != nil {
			return err
		}
		if err := write(tx, rows, row); err != nil {
			return err
		}
		return also(tx, entry)
	})
	if err != nil {
		return apitype.Connection{}, err
	}
	e.opts.Changed(ctx)
	return e.Read(ctx, entry.ID, true)
}

// admit refuses a connection that has the name of another, or cannot be used beside them.
func (e *Engine) admit(rows []store.Connection, entry Entry) error {
	list := e.resolve(rows)
	for _, o := range list {
		if o.Kind != entry.Kind || o.Name != entry.Name {
			continue
		}
		switch o.From {
		case apitype.ConnectionFromFile:
			return nameTaken(fmt.Sprintf("The configuration file has a connection of this kind with the name %s, and wins. Choose another name, or change the file.", entry.Name))
		case apitype.ConnectionFromStore:
			return nameTaken(fmt.Sprintf("There is a connection of this kind with the name %s. Choose another, or change that one.", entry.Name))
		case apitype.ConnectionFromDefault: // it gives way
		}
	}
	return e.fits(list, entry)
}

func nameTaken(message string) error {
	return &atelier.Error{Code: atelier.CodeNameTaken, Field: "name", Message: message}
}

// Delete removes a stored connection.
func (e *Engine) Delete(ctx context.Context, id string, also Also) (apitype.Connection, error) {
	entry, err := e.stored(ctx, id)
	if err != nil {
		return apitype.Connection{}, err
	}
	err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.CountConnectionChange(); err != nil {
			return err
		}
		err := tx.DeleteConnection(id)
		if errors.Is(err, store.ErrNotFound) {
			return missing(id)
		}
		if err == nil {
			err = tx.DeletePulls(id)
		}
		if err != nil {
			return err
		}
		return also(tx, entry)
	})
	if err != nil {
		return apitype.Connection{}, err
	}
	e.opts.Changed(ctx)
	return e.show(entry), nil
}

// stored finds a connection that can be changed.
func (e *Engine) stored(ctx context.Context, id string) (Entry, error) {
	entry, err := e.find(ctx, id)
	if err == nil && entry.From != apitype.ConnectionFromStore {
		return entry, atelier.Errorf(atelier.CodeWrongState, "%s", fromElsewhere(entry))
	}
	return entry, err
}

// fromElsewhere says why a connection cannot be changed here.
func fromElsewhere(entry Entry) string {
	if entry.From == apitype.ConnectionFromDefault {
		return fmt.Sprintf("%s is a default of the program. Connect a hosting site of the same host to replace it.", entry.Name)
	}
	return fmt.Sprintf("%s is in the configuration file. Change it there, and restart the service.", entry.Name)
}

// find finds a connection by its id.
func (e *Engine) find(ctx context.Context, id string) (Entry, error) {
	list, err := e.entries(ctx)
	if err != nil {
		return Entry{}, err
	}
	for _, entry := range list {
		if entry.ID == id {
			return entry, nil
		}
	}
	return Entry{}, missing(id)
}

func missing(id string) error { return atelier.Missing("id", id, "connection") }
