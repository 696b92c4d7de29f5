package manifest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/manifest"
)

var models = sync.OnceValue(func() *catalog.Catalog {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return c
})

// kept is a manifest with two images, a clip and a song.
var kept = manifest.Manifest{Assets: []manifest.Asset{
	{AssetID: "fox", UserLabel: "the Fox", Type: "image", MustPreserve: []string{"the tail"}},
	{AssetID: "hat", UserLabel: "hat", Type: "image", URL: "https://media.example/hat.png"},
	{AssetID: "run", UserLabel: "the chase", Type: "video"},
	{AssetID: "song", UserLabel: "a tune", Type: "audio"},
}}

func TestCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tool, args string
		want             string // the answer
		after            string // the assets that changed, when they did
		err              string
	}{
		{name: "create", tool: "create_asset_manifest", args: `{"assets":[{"user_label":"a","type":"image","asset_id":"1"}]}`,
			want: `{"assets":[{"asset_id":"1","user_label":"a","type":"image"}]}`, after: `{"assets":[{"asset_id":"1","user_label":"a","type":"image"}]}`},
		{name: "create with one name twice", tool: "create_asset_manifest", args: `{"assets":[{"user_label":"a","type":"image"},{"user_label":"A","type":"video"}]}`, err: "two assets"},
		{name: "create with one id twice", tool: "create_asset_manifest", args: `{"assets":[{"user_label":"a","type":"image","asset_id":"1"},{"user_label":"b","type":"video","asset_id":"1"}]}`, err: "two assets"},
		{name: "inspect by id", tool: "inspect_asset", args: `{"asset_id":"hat"}`, want: `{"asset_id":"hat","user_label":"hat","type":"image","url":"https://media.example/hat.png"}`},
		{name: "inspect by name", tool: "inspect_asset", args: `{"user_label":"THE FOX"}`, want: `{"asset_id":"fox","user_label":"the Fox","type":"image","must_preserve":["the tail"]}`},
		{name: "the id wins over the name", tool: "inspect_asset", args: `{"asset_id":"hen","user_label":"hat"}`, err: "no such asset"},
		{name: "inspect nothing", tool: "inspect_asset", args: `{}`, err: "no such asset"},
		{name: "label", tool: "label_asset", args: `{"asset_id":"hat","user_label":"the cap","avoid":["feathers"]}`,
			want: `{"asset_id":"hat","user_label":"the cap","type":"image","url":"https://media.example/hat.png","avoid":["feathers"]}`, after: `"the cap"`},
		{name: "the type stays", tool: "label_asset", args: `{"asset_id":"hat","type":"video"}`,
			want: `{"asset_id":"hat","user_label":"hat","type":"image","url":"https://media.example/hat.png"}`, after: `"hat"`},
		{name: "a name that another has", tool: "label_asset", args: `{"asset_id":"hat","user_label":"THE FOX"}`, err: "two assets"},
		{name: "label by name", tool: "label_asset", args: `{"user_label":"hat"}`, err: "no such asset"},
		{name: "map", tool: "map_assets_for_model", args: `{"model_id":"qwen_image_edit_2511_fp8"}`, want: `"reference":"image 2","index":-2,"usable":true`},
		{name: "map for a model that takes no sound", tool: "map_assets_for_model", args: `{"model_id":"qwen_image_edit_2511_fp8"}`, want: `takes at most 0 of the type audio`},
		{name: "map for no model", tool: "map_assets_for_model", args: `{"model_id":"x"}`, err: "no model"},
		{name: "validate", tool: "validate_asset_references", args: `{"model_id":"qwen_image_edit_2511_fp8","prompt":"The fox of image 1 wears image2"}`, want: `"referenced":["fox","hat"],"unused":["run","song"]`},
		{name: "validate what is not there", tool: "validate_asset_references", args: `{"model_id":"qwen_image_edit_2511_fp8","prompt":"image 7"}`, want: `names image 7, which is not in the manifest`},
		{name: "another tool", tool: "generate_image", args: `{}`, err: "does not keep assets"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var args map[string]any
			if err := json.Unmarshal([]byte(c.args), &args); err != nil {
				t.Fatal(err)
			}
			answer, after, err := manifest.Call(models(), kept, c.tool, args)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, want an error with %q", err, c.err)
				}
				return
			}
			if got := text(t, answer); err != nil || !strings.Contains(got, c.want) {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
			if got := text(t, after); c.after == "" && got != text(t, kept) || !strings.Contains(got, c.after) {
				t.Errorf("the manifest became %s, want it with %s", got, c.after)
			}
		})
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Assets without an id get one, and a manifest reads back as it was kept.
func TestOf(t *testing.T) {
	t.Parallel()
	_, after, err := manifest.Call(models(), manifest.Manifest{}, "create_asset_manifest", map[string]any{"assets": []any{map[string]any{"user_label": "a", "type": "image"}}})
	if err != nil || !strings.HasPrefix(after.Assets[0].AssetID, "asset_") {
		t.Fatalf("got %+v, %v", after, err)
	}
	var plain any
	if err := json.Unmarshal([]byte(text(t, after)), &plain); err != nil {
		t.Fatal(err)
	}
	if again, err := manifest.Of(plain); err != nil || text(t, again) != text(t, after) {
		t.Errorf("read %+v, %v, want %+v", again, err, after)
	}
	if empty, err := manifest.Of(nil); err != nil || len(empty.Assets) != 0 {
		t.Errorf("of nothing: %+v, %v", empty, err)
	}
	if _, err := manifest.Of("nonsense"); err == nil {
		t.Error("nonsense is a manifest")
	}
	if _, _, err := manifest.Call(models(), after, "inspect_asset", map[string]any{"asset_id": "x"}); !errors.Is(err, manifest.ErrNoAsset) {
		t.Errorf("got %v, want %v", err, manifest.ErrNoAsset)
	}
}
