package lora_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

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
