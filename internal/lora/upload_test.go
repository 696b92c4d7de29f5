package lora_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// newUploads makes a node that does no imports.
func newUploads(t testing.TB, o store.Options, set ...func(*settings)) *fixture {
	t.Helper()
	f := newFixtureOn(t, storetest.Open(t, o), set...)
	f.addAccounts()
	return f
}

func upload(size int64) lora.NewUpload {
	return lora.NewUpload{Name: "Fox", ModelID: model, RightsConfirmed: true, FileName: "fox.safetensors", Bytes: size}
}

// sends uploads a file, which must be accepted.
func (f *fixture) sends(file []byte) (apitype.PersonalLora, bool) {
	f.T.Helper()
	r, isNew, err := f.e.Upload(context.Background(), ann, upload(int64(len(file))), bytes.NewReader(file))
	if err != nil {
		f.T.Fatalf("upload: %v", err)
	}
	return r, isNew
}

// counted is how many imports of today are counted.
func (f *fixture) counted() (n int) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) {
		n, err = tx.ImportsOn(ann, f.Now().UTC().Format(time.DateOnly))
		return err
	})
	return n
}

// entries lists the library.
func (f *fixture) entries() []apitype.PersonalLora {
	f.T.Helper()
	lib, err := f.e.Library(context.Background(), ann)
	if err != nil {
		f.T.Fatal(err)
	}
	return lib.Loras
}

// isEmpty checks that nothing is left of an upload.
func (f *fixture) isEmpty() {
	f.T.Helper()
	if all, keys, n := f.entries(), f.objects(), f.counted(); len(all)+len(keys)+n != 0 {
		f.T.Errorf("left are the entries %+v, the objects %v and %d counted imports", all, keys, n)
	}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		file := loratest.LoRA{Family: "krea-2"}.File()
		r, isNew := f.sends(file)
		if !isNew || r.Status != atelier.LoraReady || r.Source != "upload:fox.safetensors" || r.Bytes != int64(len(file)) || r.Progress != nil {
			t.Errorf("entry %+v, new: %v", r, isNew)
		}
		if l := f.row(r.ID); l.Provider != "upload" || l.Link != "" || l.SHA256 != digest(file) || !bytes.Equal(f.content(r.ID), file) {
			t.Errorf("row %+v", l)
		}
		rows, err := f.e.Catalog(t.Context(), ann)
		if err != nil || len(rows) != 1 || rows[0].UI.SourceURL != r.Source || rows[0].UI.Creator != "Uploaded by you" {
			t.Errorf("catalog %+v, %v", rows, err)
		}
		if again, isNew := f.sends(file); isNew || again.ID != r.ID || again.Name != r.Name {
			t.Errorf("the same file again: %+v, new: %v", again, isNew)
		}
		other := upload(-1)
		other.ModelID, other.FileName = "krea2_identity_edit_v1_2", ""
		if same, isNew, err := f.e.Upload(t.Context(), ann, other, bytes.NewReader(file)); err != nil || isNew || same.ID != r.ID {
			t.Errorf("the same file for another model of the family: %+v, new: %v, %v", same, isNew, err)
		}
		if n := f.counted(); n != 1 || len(f.objects()) != 1 || len(f.entries()) != 1 {
			t.Errorf("%d imports are counted, %d objects, %d entries; want one of each", n, len(f.objects()), len(f.entries()))
		}
		f.render(r.ID, f.row(r.ID).Key)
	})
}

// A file that a link has brought is not stored a second time, and one that a worker has
// rejected gets a new entry.
func TestUploadOfAKnownFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	imported := f.imports(f.put("fox", loratest.LoRA{}))
	f.settle(imported.ID)
	file := loratest.LoRA{Family: "krea-2"}.File()
	if r, isNew := f.sends(file); isNew || r.ID != imported.ID {
		t.Errorf("the file of a link: %+v, new: %v", r, isNew)
	}
	worker, job := f.render(imported.ID, f.row(imported.ID).Key)
	worker.MustFail(job, atelier.FailLoraMismatch)
	if got := f.read(imported.ID); got.Status != atelier.LoraRejected {
		t.Fatalf("after the render: %+v", got)
	}
	if r, isNew := f.sends(file); !isNew || r.ID == imported.ID || r.Status != atelier.LoraReady {
		t.Errorf("the rejected file again: %+v, new: %v", r, isNew)
	}
}

