package api

import (
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
)

// checkKeyTools refuses limits with a tool that the service does not have. Models come and go: an id that names none
// allows nothing.
func (s *Server) checkKeyTools(n *apitype.NewKeyLimits) error {
	if n == nil {
		return nil
	}
	for i, name := range n.Tools {
		if _, ok := s.catalog.Tool(name); !ok {
			all := s.catalog.Names(func(*catalog.Tool) bool { return true })
			return atelier.At(fmt.Sprintf("limits.tools[%d]", i), catalog.Unknown("tool", name, all))
		}
	}
	return nil
}
