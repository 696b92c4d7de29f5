package operator

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/store"
)

// Connections lists the servers that the service uses. With check they are asked now.
func (o Operator) Connections(ctx context.Context, check bool) (apitype.Connections, error) {
	return o.opts.Connections.List(ctx, check)
}

// Connection reads a connection.
func (o Operator) Connection(ctx context.Context, id string) (apitype.Connection, error) {
	return o.opts.Connections.Read(ctx, id, false)
}

// CreateConnection connects a server.
func (o Operator) CreateConnection(ctx context.Context, n apitype.NewConnection) (apitype.Connection, error) {
	if err := checkReason("reason", n.Reason); err != nil {
		return apitype.Connection{}, err
	}
	return o.opts.Connections.Create(ctx, n, o.recordConnection("create connection", n.Reason))
}

// ChangeConnection changes a connection.
func (o Operator) ChangeConnection(ctx context.Context, id string, c apitype.ConnectionChange) (apitype.Connection, error) {
	if err := checkReason("reason", c.Reason); err != nil {
		return apitype.Connection{}, err
	}
	return o.opts.Connections.Update(ctx, id, c, o.recordConnection("change connection", c.Reason))
}

// RemoveConnection removes a connection.
func (o Operator) RemoveConnection(ctx context.Context, id, reason string) (apitype.Connection, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Connection{}, err
	}
	return o.opts.Connections.Delete(ctx, id, o.recordConnection("remove connection", reason))
}

// TestConnection asks the server of a connection now.
func (o Operator) TestConnection(ctx context.Context, id string) (apitype.ConnectionTest, error) {
	return o.opts.Connections.Test(ctx, id)
}

// TestConnectionDraft asks a server that is not connected yet.
func (o Operator) TestConnectionDraft(ctx context.Context, d apitype.ConnectionDraft) (apitype.ConnectionTest, error) {
	return o.opts.Connections.TestDraft(ctx, d)
}

// DiscoverServers looks for servers on the machine of the service.
func (o Operator) DiscoverServers(ctx context.Context) (apitype.FoundServers, error) {
	return o.opts.Connections.Discover(ctx)
}

// recordConnection records what was done to a connection. Its key is not part of the record.
func (o Operator) recordConnection(action, reason string) connection.Also {
	return func(tx *store.Tx, e connection.Entry) error {
		detail := fmt.Sprintf("%s %s at %s", e.Kind, e.Name, e.BaseURL())
		return o.record(store.Action{Action: action, Target: e.ID, Detail: detail, Reason: reason})(tx)
	}
}
