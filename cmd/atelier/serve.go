package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
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
	Graphs  path    `help:"Directory of your own graphs, for the ComfyUI servers that are connected to the service." placeholder:"DIR"`
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
	if s.Graphs != "" {
		flags = append(flags, config.Variable("graphs_dir")+"="+string(s.Graphs))
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
	keyCommand := s.keyCommand(c)
	err = serve(ctx, c, log, keyCommand, func(g greeting) { greet(t.out, keyCommand, g) }, func(found []apitype.FoundServer) {
		fmt.Fprint(t.out, offers(found, s.flags()))
	})
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

// greeting is printed when the server is ready.
type greeting struct {
	url     string
	first   account.Opened // the first account, if this is the first start
	isFirst bool
	link    string // signs in to the console; see Node.ConsoleLink for when it is empty
	as      string // the account that it signs in
}

// serve runs a node until ctx ends. An interrupted start is not a failure. On the first start found
// gets the servers that answer on this machine, a moment later.
func serve(ctx context.Context, c *config.Config, log *slog.Logger, keyCommand string, ready func(greeting), found func([]apitype.FoundServer)) error {
	n, err := node.Open(ctx, c, node.Options{Log: log, Version: versionText(), RenderCommand: child.OwnCommand(), KeyCommand: keyCommand})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	g, err := newGreeting(ctx, n)
	if err == nil {
		ready(g)
		var looking sync.WaitGroup
		if g.isFirst {
			looking.Go(func() {
				if list, err := n.Connections.Discover(ctx); err == nil {
					found(list.Servers)
				}
			})
		}
		err = n.Serve(ctx)
		looking.Wait()
	} else if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, n.Close())
}

// newGreeting opens the first account on the first start, and makes a link to the console.
func newGreeting(ctx context.Context, n *node.Node) (g greeting, err error) {
	g.url = n.URL()
	if g.first, g.isFirst, err = n.First(ctx); err != nil {
		return g, err
	}
	link, as, err := n.ConsoleLink(ctx)
	g.link, g.as = link, as.Username
	return g, err
}

// greet prints the next steps for a new user, in one write, before the first request is
// served. The key is shown only here.
func greet(out io.Writer, keyCommand string, g greeting) {
	url, first := g.url, g.first
	text := fmt.Sprintf("atelier is ready.\n\n  console  %s/\n  API      %s/docs\n", url, url)
	if g.isFirst {
		text += fmt.Sprintf(`  API key  %s

This key of the new account %q (%s) is shown only now. Make a picture, from this directory:

  %s

or over HTTP, and then read the result:

  curl -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' %s/v1/creative-agent/workflows \
    -d '{"input":{"steps":[{"id":"fox","toolName":"generate_image","arguments":{"prompt":"a red fox in the snow"}}]}}'
  curl -H 'Authorization: Bearer %s' '%s/v1/creative-agent/workflows?limit=1'

If you lose this key, create another one:

  %s
`, first.Key, first.Account.Username, first.Account.Wallet, firstPicture(url, first.Key), first.Key, url, first.Key, url,
			keyCommand)
	}
	if g.link != "" {
		text += fmt.Sprintf("\nOpen the console: %s\nThe link signs in as %s, once, within %d minutes, in a browser on this machine.\n", g.link, g.as, int(account.CodeTTL.Minutes()))
	}
	fmt.Fprintln(out, text)
}

// offers says which servers were found on this machine and how to connect them; nothing when there
// are none.
func offers(found []apitype.FoundServer, flags string) (text string) {
	for _, s := range found {
		if s.Connected {
			continue
		}
		text += fmt.Sprintf("\n  %s at %s", s.Program, s.BaseURL)
		switch n := len(s.Models); n {
		case 0:
		case 1:
			text += ", with 1 model"
		default:
			text += fmt.Sprintf(", with %d models", n)
		}
		text += fmt.Sprintf("\n    %s connect %s %s%s\n", program(), s.Kind, s.BaseURL, flags)
	}
	if text != "" {
		text = "This machine runs servers that atelier can use. Connect them in the console (Operator, Connections), or with these commands:\n" + text + "\n"
	}
	return text
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
