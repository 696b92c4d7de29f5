package chat

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// resolveMedia turns the indices of a call into references: what was sent keeps its
// place, and what was made follows behind it.
func (t *completion) resolveMedia(ctx context.Context, tool *catalog.Tool, args map[string]any) (map[string]any, []atelier.MediaReference, error) {
	if len(tool.MediaArguments()) == 0 {
		return args, nil, nil
	}
	media, err := t.uploads(ctx)
	if err != nil {
		return nil, nil, err
	}
	r := mediaResolver{shelf: t.shelf, media: media}
	args = maps.Clone(args)
	for _, a := range tool.MediaArguments() {
		if args[a.Name] == nil {
			continue
		}
		if args[a.Name], err = r.argument(a, args[a.Name]); err != nil {
			return nil, nil, err
		}
	}
	// A tool that needs media and was pointed at none means the newest result.
	if len(r.media) == 0 && len(tool.Needs) > 0 {
		if made := t.shelf.of(tool.Needs[0].Kind); len(made) > 0 {
			r.media = append(r.media, made[len(made)-1])
		}
	}
	return args, r.media, nil
}

// errMedia says that a call addresses media that is not there.
type errMedia struct{ string }

func (e errMedia) Error() string { return e.string }

// mediaResolver collects the references of one call.
type mediaResolver struct {
	shelf *shelf
	media []atelier.MediaReference
}

// argument moves the indices of an argument: a number, a list of them, or
// objects that have one.
func (r *mediaResolver) argument(a *catalog.Argument, v any) (any, error) {
	list, several := v.([]any)
	if !several {
		return r.move(a.Media, v)
	}
	out := make([]any, len(list))
	for i, item := range list {
		object, nested := item.(map[string]any)
		if !nested {
			moved, err := r.move(a.Media, item)
			if err != nil {
				return nil, err
			}
			out[i] = moved
			continue
		}
		object = maps.Clone(object)
		if a.Items != nil {
			for _, f := range a.Items.Fields {
				if f.Media == "" || object[f.Name] == nil {
					continue
				}
				moved, err := r.move(f.Media, object[f.Name])
				if err != nil {
					return nil, err
				}
				object[f.Name] = moved
			}
		}
		out[i] = object
	}
	return out, nil
}

// move makes of the index of a result that of a reference behind what was
// sent.
func (r *mediaResolver) move(kind catalog.Kind, v any) (any, error) {
	index, ok := v.(float64)
	if !ok || index < 0 {
		return v, nil
	}
	made := r.shelf.of(kind)
	if index != float64(int(index)) || int(index) >= len(made) {
		return nil, errMedia{fmt.Sprintf("There is no %s %g in this conversation.", kind, index)}
	}
	r.media = append(r.media, made[int(index)])
	n := 0
	for _, m := range r.media {
		if kind == anyKind || m.Kind == string(kind) {
			n++
		}
	}
	return float64(-n), nil
}

// uploads are what the caller sent. What came inline is stored first.
func (t *completion) uploads(ctx context.Context) ([]atelier.MediaReference, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var media []atelier.MediaReference
	for i := range t.shelf.sent {
		if err := t.store(ctx, &t.shelf.sent[i]); err != nil {
			return nil, err
		}
		media = append(media, t.shelf.sent[i].MediaReference)
	}
	return media, nil
}

// store stores a piece that has its bytes inside itself.
func (t *completion) store(ctx context.Context, p *piece) error {
	if !strings.HasPrefix(p.URL, "data:") {
		return nil
	}
	data, contentType, err := DecodeMedia(p.Kind, p.URL)
	if err != nil {
		return err
	}
	url, err := t.opts.Keep(ctx, t.q.Caller.Wallet, contentType, data)
	if err != nil {
		return err
	}
	said := maps.Clone(p.Said)
	for _, name := range []string{"value", "data_uri"} {
		delete(said, name)
	}
	said["url"] = url
	p.URL, p.Said = url, said
	return nil
}
