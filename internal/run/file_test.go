package run_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// upload makes an upload of an account that can be swept, and returns it with a URL that
// has expired.
func (f *fixture) upload(w atelier.Wallet, key string) (u store.Upload, url string) {
	f.T.Helper()
	ctx := context.Background()
	if _, err := f.Blobs.Put(ctx, key, strings.NewReader("bytes"), blob.PutOptions{ContentType: "image/png"}); err != nil {
		f.T.Fatal(err)
	}
	long := f.Now().Add(-72 * time.Hour)
	u = store.Upload{Key: key, ProjectID: "p", Slot: key, Wallet: w, ContentType: "image/png", CreatedAt: long, OpenUntil: long}
	f.Write(func(tx *store.Tx) error { return tx.InsertUpload(u) })
	url, err := f.Blobs.GetURL(ctx, key, blob.GetTerms{Until: f.Now().Add(-time.Hour)})
	if err != nil {
		f.T.Fatal(err)
	}
	return u, url
}

// The files that an account has sent with a message can be read for as long as the run
// is there, whenever they were signed. Those of others, and files elsewhere, stay as they
// were sent.
func TestFilesAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o), text("A fox."))
		f.addAccounts()
		f.start()
		picture, pictureURL := f.upload(ann, "inputs/p/picture.png")
		clip, clipURL := f.upload(ann, "inputs/p/clip.png")
		loose, _ := f.upload(ann, "inputs/p/loose.png")
		_, foreignURL := f.upload(wil, "inputs/p/foreign.png")
		if f.reads(pictureURL, picture.Key) {
			t.Fatal("the URL that is sent has not expired")
		}
		const elsewhere = "https://example.com/fox.png"

		q := ask("What is this?")
		q.Chat.Session = "s"
		for _, url := range []string{pictureURL, foreignURL, elsewhere} {
			q.Chat.Messages[0].Content = append(q.Chat.Messages[0].Content, llm.Part{Type: "image_url", Image: llm.Image{URL: url}})
		}
		reference := atelier.MediaReference{Kind: "video", URL: clipURL, Original: map[string]any{"kind": "video", "url": clipURL, "filename": "clip.mp4"}}
		q.Chat.Media = []chat.Media{{MediaReference: reference}}
		id := f.begin(q)
		f.until(id, atelier.StatusCompleted)

		page, err := f.e.Conversation(t.Context(), ann, "s", "", 10)
		if err != nil || len(page.Conversation.Runs) != 1 {
			t.Fatalf("got %+v, %v", page, err)
		}
		shown := page.Conversation.Runs[0]
		if len(shown.Images) != 3 || !f.reads(shown.Images[0], picture.Key) || shown.Images[1] != foreignURL || shown.Images[2] != elsewhere {
			t.Errorf("the images are %q", shown.Images)
		}
		if m := shown.MediaReferences; len(m) != 1 || !f.reads(m[0]["url"].(string), clip.Key) || m[0]["filename"] != "clip.mp4" {
			t.Errorf("the media is %v", m)
		}
		if c := f.get(id).MediaContext; !f.reads(c.UploadedImages[0], picture.Key) || !f.reads(c.UploadedVideos[0], clip.Key) {
			t.Errorf("the media of the run is %+v", c)
		}
		if got := f.swept(); !slices.Contains(got, loose.Key) || slices.Contains(got, picture.Key) || slices.Contains(got, clip.Key) {
			t.Errorf("of the uploads %q are removed", got)
		}
		if err := f.e.DeleteConversation(t.Context(), ann, "s"); err != nil {
			t.Fatal(err)
		}
		if got := f.swept(); !slices.Contains(got, picture.Key) || !slices.Contains(got, clip.Key) {
			t.Errorf("once the conversation is deleted, %q are removed", got)
		}
	})
}

// reads reports whether a URL reads an object.
func (f *fixture) reads(url, key string) bool {
	w := httptest.NewRecorder()
	err := f.Blobs.Serve(w, httptest.NewRequest(http.MethodGet, url, nil), key)
	return err == nil && w.Code == http.StatusOK
}

// swept removes the uploads that are not used, and returns their keys.
func (f *fixture) swept() (keys []string) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) error {
		keys = nil
		closed, err := tx.ClosedUploads(f.Now(), "", 100)
		for _, u := range closed {
			gone, err := tx.DeleteUpload(u)
			if err != nil {
				return err
			}
			if gone {
				keys = append(keys, u.Key)
			}
		}
		return err
	})
	return keys
}
