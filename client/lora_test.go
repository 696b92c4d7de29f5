package client_test

import (
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