func TestUploadOfAPublicFile(t *testing.T) {
	t.Parallel()
	file := loratest.LoRA{Family: "krea-2"}.File()
	c := overlay(t, "loras:\n  - { loraId: rim-light, sha256: "+digest(file)+" }\n")
	f := newUploads(t, storetest.SQLite(t), func(s *settings) { s.catalog = c })
	_, _, err := f.e.Upload(t.Context(), ann, upload(int64(len(file))), bytes.NewReader(file))
	if !atelier.HasCode(err, atelier.CodeLoraInCatalog) || !strings.Contains(err.Error(), "rim-light") {
		t.Errorf("upload: %v", err)
	}
	f.isEmpty()
}

// endless is a valid beginning that never ends.
func endless() io.Reader {
	file := loratest.LoRA{Family: "krea-2"}.File()
	return io.MultiReader(bytes.NewReader(file), rand.NewChaCha8([32]byte{}))
}

var errReset = errors.New("the connection was reset")

// interrupted reads a part of a file, and then fails.
func interrupted(file []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(file[:len(file)/2]), readerFunc(func([]byte) (int, error) { return 0, errReset }))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Bad files are refused with what is wrong with them. Nothing is left, and nothing counted.
func TestHostileUploads(t *testing.T) {
	t.Parallel()
	good := loratest.LoRA{Family: "krea-2"}.File()
	size := int64(len(good))
	wide := loratest.LoRA{Family: "krea-2", Metadata: map[string]string{"notes": strings.Repeat("x", 1<<20)}, Rank: 200}.File()
	for what, c := range map[string]struct {
		file  io.Reader
		bytes int64
		code  atelier.Code
		says  string
	}{
		"empty":                    {bytes.NewReader(nil), 0, atelier.CodeInvalidRequest, "0 bytes"},
		"an archive":               {strings.NewReader("PK\x03\x04an archive"), 14, atelier.CodeInvalidRequest, "safetensors"},
		"a huge header":            {bytes.NewReader(append([]byte{0, 0, 0, 0, 1, 0, 0, 0}, `{"a":`...)), 1 << 30, atelier.CodeInvalidRequest, "header"},
		"overlapping offsets":      {bytes.NewReader(overlapping()), int64(len(overlapping())), atelier.CodeInvalidRequest, "overlap"},
		"a rank too high":          {bytes.NewReader(loratest.LoRA{Family: "krea-2", Rank: 200}.File()), -1, atelier.CodeInvalidRequest, "128"},
		"a rank and a wide header": {bytes.NewReader(wide), int64(len(wide)), atelier.CodeInvalidRequest, "128"},
		"another model":            {bytes.NewReader(loratest.LoRA{Family: "h3"}.File()), -1, atelier.CodeInvalidRequest, ""},
		"more than announced":      {bytes.NewReader(good), size - 1, atelier.CodeInvalidRequest, ""},
		"less than announced":      {bytes.NewReader(good), size + 1, atelier.CodeInvalidRequest, ""},
		"a header and no more":     {bytes.NewReader(good[:4096]), size, atelier.CodeInvalidRequest, "announced"},
		"bytes behind the tensors": {bytes.NewReader(append(bytes.Clone(good), 1)), -1, atelier.CodeInvalidRequest, "end"},
		"endless":                  {endless(), -1, atelier.CodeBodyTooLarge, "4194304"},
		"endless, as announced":    {endless(), size, atelier.CodeBodyTooLarge, "4194304"},
		"interrupted":              {interrupted(good), size, atelier.Code{}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newUploads(t, storetest.SQLite(t), func(s *settings) {
				if strings.HasPrefix(what, "endless") {
					s.FileBytes = 4 << 20
				}
			})
			_, _, err := f.e.Upload(t.Context(), ann, upload(c.bytes), c.file)
			var refused *atelier.Error
			switch {
			case c.code == (atelier.Code{}):
				if !errors.Is(err, errReset) {
					t.Errorf("upload: %v", err)
				}
			case !atelier.HasCode(err, c.code) || !strings.Contains(err.Error(), c.says):
				t.Errorf("upload: %v, want one that says %q", err, c.says)
			case errors.As(err, &refused) && c.code == atelier.CodeInvalidRequest && refused.Field != "file":
				t.Errorf("the refusal %v names the field %q", err, refused.Field)
			}
			f.isEmpty()
		})
	}
}

