package api

import (
	"net/http"

	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/mcp"
)

// serveMCP answers a message of the Model Context Protocol.
func (s *Server) serveMCP(c *endpoint.Call, w http.ResponseWriter, r *http.Request, app string) {
	s.mcp.Serve(w, r, mcp.Request{Caller: c.Caller, App: app, Weigh: weighStart(c, planUnit), CheckSpace: c.CheckSpace, Reserve: func(bytes int64) error {
		c.ReleaseValues() // what the message had in it is read, and a request that holds memory must not wait for more
		return c.Reserve(bytes)
	}})
}

// protectedResource is RFC 9728's description of a resource that needs a credential.
type protectedResource struct {
	Resource      string   `json:"resource"`
	Name          string   `json:"resource_name"`
	Methods       []string `json:"bearer_methods_supported"`
	Documentation string   `json:"resource_documentation"`
}

func (s *Server) describeMCP(*endpoint.Call, endpoint.Empty) (protectedResource, error) {
	return protectedResource{Resource: s.publicURL + "/mcp", Name: "atelier", Methods: []string{"header"}, Documentation: s.publicURL + "/docs"}, nil
}
