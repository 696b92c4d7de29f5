package api

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/live"
	"github.com/atelier-project/atelier/internal/wire"
)

// accountStreamRequest is the query of GET /v1/events/stream.
type accountStreamRequest struct {
	Topics wire.List `wire:"topics" doc:"What to follow: workflows, runs (with an API key), artifacts, balance, loras, workers. All when omitted."`
}

// topics are the topics that were asked for. Chat runs are read with an API key alone.
func (q accountStreamRequest) topics(c *endpoint.Call) ([]live.Topic, error) {
	mayRuns := c.Caller.Credential == atelier.CredentialAPIKey
	if len(q.Topics) == 0 {
		return slices.DeleteFunc(slices.Clone(live.Topics), func(t live.Topic) bool { return t == live.Runs && !mayRuns }), nil
	}
	var out []live.Topic
	for _, name := range q.Topics {
		t := live.Topic(name)
		switch {
		case !slices.Contains(live.Topics, t):
			var known []string
			for _, t := range live.Topics {
				known = append(known, string(t))
			}
			return nil, atelier.Refuse("topics", "has %q, which is no topic. The topics are %s.", name, strings.Join(known, ", "))
		case t == live.Runs && !mayRuns:
			return nil, atelier.Errorf(atelier.CodeAPIKeyRequired, "Following chat runs needs an API key.")
		}
		out = append(out, t)
	}
	return out, nil
}

func (s *Server) streamAccount(c *endpoint.Call, q accountStreamRequest) error {
	topics, err := q.topics(c)
	if err != nil {
		return err
	}
	ctx, stop := c.Streaming()
	defer stop()
	endpoint.Follow(c, s.live.Follow(ctx, c.Caller.Wallet, topics, s.heartbeat), func(out *endpoint.EventStream, p atelier.Payload) bool {
		if p == nil {
			return out.Heartbeat()
		}
		return out.Frame(nil, string(p.EventType()), p)
	})
	return nil
}