// The header is checked before the rest of a large file is read.
func TestUploadIsRefusedByItsHeader(t *testing.T) {
	t.Parallel()
	f := newUploads(t, storetest.SQLite(t))
	file := loratest.LoRA{Family: "krea-2", Rank: 200}.File()
	left := bytes.NewReader(file)
	_, _, err := f.e.Upload(t.Context(), ann, upload(int64(len(file))), left)
	if !atelier.HasCode(err, atelier.CodeInvalidRequest) || left.Len() < len(file)-256<<10 {
		t.Errorf("upload: %v, after %d of %d bytes", err, len(file)-left.Len(), len(file))
	}
	f.isEmpty()
}

// What is refused for another reason than its file is refused before the file is read.
func TestRefusedUploadsAreNotRead(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		code   atelier.Code
		field  string
		change func(*lora.NewUpload)
		set    func(*settings)
		before func(*fixture)
	}{
		"rights":       {code: atelier.CodeInvalidRequest, field: "rightsConfirmed", change: func(n *lora.NewUpload) { n.RightsConfirmed = false }},
		"blank name":   {code: atelier.CodeInvalidRequest, field: "name", change: func(n *lora.NewUpload) { n.Name = " " }},
		"long name":    {code: atelier.CodeInvalidRequest, field: "name", change: func(n *lora.NewUpload) { n.Name = strings.Repeat("x", 81) }},
		"model":        {code: atelier.CodeInvalidRequest, field: "modelId", change: func(n *lora.NewUpload) { n.ModelID = "z_image_turbo_bf16" }},
		"another kind": {code: atelier.CodeInvalidRequest, field: "fileName", change: func(n *lora.NewUpload) { n.FileName = "fox.ckpt" }},
		"control":      {code: atelier.CodeInvalidRequest, field: "fileName", change: func(n *lora.NewUpload) { n.FileName = "a\nb.safetensors" }},
		"too large":    {code: atelier.CodeBodyTooLarge, change: func(n *lora.NewUpload) { n.Bytes = 2<<30 + 1 }},
		"no plan":      {code: atelier.CodeNoUnlimitedAccess, before: func(f *fixture) { f.subscribe(ann, atelier.SubscriptionGrace) }},
		"suspended": {code: atelier.CodeAccountSuspended, before: func(f *fixture) {
			f.Write(func(tx *store.Tx) error { _, err := tx.SuspendAccount(ann, f.Now()); return err })
		}},
		"full library": {code: atelier.CodeLoraLibraryFull, set: func(s *settings) { s.Entries = 1 }, before: func(f *fixture) { f.sends(loratest.LoRA{Family: "krea-2"}.File()) }},
		"full day":     {code: atelier.CodeRateLimited, set: func(s *settings) { s.ImportsPerDay = 1 }, before: func(f *fixture) { f.sends(loratest.LoRA{Family: "krea-2"}.File()) }},
		"no space": {code: atelier.CodeUnavailable, set: func(s *settings) {
			s.FreeSpace, s.Reserve = func() (int64, error) { return 1<<30 + 10, nil }, 1<<30
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newUploads(t, storetest.SQLite(t), func(s *settings) {
				if c.set != nil {
					c.set(s)
				}
			})
			if c.before != nil {
				c.before(f)
			}
			n := upload(1 << 20)
			if c.change != nil {
				c.change(&n)
			}
			before := f.counted()
			_, _, err := f.e.Upload(t.Context(), ann, n, readerFunc(func([]byte) (int, error) { t.Error("the file is read"); return 0, io.EOF }))
			var refused *atelier.Error
			if !errors.As(err, &refused) || refused.Code != c.code || refused.Field != c.field {
				t.Errorf("upload: %v", err)
			}
			if n := f.counted(); n != before {
				t.Errorf("%d imports are counted, %d were before", n, before)
			}
		})
	}
}

