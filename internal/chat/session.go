package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/manifest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// loadSession reads the manifest of the session, which every request of the
// session shares, and indexes its assets. The manifest of a request without a
// session lives as long as the request.
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
		err = wire.Unmarshal(text, &t.manifest)
	}
	t.media.addAssets(t.manifest)
	return err
}

// describeManifest lists the assets of a session, for the model.
func describeManifest(m manifest.Manifest) string {
	var lines []string
	for _, a := range m.Assets {
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

// addAssets indexes the assets of a manifest, so that tools can address them.
func (x *mediaIndex) addAssets(m manifest.Manifest) {
	for _, a := range m.Assets {
		if !strings.HasPrefix(a.URL, "http://") && !strings.HasPrefix(a.URL, "https://") {
			continue
		}
		if _, known := x.indexOf(a.Type, a.URL); !known {
			x.sent = append(x.sent, sentMedia{Media: Media{MediaReference: atelier.MediaAt(a.Type, a.URL)}, label: "asset " + oneLine(a.UserLabel)})
		}
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// manifestRunner runs a tool that reads or changes the manifest.
func manifestRunner(tool *catalog.Tool) runner {
	return func(t *completion, ctx context.Context, c *Call, args map[string]any) (Outcome, error) {
		step, err := t.catalog.Step(tool.Name, args, catalog.Facts{})
		if err != nil {
			o, err := badArguments(tool, args, err)
			if err != nil {
				return o, err
			}
			return t.emitEnd(c, o)
		}
		o, err := t.runManifestTool(ctx, tool.Name, step.Arguments)
		if err != nil {
			return o, err
		}
		return t.emitEnd(c, o)
	}
}

func (t *completion) runManifestTool(ctx context.Context, tool string, args map[string]any) (Outcome, error) {
	if tool == "create_asset_manifest" {
		var err error
		if args, err = t.fillAssetURLs(ctx, args); err != nil {
			return Outcome{}, err
		}
	}
	answer, after, err := t.change(ctx, tool, args)
	var wrong errManifest
	switch {
	case errors.Is(err, manifest.ErrNoAsset):
		return failed(tool, assetNotFound, "There is no such asset in the manifest.", false, "create_asset_manifest"), nil
	case errors.As(err, &wrong):
		return failed(tool, parameterInvalid, toSentence(wrong.Error()), false, "correct_arguments"), nil
	case err != nil:
		return Outcome{}, err
	}
	t.mu.Lock()
	t.manifest = after
	t.media.addAssets(after)
	t.mu.Unlock()
	return t.manifestOutcome(tool, answer)
}

func toSentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// errManifest says that the manifest refuses a change.
type errManifest struct{ error }

func (e errManifest) Unwrap() error { return e.error }

// change runs a tool on the stored manifest of the session, one request at a
// time, or on that of the request.
func (t *completion) change(ctx context.Context, tool string, args map[string]any) (answer any, after manifest.Manifest, err error) {
	call := func(m manifest.Manifest) error {
		answer, after, err = manifest.Call(t.catalog, m, tool, args)
		if err != nil {
			return errManifest{err}
		}
		return nil
	}
	if t.q.Session == "" {
		err = call(t.manifest)
		return answer, after, err
	}
	owner, now := t.q.Caller.Wallet, t.opts.Now()
	err = t.db.WriteStart(ctx, owner, now, func(tx *store.Tx) error {
		text, err := tx.LockManifest(owner, t.q.Session, []byte(`{"assets":[]}`), now)
		if err != nil {
			return err
		}
		var m manifest.Manifest
		if err := wire.Unmarshal(text, &m); err != nil {
			return err
		}
		if err := call(m); err != nil {
			return err
		}
		if text, err = wire.MarshalV1(after); err != nil {
			return err
		}
		return tx.SetManifest(owner, t.q.Session, text, now)
	})
	return answer, after, err
}

// fillAssetURLs fills in the addresses of the assets of a new manifest that have
// none: models do not see addresses. The assets of a kind are, in order, the media
// that was sent and then the results.
func (t *completion) fillAssetURLs(ctx context.Context, args map[string]any) (map[string]any, error) {
	list, _ := args["assets"].([]any)
	urls := map[string][]string{}
	for _, item := range list {
		if a, _ := item.(map[string]any); a["url"] == nil {
			sent, err := t.references(ctx)
			if err != nil {
				return nil, err
			}
			for _, m := range append(sent, t.media.made...) {
				urls[m.Kind] = append(urls[m.Kind], m.URL)
			}
			break
		}
	}
	out := make([]any, len(list))
	count := map[string]int{}
	for i, item := range list {
		a, _ := item.(map[string]any)
		kind, _ := a["type"].(string)
		if at := count[kind]; a["url"] == nil && at < len(urls[kind]) {
			a = maps.Clone(a)
			a["url"] = urls[kind][at]
		}
		count[kind]++
		out[i] = a
	}
	args = maps.Clone(args)
	args["assets"] = out
	return args, nil
}

// manifestOutcome is the outcome of a tool that reads or changes the manifest.
func (t *completion) manifestOutcome(tool string, answer any) (Outcome, error) {
	switch a := answer.(type) {
	case manifest.Mapping: // its indices are those of this conversation
		for i, mention := range a.Assets {
			for _, asset := range t.manifest.Assets {
				if asset.AssetID != mention.AssetID {
					continue
				}
				if at, ok := t.media.indexOf(asset.Type, asset.URL); ok {
					a.Assets[i].Index = at
				}
			}
		}
	case manifest.Asset, *manifest.Asset:
		answer = map[string]any{"asset": a}
	}
	text, err := wire.Marshal(answer)
	var output map[string]any
	if err == nil {
		err = wire.Unmarshal(text, &output)
	}
	return succeeded(tool, output), err
}
