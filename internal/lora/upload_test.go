package lora_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
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

// counted is how many imports of today and yesterday are counted: a test may run, or move its clock, across midnight.
func (f *fixture) counted() (n int) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) error {
		n = 0
		for _, day := range []time.Time{f.Now(), f.Now().AddDate(0, 0, -1)} {
			imports, err := tx.ImportsOn(ann, day.UTC().Format(time.DateOnly))
			if err != nil {
				return err
			}
			n += imports
		}
		return nil
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

// A file whose sender names no model is for the one that its header tells.
func TestUploadWithoutAModel(t *testing.T) {
	t.Parallel()
	f := newUploads(t, storetest.SQLite(t))
	send := func(file []byte, size int64) (apitype.PersonalLora, error) {
		n := upload(size)
		n.ModelID = ""
		l, _, err := f.e.Upload(t.Context(), ann, n, bytes.NewReader(file))
		return l, err
	}
	good := loratest.LoRA{Family: "h3"}.File()
	size := int64(len(good))
	foreign := bytes.Replace(good, []byte("diffusion_model.blocks."), []byte("diffusion_model.cranks."), 1)
	long := loratest.LoRA{Family: "h3", Metadata: map[string]string{"notes": strings.Repeat("x", 1<<20)}}.File()
	for what, c := range map[string]struct {
		file  []byte
		bytes int64
		field string
	}{
		"of an unknown length":   {good, -1, "modelId"},
		"with a large header":    {long, int64(len(long)), "modelId"},
		"for no model":           {foreign, size, "file"},
		"without any weights":    {loratest.Encode(nil, nil, 0), int64(len(loratest.Encode(nil, nil, 0))), "file"},
		"that is cut":            {good[:100], size, "file"},
		"with a rank too high":   {loratest.LoRA{Family: "h3", Rank: 200}.File(), int64(len(loratest.LoRA{Family: "h3", Rank: 200}.File())), "file"},
		"that is no LoRA at all": {[]byte("a picture"), 9, "file"},
	} {
		_, err := send(c.file, c.bytes)
		var refused *atelier.Error
		if !errors.As(err, &refused) || refused.Field != c.field {
			t.Errorf("a file %s: %v, want %s to be named", what, err, c.field)
		}
	}
	f.isEmpty()
	if l, err := send(good, size); err != nil || !strings.HasPrefix(l.ModelID, "minimax-h3-") || l.Status != atelier.LoraReady {
		t.Errorf("upload: %+v, %v", l, err)
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
