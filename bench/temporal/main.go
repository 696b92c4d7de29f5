// Command temporal does on a Temporal server what bench does on atelier, and
// prints the figures as one JSON object: workflows of one no-op activity
// finished a second, how long chains of twelve take, and starts accepted a
// second without a worker.
//
// It is a separate module, so that the service takes on no dependency for the
// sake of a comparison. scripts/bench builds it, and the Temporal command line
// beside it; bench runs both. The client and the worker share this process, as
// they do in bench.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// figures is what this program prints. bench reads the same names.
type figures struct {
	Finished float64            `json:"finished"` // workflows of one activity, a second
	Chains   []float64          `json:"chains"`   // milliseconds each
	Starts   map[string]float64 `json:"starts"`   // a second, by clients at once
}

// bench is one run against a server.
type bench struct {
	client      client.Client
	span        time.Duration // how long rates are measured
	outstanding int           // clients that start a workflow and wait for its end
	chains      int
	steps       int // of a chain
	starters    []int
}

func main() {
	address := flag.String("address", "127.0.0.1:7233", "`host:port` of the server")
	b := bench{}
	flag.DurationVar(&b.span, "span", 10*time.Second, "how long a rate is measured")
	flag.IntVar(&b.outstanding, "outstanding", 16, "workflows under way at once; many more and the development server does less")
	flag.IntVar(&b.chains, "chains", 100, "chains to run, one after the other")
	flag.IntVar(&b.steps, "steps", 12, "steps of a chain")
	starters := flag.String("starters", "1,8,64", "numbers of clients that start workflows without a worker")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := b.parse(*starters)
	if err == nil {
		err = b.run(ctx, *address)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		os.Exit(1)
	}
}

func (b *bench) parse(starters string) error {
	for text := range strings.SplitSeq(starters, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-starters must be numbers, not %q", text)
		}
		b.starters = append(b.starters, n)
	}
	return nil
}

func (b *bench) run(ctx context.Context, address string) (err error) {
	if b.client, err = dial(ctx, address); err != nil {
		return err
	}
	defer b.client.Close()
	out := figures{Starts: map[string]float64{}}
	if out.Finished, err = b.finished(ctx); err != nil {
		return fmt.Errorf("workflows: %w", err)
	}
	if out.Chains, err = b.chained(ctx); err != nil {
		return fmt.Errorf("chains: %w", err)
	}
	for _, n := range b.starters {
		if out.Starts[strconv.Itoa(n)], err = b.accepted(ctx, n); err != nil {
			return fmt.Errorf("starts: %w", err)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// dial connects as soon as the server answers: it says where it listens before
// it does.
func dial(ctx context.Context, address string) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	quiet := log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for {
		c, err := client.DialContext(ctx, client.Options{HostPort: address, Logger: quiet})
		if err == nil {
			return c, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, err
		}
	}
}
