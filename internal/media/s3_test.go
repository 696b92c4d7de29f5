package media_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A bucket belongs to one database too, and swept objects can be restored.
func TestSweepOnS3(t *testing.T) {
	t.Parallel()
	s3 := blobtest.OpenS3(t)
	a, b := newFixture(t, storetest.SQLite(t)), newFixture(t, storetest.SQLite(t))
	limits := media.Limits{UploadBytes: 1000, UploadBytesADay: 1 << 20, FormsADay: 10, FormTTL: time.Hour, UnusedTTL: 7 * aDay}
	ours := media.New(a.DB, s3, media.Options{Now: a.Now, Unchecked: true, Limits: limits})
	stray := media.New(b.DB, s3, media.Options{Now: a.Now, Unchecked: true, Limits: limits})
	keys := func() (keys []string) {
		for entry, err := range s3.List(t.Context(), "", "") {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, entry.Key)
		}
		return keys
	}
	store := func(key string) {
		t.Helper()
		if _, err := s3.Put(t.Context(), key, strings.NewReader("bytes"), blob.PutOptions{ContentType: "audio/wav"}); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ours.UploadURL(t.Context(), a.who, media.UploadRequest{Endpoint: media.MediaEndpoint, Type: "referenceAudio", ProjectID: "p", ContentType: "audio/wav"})
	if err != nil {
		t.Fatal(err)
	}
	key := "inputs/" + strings.SplitN(f.Fields["key"], "inputs/", 2)[1] // behind the prefix of the bucket
	store(key)
	if err := stray.Tie(t.Context()); err == nil || !strings.Contains(err.Error(), "storage adopt") {
		t.Errorf("an empty database beside a bucket with objects: %v", err)
	}
	for range 2 {
		if err := ours.Tie(t.Context()); err != nil {
			t.Errorf("the database that names them: %v", err)
		}
	}
	if err := stray.Tie(t.Context()); err == nil || !strings.Contains(err.Error(), "belongs to the installation") {
		t.Errorf("another database: %v", err)
	}
	store("inputs/orphan/x.wav")
	if s, err := ours.Sweep(t.Context(), false); err != nil || s.Objects != 1 {
		t.Errorf("swept %+v, %v", s, err)
	}
	if got := keys(); !slices.Equal(got, []string{"atelier/installation", key, media.Trash + a.Now().Format(time.DateOnly) + "/inputs/orphan/x.wav"}) {
		t.Errorf("after the sweep: %q", got)
	}
	if n, err := ours.Restore(t.Context()); n != 1 || err != nil || !slices.Contains(keys(), "inputs/orphan/x.wav") {
		t.Errorf("restored %d, %v: %q", n, err, keys())
	}
}
