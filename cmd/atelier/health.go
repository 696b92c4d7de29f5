package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atelier-project/atelier/client"
)

// healthCommand asks a node whether it is ready. The container image has no shell and no
// curl to ask with.
type healthCommand struct {
	URL     serviceURL    `help:"The node." env:"ATELIER_URL" default:"http://127.0.0.1:8080" placeholder:"URL"`
	Timeout time.Duration `help:"Longest time to wait for the answer." default:"5s" placeholder:"DURATION"`
}

// Run fails with the reason unless the node is ready.
func (h *healthCommand) Run(ctx context.Context, t terminal) error {
	if h.Timeout <= 0 {
		return errors.New("--timeout: must be longer than 0s")
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	c := client.New(string(h.URL), "")
	if err := c.Ready(ctx); err != nil {
		return h.URL.explain(err)
	}
	fmt.Fprintln(t.out, "ready")
	return nil
}
