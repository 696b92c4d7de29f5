package endpoint

import (
	"time"

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
	return l.CheckRoute(c.route.Handler.groups, !c.route.Handler.reads, c.route.Handler.least)
}

// CheckSignIn refuses a call of a public route that shows the API key of a caller in its body: from other addresses
// than those of the key, and beyond its rate.
func (c *Call) CheckSignIn(caller atelier.Caller) error {
	if err := caller.Limits.CheckAddress(clientAddress(c.Request, c.server.trusted)); err != nil {
		return err
	}
	return c.server.takeKeyRate(caller, c.Now)
}

// takeKeyRate counts a call against the rate of its caller's key, if the key has one.
func (s *Server) takeKeyRate(caller atelier.Caller, now time.Time) error {
	l := caller.Limits
	if l == nil || l.Rate == 0 {
		return nil
	}
	return s.keyRates.TakeOf(caller.KeyID, now, l.Rate)
}
