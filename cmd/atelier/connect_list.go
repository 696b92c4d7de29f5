package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atelier-project/atelier/apitype"
)

type connectList struct {
	operated
	JSON bool `help:"Print JSON." name:"json"`
}

// Run lists connections.
func (c *connectList) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		list, err := o.Connections(ctx, true)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(t.out).Encode(list.Connections)
		}
		out := columns(t.out)
		for _, c := range list.Connections {
			state, message := "not checked", ""
			if c.Health != nil {
				state, message = string(c.Health.State), c.Health.Message
			}
			if c.Problem != nil {
				state, message = "not used", *c.Problem
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", c.Kind, c.Name, address(c), c.From, state, message)
		}
		return out.Flush()
	})
}

// named is a connection by its name.
type named struct {
	operated
	Connection string `arg:"" help:"Its name, or KIND/NAME where several kinds have one of that name."`
}

// find finds the connection.
func (n named) find(ctx context.Context, o operations) (apitype.Connection, error) {
	list, err := o.Connections(ctx, false)
	if err != nil {
		return apitype.Connection{}, err
	}
	found := slices.DeleteFunc(list.Connections, func(c apitype.Connection) bool {
		return n.Connection != c.Name && n.Connection != string(c.Kind)+"/"+c.Name && n.Connection != c.ConnectionID
	})
	if stored := slices.DeleteFunc(slices.Clone(found), func(c apitype.Connection) bool { return c.From != apitype.ConnectionFromStore }); len(stored) == 1 {
		found = stored
	}
	switch len(found) {
	case 0:
		return apitype.Connection{}, fmt.Errorf("there is no connection %s: atelier connect list shows them", n.Connection)
	case 1:
		return found[0], nil
	}
	return apitype.Connection{}, fmt.Errorf("%d connections have the name %s: write KIND/%s", len(found), n.Connection, n.Connection)
}

type connectTest struct {
	named
	printing
}

// Run asks a server.
func (c *connectTest) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		found, err := c.find(ctx, o)
		if err != nil {
			return err
		}
		test, err := o.TestConnection(ctx, found.ConnectionID)
		if err != nil {
			return err
		}
		if test.Health.State == apitype.ConnectionFailing {
			return errors.New(test.Health.Message)
		}
		if c.JSON {
			return printJSON(t.out, test)
		}
		fmt.Fprintln(t.out, test.Health.Message)
		return printModels(t.out, test.Health.Models)
	})
}

// printModels prints a line for each model.
func printModels(out io.Writer, models []apitype.FoundModel) error {
	for _, m := range models {
		line := "  " + m.ID
		if m.ContextLength != nil {
			line += fmt.Sprintf("  %d tokens", *m.ContextLength)
		}
		if m.Vision {
			line += "  vision"
		}
		if m.Reasoning {
			line += "  reasoning"
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

type connectRemove struct {
	named
	reasoned
	printing
}

// Run removes a connection.
func (c *connectRemove) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		found, err := c.find(ctx, o)
		if err != nil {
			return err
		}
		removed, err := o.RemoveConnection(ctx, found.ConnectionID, c.reason())
		if err != nil {
			return err
		}
		return c.result(t.out, removed, fmt.Sprintf("removed %s %s", removed.Kind, removed.Name))
	})
}

type connectDiscover struct {
	operated
	JSON bool `help:"Print JSON." name:"json"`
}

// Run looks for servers.
func (c *connectDiscover) Run(ctx context.Context, t terminal) error {
	return c.operate(ctx, func(o operations) error {
		found, err := o.DiscoverServers(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(t.out).Encode(found.Servers)
		}
		if len(found.Servers) == 0 {
			_, err := fmt.Fprintln(t.out, "No server answers on the usual ports of this machine.")
			return err
		}
		for _, s := range found.Servers {
			if _, err := fmt.Fprintln(t.out, offer(s, c.flags())); err != nil {
				return err
			}
			if err := printModels(t.out, s.Models); err != nil {
				return err
			}
		}
		return nil
	})
}

// offer says what was found and how it is connected.
func offer(s apitype.FoundServer, flags string) string {
	what := fmt.Sprintf("%s at %s", s.Program, s.BaseURL)
	if s.Connected {
		return what + " is connected"
	}
	return fmt.Sprintf("%s: %s connect %s %s%s", what, program(), s.Kind, s.BaseURL, flags)
}
