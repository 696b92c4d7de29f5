package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// serveCommand runs the whole service.
type serveCommand struct {
	place
	Listen  string `help:"Address to serve on; default 127.0.0.1:8080." placeholder:"ADDR"`
	Catalog string `help:"Directory of catalog files that add to or change the built-in ones." type:"path" placeholder:"DIR"`
}

// Run serves until SIGINT or SIGTERM, then drains. A second signal ends the
// process at once.
func (s *serveCommand) Run(ctx context.Context, t terminal) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	if s.Listen != "" {
		c.Listen = s.Listen
	}
	if s.Catalog != "" {
		c.CatalogDir = s.Catalog
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal finds the default: to die

	endTracing, err := telemetry.StartTracing(ctx, versionText())
	if err != nil {
		return err
	}
	n, err := node.Open(ctx, c, node.Options{Log: logger(c, t.err), Version: versionText()})
	if err != nil {
		return err
	}
	first, isFirst, err := n.First(ctx)
	if err != nil {
		return errors.Join(err, n.Close())
	}
	greet(t.out, n.URL(), first, isFirst)
	err = n.Serve(ctx)
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, n.Close(), endTracing(flush))
}

// greet tells a newcomer what to do next. The key is shown this once.
func greet(out io.Writer, url string, first account.Opened, isFirst bool) {
	fmt.Fprintf(out, "atelier is ready.\n\n  console  %s/\n  API      %s/docs\n", url, url)
	if !isFirst {
		fmt.Fprintln(out)
		return
	}
	fmt.Fprintf(out, `  API key  %s

This key of the new account %q (%s) is shown only now. Try it:

  curl -H 'Authorization: Bearer %s' %s/v2/account/me

`, first.Key, first.Account.Username, first.Account.Wallet, first.Key, url)
}

func logger(c *config.Config, out io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // the configuration was checked
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}