// slowFile is a file whose second half arrives when release is closed.
type slowFile struct {
	content io.Reader
	begun   chan struct{} // closed when the first half was read
}

func newSlowFile(file []byte, release <-chan struct{}) slowFile {
	s := slowFile{begun: make(chan struct{})}
	half := len(file) / 2
	var once sync.Once
	s.content = io.MultiReader(bytes.NewReader(file[:half]), readerFunc(func([]byte) (int, error) {
		once.Do(func() { close(s.begun) })
		<-release
		return 0, io.EOF
	}), bytes.NewReader(file[half:]))
	return s
}

// Uploads that are under way count against the limits.
func TestConcurrentUploads(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		f := newUploads(t, o, func(s *settings) { s.Entries, s.ImportsPerDay = 5, 100 })
		release := make(chan struct{})
		type outcome struct {
			isNew bool
			err   error
		}
		ended := make(chan outcome, 12)
		begun := make(chan struct{}, 12)
		for n := range 12 {
			file := loratest.LoRA{Family: "krea-2", Seed: byte(min(n, 3))}.File() // some are the same
			go func() {
				slow := newSlowFile(file, release)
				go func() { <-slow.begun; begun <- struct{}{} }()
				_, isNew, err := f.e.Upload(context.Background(), ann, upload(int64(len(file))), slow.content)
				ended <- outcome{isNew, err}
			}()
		}
		refused, added := 0, 0
		for range 7 { // while five are under way
			if got := <-ended; !atelier.HasCode(got.err, atelier.CodeLoraLibraryFull) {
				t.Errorf("upload into a full library: %+v", got)
			}
			refused++
		}
		for range 5 {
			<-begun
		}
		if all := f.entries(); len(all) != 5 || all[0].Status != atelier.LoraValidating || all[0].Progress == nil || f.counted() != 5 {
			t.Errorf("while they are under way: %d counted, %+v", f.counted(), all)
		}
		close(release)
		for range 5 {
			got := <-ended
			if got.err != nil {
				t.Errorf("upload: %v", got.err)
			}
			if got.isNew {
				added++
			}
		}
		if all := f.entries(); len(all) != added || f.counted() != added || len(f.objects()) != added {
			t.Errorf("%d entries, %d counted, %d objects; want %d of each", len(all), f.counted(), len(f.objects()), added)
		}
	})
}

// An entry that changes while its file arrives does not become ready, and no object is left.
func TestEntryChangesWhileUploaded(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		code   atelier.Code
		change func(f *fixture, id atelier.LoraID) error
		left   atelier.LoraStatus
	}{
		"removed": {atelier.CodeLoraChanged, func(f *fixture, id atelier.LoraID) error { return f.e.Delete(context.Background(), ann, id) }, ""},
		"revoked": {atelier.CodeLoraChanged, func(f *fixture, id atelier.LoraID) error {
			_, err := lora.NewOperator(f.DB, f.Now).Revoke(context.Background(), id, "", nil)
			return err
		}, atelier.LoraRevoked},
		"without a plan": {atelier.CodeNoUnlimitedAccess, func(f *fixture, _ atelier.LoraID) error { f.subscribe(ann, atelier.SubscriptionGrace); return nil }, ""},
		"suspended": {atelier.CodeAccountSuspended, func(f *fixture, _ atelier.LoraID) error {
			f.Write(func(tx *store.Tx) error { _, err := tx.SuspendAccount(ann, f.Now()); return err })
			return nil
		}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newUploads(t, storetest.SQLite(t))
			file := loratest.LoRA{Family: "krea-2"}.File()
			release := make(chan struct{})
			slow := newSlowFile(file, release)
			ended := make(chan error, 1)
			go func() {
				_, _, err := f.e.Upload(context.Background(), ann, upload(int64(len(file))), slow.content)
				ended <- err
			}()
			<-slow.begun
			err := c.change(f, f.entries()[0].ID)
			close(release)
			if err != nil {
				t.Fatal(err)
			}
			if err := <-ended; !atelier.HasCode(err, c.code) {
				t.Errorf("upload: %v", err)
			}
			if all := f.entries(); len(f.objects()) != 0 || c.left == "" && len(all) != 0 || c.left != "" && (len(all) != 1 || all[0].Status != c.left) {
				t.Errorf("left are %v and %+v", f.objects(), all)
			}
		})
	}
}

