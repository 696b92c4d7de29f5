package chat

import (
	"context"
	"fmt"
	"maps"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/workflow"
)

// resolveMedia makes the arguments of a call into those of a workflow, and returns
// the media that goes with them. An index of an earlier result becomes a reference
// to it: in a workflow, such an index means a result of the workflow itself. A
// negative index means the same in both, because the workflow gets everything that
// the caller sent, in order.
func (t *completion) resolveMedia(ctx context.Context, tool *catalog.Tool, args map[string]any) (map[string]any, []atelier.MediaReference, error) {
	if len(tool.MediaArguments()) == 0 {
		return args, nil, nil
	}
	sent, err := t.references(ctx)
	if err != nil {
		return nil, nil, err
	}
	pointed := len(sent) > 0
	args, err = workflow.MapMedia(tool, args, func(_ string, kind catalog.Kind, v any) (any, error) {
		index, ok := v.(float64)
		if !ok || index < 0 {
			return v, nil
		}
		results := t.media.results(kind)
		if index != float64(int(index)) || int(index) >= len(results) {
			return nil, errMedia{fmt.Sprintf("There is no %s %g in this conversation.", kind, index)}
		}
		pointed = true
		return results[int(index)], nil
	})
	if err != nil {
		return nil, nil, err
	}
	// A tool that needs media and was pointed at none gets the newest result.
	if !pointed && len(tool.Needs) > 0 {
		if results := t.media.results(tool.Needs[0].Kind); len(results) > 0 {
			sent = append(sent, results[len(results)-1])
		}
	}
	return args, sent, nil
}

// errMedia says that a call addresses media that is not there.
type errMedia struct{ string }

func (e errMedia) Error() string { return e.string }

// references are the media that the caller sent. What came inline is stored first,
// so that it has an address.
func (t *completion) references(ctx context.Context) ([]atelier.MediaReference, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []atelier.MediaReference
	for i := range t.media.sent {
		if err := t.storeInline(ctx, &t.media.sent[i].Media); err != nil {
			return nil, err
		}
		out = append(out, t.media.sent[i].MediaReference)
	}
	return out, nil
}

// storeInline stores a piece of media that came inline.
func (t *completion) storeInline(ctx context.Context, m *Media) error {
	if m.Data == nil {
		return nil
	}
	url, err := t.opts.Keep(ctx, t.q.Caller.Wallet, m.ContentType, m.Data)
	if err != nil {
		return err
	}
	original := maps.Clone(m.Original)
	original["url"] = url
	m.URL, m.Original, m.Data = url, original, nil
	return nil
}
