package chat_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Messages of one session that come at the same time lose nothing of each
// other.
func TestSessionAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const many = 8
		assets := ""
		for i := range many {
			assets += fmt.Sprintf(`,{"user_label":"a%d","type":"image","asset_id":"a%d"}`, i, i)
		}
		env := newFixture(t, o, call("create_asset_manifest", `{"assets":[`+assets[1:]+`]}`), text("Noted."))
		ask := func() *chat.Request {
			q := env.ask("go")
			q.Family, q.Session = catalog.CreativeAgent, "s"
			return &q
		}
		env.complete(*ask())
		var wg sync.WaitGroup
		for i := range many {
			s := &speaker{says: []llm.Delta{call("label_asset", fmt.Sprintf(`{"asset_id":"a%d","description":"number %d"}`, i, i)), text("Done.")}}
			wg.Go(func() {
				if _, err := env.engineOf(s).Complete(t.Context(), ask(), func(chat.Event) error { return nil }); err != nil {
					t.Errorf("label %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		for i := range many {
			s := &speaker{says: []llm.Delta{call("inspect_asset", fmt.Sprintf(`{"asset_id":"a%d"}`, i)), text("Done.")}}
			done, err := env.engineOf(s).Complete(t.Context(), ask(), func(chat.Event) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			asset, _ := done.Results[0]["asset"].(map[string]any)
			if want := fmt.Sprintf("number %d", i); asset["description"] != want {
				t.Errorf("asset %d is %v, want %q", i, done.Results[0], want)
			}
		}
	})
}

// An asset without an address is found among what was sent and made, and what
// came inline is stored for it.
func TestAssetsAreFound(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t),
		call("create_asset_manifest", `{"assets":[{"user_label":"shown","type":"image"},{"user_label":"elsewhere","type":"image","url":"https://media.example/e.png"},{"user_label":"clip","type":"video"},{"user_label":"song","type":"audio"}]}`),
		text("Noted."))
	q := env.ask("go")
	q.Family = catalog.CreativeAgent
	q.Messages = []llm.Message{
		llm.Text("assistant", "[Video 1](https://media.example/v.mp4)"),
		{Role: "user", Content: []llm.Part{{Type: "image_url", Image: llm.Image{Type: "image/png", Data: []byte("a picture")}}}},
	}
	done, _ := env.complete(q)
	list, _ := done.Results[0]["assets"].([]any)
	var got []any
	for _, a := range list {
		got = append(got, a.(map[string]any)["url"])
	}
	if want := "[https://media.example/kept/a.png https://media.example/e.png https://media.example/v.mp4 <nil>]"; fmt.Sprint(got) != want {
		t.Errorf("the assets are at %v, want %s", got, want)
	}
	if fmt.Sprint(env.kept) != "[image/png]" {
		t.Errorf("stored %v", env.kept)
	}
}

// Sessions that were left long ago are forgotten, and others are not.
func TestSweep(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	err := env.DB.Write(t.Context(), func(tx *store.Tx) error {
		for name, age := range map[string]time.Duration{"old": 91 * 24 * time.Hour, "young": 89 * 24 * time.Hour} {
			if _, err := tx.LockManifest(ann, name, []byte(`{}`), time.Now().Add(-age)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := env.e.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("forgot %d, %v, want 1", n, err)
	}
}
