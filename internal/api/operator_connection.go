package api

import (
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
)

type connectionsRequest struct {
	Check bool `wire:"check" doc:"Ask the servers now, which takes up to ten seconds. Otherwise the answer has what the last check found."`
}

func (s *Server) operatorConnections(c *endpoint.Call, q connectionsRequest) (apitype.Connections, error) {
	return s.operator(c).Connections(c, q.Check)
}

type newConnectionRequest struct{ apitype.NewConnection }

func (s *Server) createConnection(c *endpoint.Call, q newConnectionRequest) (apitype.ConnectionReply, error) {
	made, err := s.operator(c).CreateConnection(c, q.NewConnection)
	return apitype.ConnectionReply{Connection: made}, err
}

type connectionID struct {
	ID string `path:"id"`
}

func (s *Server) operatorConnection(c *endpoint.Call, q connectionID) (apitype.ConnectionReply, error) {
	found, err := s.operator(c).Connection(c, q.ID)
	return apitype.ConnectionReply{Connection: found}, err
}

type changeConnectionRequest struct {
	ID string `path:"id"`
	apitype.ConnectionChange
}

func (s *Server) changeConnection(c *endpoint.Call, q changeConnectionRequest) (apitype.ConnectionReply, error) {
	changed, err := s.operator(c).ChangeConnection(c, q.ID, q.ConnectionChange)
	return apitype.ConnectionReply{Connection: changed}, err
}

type removeConnectionRequest struct {
	ID     string `path:"id"`
	Reason string `wire:"reason,maxlen=500" doc:"Why, for the list of actions."`
}

func (s *Server) removeConnection(c *endpoint.Call, q removeConnectionRequest) (apitype.ConnectionReply, error) {
	removed, err := s.operator(c).RemoveConnection(c, q.ID, q.Reason)
	return apitype.ConnectionReply{Connection: removed}, err
}

func (s *Server) testConnection(c *endpoint.Call, q connectionID) (apitype.ConnectionTest, error) {
	return s.operator(c).TestConnection(c, q.ID)
}

type connectionDraftRequest struct{ apitype.ConnectionDraft }

func (s *Server) testConnectionDraft(c *endpoint.Call, q connectionDraftRequest) (apitype.ConnectionTest, error) {
	return s.operator(c).TestConnectionDraft(c, q.ConnectionDraft)
}

func (s *Server) discoverServers(c *endpoint.Call, _ endpoint.Empty) (apitype.FoundServers, error) {
	return s.operator(c).DiscoverServers(c)
}
