package api

import (
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// serveMCP answers a message of the Model Context Protocol.
func (s *Server) serveMCP(w http.ResponseWriter, r *http.Request, caller atelier.Caller, app string) {
	s.mcp.Serve(w, r, caller, app)
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
