package client_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store"
)

// A personal LoRA from its import to its removal.
func TestLoras(t *testing.T) {
	t.Parallel()
	sites := loratest.Serve(t)
	link := sites.AddHubFile("ann/fox", "fox.safetensors", loratest.LoRA{Family: "krea-2"}.File())
	bad := sites.AddHubFile("ann/hen", "hen.safetensors", []byte("not a LoRA, but of some length all the same"))
	s := ateliertest.Start(t, store.Options{}, func(c *config.Config) {
		c.Limits.LoraReadsPerMinute, c.Lora.Sources = 1_000_000, nil
		for _, site := range loratest.Sources(sites.URL) {
			c.Lora.Sources = append(c.Lora.Sources, config.LoraSource{Kind: site.Kind, Host: site.Host, BaseURL: site.BaseURL})
		}
	})
	open := func() *client.Client {
		return client.New(s.URL, s.Account(t, account.NewAccount{Tier: atelier.TierUnlimited}, billing.Credits{}).Key)
	}
	ann, bob := open(), open()
	lib, err := ann.Loras(t.Context())
	if err != nil || len(lib.Loras) != 0 || len(lib.Models) == 0 || lib.Limits.Entries != 20 || lib.Limits.FileBytes == nil || lib.Limits.PerGeneration != 8 {
		t.Fatalf("the library: %+v, %v", lib, err)
	}
	q := apitype.LoraImport{URL: link, Name: "Fox", ModelID: "krea2_turbo_fp8_scaled", RightsConfirmed: true}
	if _, err := ann.ImportLora(t.Context(), apitype.LoraImport{URL: link, Name: "Fox", ModelID: q.ModelID}); !client.Is(err, http.StatusBadRequest) {
		t.Errorf("without the right to use it: %v", err)
	}
	settle := func(q apitype.LoraImport, want atelier.LoraStatus) apitype.PersonalLora {
		t.Helper()
		l, err := ann.ImportLora(t.Context(), q)
		if err != nil || l.Status != atelier.LoraQueued || !l.ID.Valid() {
			t.Fatalf("the import: %+v, %v", l, err)
		}
		for l.Status.Importing() && err == nil && t.Context().Err() == nil {
			l, err = ann.Lora(t.Context(), l.ID)
		}
		if err != nil || l.Status != want {
			t.Fatalf("after the import: %+v, %v", l, err)
		}
		return l
	}
	fox := settle(q, atelier.LoraReady)
	if fox.Name != "Fox" || fox.Bytes == 0 || len(fox.ModelIDs) == 0 || !strings.HasPrefix(fox.Source, "https://huggingface.co/ann/fox/resolve/") || fox.CreatedAt == 0 {
		t.Errorf("the entry: %+v", fox)
	}
	q.URL = bad
	if hen := settle(q, atelier.LoraRejected); hen.FailureCode != atelier.LoraInvalidArtifact || hen.Reason == "" {
		t.Errorf("the rejected entry: %+v", hen)
	}
	if lib, err := ann.Loras(t.Context()); err != nil || len(lib.Loras) != 2 {
		t.Errorf("the library: %+v, %v", lib, err)
	}
	if _, err := bob.Lora(t.Context(), fox.ID); !client.Is(err, http.StatusNotFound) {
		t.Errorf("another account reads it: %v", err)
	}
	if err := bob.DeleteLora(t.Context(), fox.ID); !client.Is(err, http.StatusNotFound) {
		t.Errorf("another account removes it: %v", err)
	}
	upload(t, ann)
	if _, err := ann.Lora(t.Context(), "../catalog"); !client.Is(err, http.StatusBadRequest) {
		t.Errorf("an invalid id: %v", err)
	}
	if err := ann.DeleteLora(t.Context(), fox.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := ann.Lora(t.Context(), fox.ID); !client.Is(err, http.StatusNotFound) {
		t.Errorf("after its removal: %v", err)
	}
}

// upload uploads files with a length that is known and without one, and a bad one.
func upload(t *testing.T, c *client.Client) {
	t.Helper()
	u := apitype.LoraUpload{Name: "Hen", ModelID: "krea2_turbo_fp8_scaled", RightsConfirmed: true, FileName: "hen.safetensors"}
	file := loratest.LoRA{Family: "krea-2", Seed: 5}.File()
	hen, err := c.UploadLora(t.Context(), u, bytes.NewReader(file))
	if err != nil || hen.Status != atelier.LoraReady || hen.Source != "upload:hen.safetensors" || hen.Bytes != int64(len(file)) {
		t.Errorf("the upload: %+v, %v", hen, err)
	}
	if again, err := c.UploadLora(t.Context(), u, io.MultiReader(bytes.NewReader(file))); err != nil || again.ID != hen.ID {
		t.Errorf("the same file again: %+v, %v", again, err)
	}
	for what, file := range map[string]io.Reader{
		"another rank": bytes.NewReader(loratest.LoRA{Family: "krea-2", Rank: 200}.File()),
		"no file":      bytes.NewReader(nil),
		"no LoRA":      strings.NewReader("not a LoRA, but of some length all the same"),
	} {
		if l, err := c.UploadLora(t.Context(), u, file); !client.Is(err, http.StatusBadRequest) {
			t.Errorf("%s: %+v, %v", what, l, err)
		}
	}
	u.RightsConfirmed = false
	if _, err := c.UploadLora(t.Context(), u, bytes.NewReader(file)); !client.Is(err, http.StatusBadRequest) {
		t.Errorf("without the right to use it: %v", err)
	}
}
