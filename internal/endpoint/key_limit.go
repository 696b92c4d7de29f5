package endpoint

import (
	"github.com/atelier-project/atelier"
)

// checkKey refuses a call that the API key of its caller is too limited for. It is called when the call begins, and
// while it lasts for what its key is limited to now.
func (c *Call) checkKey(caller atelier.Caller) error {
	l := caller.Limits
	if l == nil {
		return nil
	}
	if err := l.CheckAddress(clientAddress(c.Request, c.server.trusted)); err != nil {
		return err
	}
	if c.route == nil {
		return nil
	}
	return l.CheckRoute(c.route.Handler.groups, !c.route.Handler.reads)
}

// takeKeyRate counts a call against the rate of its caller's key, if the key has one.
func (s *Server) takeKeyRate(c *Call) error {
	l := c.Caller.Limits
	if l == nil || l.Rate == 0 {
		return nil
	}
	return s.keyRates.TakeOf(c.Caller.KeyID, c.Now, l.Rate)
}
