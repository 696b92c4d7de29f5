package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/worker/child"
)

// serveCommand runs the whole service.
type serveCommand struct {
	installation
	Listen  *string `help:"Address to serve on. Overrides listen and ATELIER_LISTEN. Default: 127.0.0.1:8080." placeholder:"ADDR"`
	Catalog path    `help:"Directory of catalog files that add to or change the built-in ones." placeholder:"DIR"`
}

// Run serves until SIGINT or SIGTERM, then drains. A second signal ends the
// process at once.
func (s *serveCommand) Run(ctx context.Context, t terminal) error {
	var flags []string
	if s.Listen != nil {
		flags = append(flags, config.Variable("listen")+"="+*s.Listen)
	}
	if s.Catalog != "" {
		flags = append(flags, config.Variable("catalog_dir")+"="+string(s.Catalog))
	}
	c, err := s.load(flags...)
	if err != nil {
		return err
	}
	adaptCollector()
	log := logger(c, t.err)
	slog.SetDefault(log)
	ctx, stop := untilSignal(ctx)
	defer stop()

	endTracing, err := telemetry.StartTracing(ctx, versionText())
	if err != nil {
		return err
	}
	err = serve(ctx, c, log, func(url string, first account.Opened, isFirst bool) { greet(t.out, url, s.flags(), first, isFirst) })
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushWithin)
	defer cancel()
	if err := endTracing(flush); err != nil {
		// An unavailable collector does not make the command fail.
		log.Warn("trace export failed at shutdown", "error", err)
	}
	return err
}

// flushWithin limits the export of the last traces, for which the operator waits after
// everything else has ended.
const flushWithin = 2 * time.Second

// serve runs a node until ctx ends. An interrupted start is not a failure.
func serve(ctx context.Context, c *config.Config, log *slog.Logger, ready func(url string, first account.Opened, isFirst bool)) error {
	n, err := node.Open(ctx, c, node.Options{Log: log, Version: versionText(), RenderCommand: child.OwnCommand()})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	first, isFirst, err := n.First(ctx)
	if err == nil {
		ready(n.URL(), first, isFirst)
		err = n.Serve(ctx)
	} else if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, n.Close())
}

// greet prints the next steps for a new user, in one write, before the first request is
// served. The key is shown only here. The flags name this installation to commands that
// work on its database.
func greet(out io.Writer, url, flags string, first account.Opened, isFirst bool) {
	text := fmt.Sprintf("atelier is ready.\n\n  console  %s/\n  API      %s/docs\n", url, url)
	if isFirst {
		text += fmt.Sprintf(`  API key  %s

This key of the new account %q (%s) is shown only now. Make a picture, from this directory:

  %s

or over HTTP, and then read the result:

  curl -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' %s/v1/creative-agent/workflows \
    -d '{"input":{"steps":[{"id":"fox","toolName":"generate_image","arguments":{"prompt":"a red fox in the snow"}}]}}'
  curl -H 'Authorization: Bearer %s' '%s/v1/creative-agent/workflows?limit=1'

If you lose this key, create another one:

  %s key create %s%s
`, first.Key, first.Account.Username, first.Account.Wallet, firstPicture(url, first.Key), first.Key, url, first.Key, url,
			program(), first.Account.Username, flags)
	}
	fmt.Fprintln(out, text)
}

// firstPicture is a command that makes a picture. The shells of Windows cannot set a
// variable for one command.
func firstPicture(url, key string) string {
	if runtime.GOOS == "windows" {
		return fmt.Sprintf(`%s generate image "a red fox in the snow" -o fox.png --url %s --api-key %s`, program(), url, key)
	}
	return fmt.Sprintf(`ATELIER_URL=%s ATELIER_API_KEY=%s %s generate image 'a red fox in the snow' -o fox.png`, url, key, program())
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
