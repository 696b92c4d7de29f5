package chat

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// RemoteTool is a tool of another server that the operator has connected. Models call it like a tool of the service.
type RemoteTool struct {
	Function llm.Function
	Call     func(context.Context, RemoteCall) (RemoteResult, error)
}

// RemoteCall is a call of a RemoteTool.
type RemoteCall struct {
	ID        string // stays the same when the call is made again after a crash
	Wallet    atelier.Wallet
	Arguments map[string]any
	Progress  func(at float64, message string)
}

// RemoteResult is what a RemoteTool has returned.
type RemoteResult struct {
	Text   string
	Failed bool // the tool says that it has failed, and the text why
}

// SetRemoteTools sets the tools of other servers. Answers that have begun keep those they began with.
func (e *Engine) SetRemoteTools(list []RemoteTool) {
	made := catalog.Derive(e.catalog, func() *toolboxes {
		boxes := &toolboxes{byFamily: map[string]*toolbox{}, templates: map[templatesKey]*toolbox{}}
		for family, box := range e.families() {
			boxes.byFamily[family] = box
			if len(list) > 0 {
				boxes.byFamily[family] = box.withRemote(list)
			}
		}
		return boxes
	})
	e.tools.Store(&made)
}

// withRemote is the toolbox with the tools of other servers besides the family.
func (b *toolbox) withRemote(list []RemoteTool) *toolbox {
	out := b.extensible()
	for _, r := range list {
		f := llm.Tool{Type: "function", Function: r.Function}
		out.add(entry{full: f, compact: f, core: true, remote: true, words: map[string]bool{}}, &hosted{run: remoteRunner(r)})
	}
	return out
}

// extensible is a copy of the toolbox to which tools can be added.
func (b *toolbox) extensible() *toolbox {
	out := *b
	out.entries, out.byName, out.frequency = slices.Clone(b.entries), maps.Clone(b.byName), maps.Clone(b.frequency)
	return &out
}

// remoteRunner runs a tool of another server.
func remoteRunner(r RemoteTool) runner {
	return func(t *completion, ctx context.Context, c *Call, args map[string]any) (Outcome, error) {
		if err := t.emitProgress(c, "running", 0, ""); err != nil {
			return Outcome{}, err
		}
		ctx, leave := context.WithCancelCause(ctx)
		defer leave(nil)
		p := &remoteProgress{told: t.opts.Now()}
		got, err := r.Call(ctx, RemoteCall{ID: c.ID, Wallet: t.q.Caller.Wallet, Arguments: args, Progress: func(at float64, message string) {
			if p.isDue(t.opts.Now()) {
				if err := t.emitProgress(c, "running", at, message); err != nil {
					leave(err) // the client has left
				}
			}
		}})
		if ctx.Err() != nil {
			return Outcome{}, context.Cause(ctx)
		}
		o, err := remoteOutcome(c.Function.Name, got, err)
		if err != nil {
			return o, err
		}
		return t.emitEnd(c, o)
	}
}

// betweenProgress is how often the progress of a remote tool is told at most.
const betweenProgress = time.Second

// remoteProgress remembers when the progress of a call was told.
type remoteProgress struct {
	mu   sync.Mutex
	told time.Time
}

func (p *remoteProgress) isDue(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.told) < betweenProgress {
		return false
	}
	p.told = now
	return true
}

// remoteOutcome is the outcome of a call of a remote tool. That the tool or its server fails is one, too.
func remoteOutcome(name string, got RemoteResult, err error) (Outcome, error) {
	var known *atelier.Error
	switch {
	case err == nil && got.Failed:
		return failed(name, unknownError, strings.TrimSpace("The tool failed. "+got.Text), false, "correct_arguments"), nil
	case err == nil:
		return succeeded(name, map[string]any{"text": got.Text}), nil
	case !errors.As(err, &known):
		return Outcome{}, err
	case known.Code.Kind == atelier.KindUpstream:
		return failed(name, unknownError, known.Message, true, "try_again_later"), nil
	case known.Code.Kind == atelier.KindUpstreamTimeout:
		return failed(name, providerTimeout, known.Message, true, "try_again_later"), nil
	}
	return refused(name, parameterInvalid, err)
}