// The process dies at every commit of an upload. Nothing of an upload that was not answered
// is left after a sweep, unless it was ready already.
func TestCrashAtEveryCommitOfAnUpload(t *testing.T) {
	t.Parallel()
	for what, file := range map[string][]byte{"good": loratest.LoRA{Family: "krea-2"}.File(), "bad": loratest.LoRA{Family: "krea-2", Rank: 200}.File()} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, after := range []bool{false, true} {
				n := int64(1)
				for crashUploadAt(t, file, n, after) {
					n++
				}
				if n < 3 {
					t.Errorf("it has only %d commits", n-1)
				}
			}
		})
	}
}

func crashUploadAt(t *testing.T, file []byte, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixtureOn(t, db.DB, func(s *settings) { s.dir = dir })
	f.addAccounts()
	db.Arm()
	r, _, err := f.e.Upload(db.Alive, ann, upload(int64(len(file))), bytes.NewReader(file))
	accepted := err == nil
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	heir := newFixtureOn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}), func(s *settings) { s.dir, s.sites = dir, f.sites })
	heir.Advance(time.Hour)
	if _, err := heir.e.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := heir.entries()
	switch {
	case accepted && (len(all) != 1 || all[0].ID != r.ID):
		t.Errorf("the accepted upload is not there: %+v", all)
	case len(all) == 0:
		heir.isEmpty()
	case all[0].Status != atelier.LoraReady || !bytes.Equal(heir.content(all[0].ID), file) || heir.counted() != 1:
		t.Errorf("left is %+v, counted %d times", all, heir.counted())
	}
	if t.Failed() {
		t.Fatalf("it died at commit %d, after it: %v", n, after)
	}
	return db.Dead()
}

// A sweep removes uploads that give no sign of life, and no others.
func TestSweepOfUploads(t *testing.T) {
	t.Parallel()
	f := newUploads(t, storetest.SQLite(t))
	f.Freeze()
	ready, _ := f.sends(loratest.LoRA{Family: "krea-2"}.File())
	dead := f.row(ready.ID)
	dead.ID, dead.Key, dead.Status, dead.SHA256 = atelier.NewLoraID(mint.UUID()), "loras/dead.safetensors", atelier.LoraValidating, ""
	f.Write(func(tx *store.Tx) error {
		if err := tx.CountImport(ann, dead.CreatedAt.Format(time.DateOnly)); err != nil {
			return err
		}
		return tx.InsertLora(dead)
	})
	if _, err := f.Blobs.Put(t.Context(), dead.Key, strings.NewReader("what has arrived"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ after, left int }{{4, 2}, {2, 1}} {
		f.Advance(time.Duration(c.after) * time.Minute)
		if _, err := f.e.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if all := f.entries(); len(all) != c.left || f.counted() != c.left || len(f.objects()) != c.left {
			t.Errorf("%d entries, %d counted, %d objects; want %d of each", len(all), f.counted(), len(f.objects()), c.left)
		}
	}
	if got := f.read(ready.ID); got.Status != atelier.LoraReady {
		t.Errorf("the other entry is %+v", got)
	}
}

// Newer rules download no upload again: there is no link to it.
func TestNewRulesLeaveUploadsAlone(t *testing.T) {
	t.Parallel()
	f := newUploads(t, storetest.SQLite(t))
	r, _ := f.sends(loratest.LoRA{Family: "krea-2"}.File())
	f.Write(func(tx *store.Tx) error {
		l, err := tx.LoraOfAny(r.ID)
		if err != nil {
			return err
		}
		l.Status, l.Failure, l.Key = atelier.LoraRejected, atelier.LoraInvalidArtifact, ""
		return tx.UpdateLora(&l, atelier.LoraReady)
	})
	newer := newFixtureOn(t, f.DB, func(s *settings) { s.Rules = 99 })
	if n, err := newer.e.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("a sweep has changed %d entries, %v", n, err)
	}
	if got := f.read(r.ID); got.Status != atelier.LoraRejected {
		t.Errorf("entry %+v", got)
	}
}
