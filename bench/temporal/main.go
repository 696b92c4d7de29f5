// Command temporal does on a Temporal server what bench does on atelier. It reads what to do from its input, a line
// each, and answers each with a line of figures, so that the two can take turns:
//
//	finished 2s      workflows of one no-op activity that end a second
//	chains 20 12     milliseconds that each of 20 workflows of 12 activities takes, one after the other
//	starts 1s 8      starts that 8 clients get accepted a second, without a worker
//
// It is a separate module, so that the service takes on no dependency for the sake of a comparison. scripts/bench
// builds it, and the Temporal command line beside it; bench runs both. The client and the worker share this process, as
// they do in bench.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// bench is one run against a server.
type bench struct{ client client.Client }

// outstanding is how many clients start a workflow and wait for its end: with many more the development server does
// less.
const outstanding = 16

func main() {
	address := flag.String("address", "127.0.0.1:7233", "`host:port` of the server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address); err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string) error {
	c, err := dial(ctx, address)
	if err != nil {
		return err
	}
	defer c.Close()
	b := bench{c}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		figures, err := b.do(ctx, lines.Text())
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(figures); err != nil {
			return err
		}
	}
	return nil
}

func (b bench) do(ctx context.Context, line string) ([]float64, error) {
	var (
		span        string
		many, steps int
	)
	if _, err := fmt.Sscanf(line, "chains %d %d", &many, &steps); err == nil {
		return b.chained(ctx, many, steps)
	}
	if _, err := fmt.Sscanf(line, "starts %s %d", &span, &many); err == nil {
		return b.over(span, func(d time.Duration) (float64, error) { return b.accepted(ctx, d, many) })
	}
	if _, err := fmt.Sscanf(line, "finished %s", &span); err == nil {
		return b.over(span, func(d time.Duration) (float64, error) { return b.finished(ctx, d) })
	}
	return nil, fmt.Errorf("unknown")
}

func (b bench) over(span string, do func(time.Duration) (float64, error)) ([]float64, error) {
	d, err := time.ParseDuration(span)
	if err != nil {
		return nil, err
	}
	rate, err := do(d)
	return []float64{rate}, err
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
