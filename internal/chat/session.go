package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/manifest"
	"github.com/atelier-project/atelier/internal/store"
)

// memory is the assets that a conversation is about. Those of a session are
// stored, and every message of the session sees them; those of a conversation
// without one live as long as its request.
type memory struct {
	manifest manifest.Manifest
}

// loadSession reads what the session remembers, and puts its assets on the shelf.
func (t *completion) loadSession(ctx context.Context) error {
	if t.q.Session == "" || t.q.Family != catalog.CreativeAgent {
		return nil
	}
	var text []byte
	err := t.db.Read(ctx, func(tx *store.Tx) (err error) {
		text, err = tx.Manifest(t.q.Caller.Wallet, t.q.Session)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &t.memory.manifest)
	}
	t.shelf.place(t.memory.manifest)
	return err
}

// describe tells the model what is remembered.
func (m memory) describe() string {
	var lines []string
	for _, a := range m.manifest.Assets {
		line := fmt.Sprintf("- %q (%s, asset_id %s)", a.UserLabel, a.Type, a.AssetID)
		if a.Description != "" {
			line += ": " + a.Description
		}
		if len(a.MustPreserve) > 0 {
			line += "; must preserve " + strings.Join(a.MustPreserve, ", ")
		}
		if len(a.Avoid) > 0 {
			line += "; avoid " + strings.Join(a.Avoid, ", ")
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return ""
	}
	return "The asset manifest of this session:\n" + strings.Join(lines, "\n")
}

// place puts the assets of a manifest on the shelf, so that tools can address
// them.
func (s *shelf) place(m manifest.Manifest) {
	for _, a := range m.Assets {
		if !strings.HasPrefix(a.URL, "http://") && !strings.HasPrefix(a.URL, "https://") {
			continue
		}
		if _, there := s.index(a.Type, a.URL); !there {
			s.sent = append(s.sent, piece{MediaReference: reference(a.Type, a.URL), label: "asset " + oneLine(a.UserLabel)})
		}
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// manifestRunner runs a tool that keeps the list of assets.
func manifestRunner(tool *catalog.Tool) runner {
	return func(t *completion, ctx context.Context, c llm.ToolCall, args map[string]any) (outcome, error) {
		step, err := t.catalog.Step(tool.Name, args, catalog.Facts{})
		if err != nil {
			o, err := badArguments(tool, args, err)
			if err != nil {
				return o, err
			}
			return t.ended(c, o)
		}
		o, err := t.runManifestTool(ctx, tool.Name, step.Arguments)
		if err != nil {
			return o, err
		}
		return t.ended(c, o)
	}
}

func (t *completion) runManifestTool(ctx context.Context, tool string, args map[string]any) (outcome, error) {
	if tool == "create_asset_manifest" {
		var err error
		if args, err = t.found(ctx, args); err != nil {
			return outcome{}, err
		}
	}
	answer, after, err := t.change(ctx, tool, args)
	var wrong errManifest
	switch {
	case errors.Is(err, manifest.ErrNoAsset):
		return failed(tool, assetNotFound, "There is no such asset in the manifest.", false, "create_asset_manifest"), nil
	case errors.As(err, &wrong):
		return failed(tool, parameterInvalid, sentence(wrong.Error()), false, "correct_arguments"), nil
	case err != nil:
		return outcome{}, err
	}
	t.mu.Lock()
	t.memory.manifest = after
	t.shelf.place(after)
	t.mu.Unlock()
	return t.told(tool, answer)
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// errManifest says that the list does not take something.
type errManifest struct{ error }

func (e errManifest) Unwrap() error { return e.error }

// change runs a tool on the stored manifest of the session, one change after
// the other, or on that of the request.
func (t *completion) change(ctx context.Context, tool string, args map[string]any) (answer any, after manifest.Manifest, err error) {
	call := func(m manifest.Manifest) error {
		answer, after, err = manifest.Call(t.catalog, m, tool, args)
		if err != nil {
			return errManifest{err}
		}
		return nil
	}
	if t.q.Session == "" {
		err = call(t.memory.manifest)
		return answer, after, err
	}
	owner, now := t.q.Caller.Wallet, t.opts.Now()
	err = t.db.Write(ctx, func(tx *store.Tx) error {
		text, err := tx.LockManifest(owner, t.q.Session, []byte(`{"assets":[]}`), now)
		if err != nil {
			return err
		}
		var m manifest.Manifest
		if err := json.Unmarshal(text, &m); err != nil {
			return err
		}
		if err := call(m); err != nil {
			return err
		}
		if text, err = json.Marshal(after); err != nil {
			return err
		}
		return tx.SetManifest(owner, t.q.Session, text, now)
	})
	return answer, after, err
}

// found fills in where the assets of a new manifest are that have no address:
// models are not told any. The first of a kind is the first that was sent, and
// so on; behind what was sent comes what was made.
func (t *completion) found(ctx context.Context, args map[string]any) (map[string]any, error) {
	list, _ := args["assets"].([]any)
	places := map[string][]string{}
	for _, item := range list {
		if a, _ := item.(map[string]any); a["url"] == nil {
			media, err := t.uploads(ctx)
			if err != nil {
				return nil, err
			}
			for _, m := range append(media, t.shelf.made...) {
				places[m.Kind] = append(places[m.Kind], m.URL)
			}
			break
		}
	}
	out := make([]any, len(list))
	count := map[string]int{}
	for i, item := range list {
		a, _ := item.(map[string]any)
		kind, _ := a["type"].(string)
		if at := count[kind]; a["url"] == nil && at < len(places[kind]) {
			a = maps.Clone(a)
			a["url"] = places[kind][at]
		}
		count[kind]++
		out[i] = a
	}
	args = maps.Clone(args)
	args["assets"] = out
	return args, nil
}

// told is what a tool that keeps assets returns.
func (t *completion) told(tool string, answer any) (outcome, error) {
	switch a := answer.(type) {
	case manifest.Mapping: // its indices are those of this conversation
		for i, mention := range a.Assets {
			for _, asset := range t.memory.manifest.Assets {
				if asset.AssetID != mention.AssetID {
					continue
				}
				if at, ok := t.shelf.index(asset.Type, asset.URL); ok {
					a.Assets[i].Index = at
				}
			}
		}
	case manifest.Asset, *manifest.Asset:
		answer = map[string]any{"asset": a}
	}
	text, err := json.Marshal(answer)
	var output map[string]any
	if err == nil {
		err = json.Unmarshal(text, &output)
	}
	return succeeded(tool, output), err
}
