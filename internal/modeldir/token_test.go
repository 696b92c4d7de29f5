package modeldir

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// A token goes to the host that it is for, and to no other: not to the storage that this one
// redirects to, not to a mirror, and not in clear.
func TestToken(t *testing.T) {
	t.Parallel()
	sites := loratest.NewSites()
	sites.Storage = "http://storage.test"
	sent := map[string]string{} // by host
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := r.Header.Get("Authorization"); token != "" {
			sent[r.Host] = token
		}
		sites.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	sites.AddRepo(loratest.Repo{Name: "ann/gated", Gated: "manual", Token: "hf_secret", Files: map[string][]byte{"a.safetensors": []byte("weights")}})
	file := File{Folder: "vae", Name: "a.safetensors", URL: "http://huggingface.co/ann/gated/resolve/main/a.safetensors"}
	storage := File{Folder: "vae", Name: "b.safetensors", URL: "http://storage.test/b"}
	opts := Options{
		Tokens: map[string]string{"huggingface.co": "hf_secret"}, Tries: 1,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	f, err := New(opts, []File{file, storage})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Facts(t.Context(), file)
	if err == nil || !strings.Contains(err.Error(), "set HF_TOKEN") || strings.Contains(err.Error(), "secret") || len(sent) > 0 {
		t.Fatalf("in clear: %v; sent to %v", err, sent)
	}
	f.clear = true
	facts, err := f.Facts(t.Context(), file)
	if err != nil || facts.Bytes != 7 || facts.SaidBy != "huggingface.co" {
		t.Fatalf("facts = %+v, %v", facts, err)
	}
	if _, err := f.Download(t.Context(), t.TempDir(), file, facts, nil); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 1 || sent["huggingface.co"] != "Bearer hf_secret" {
		t.Errorf("the token was sent to %v", sent)
	}
	opts.Mirror = "http://mirror.test/hub"
	f, err = New(opts, []File{file})
	if err != nil {
		t.Fatal(err)
	}
	f.clear = true
	if _, err = f.Facts(t.Context(), file); err == nil || sent["mirror.test"] != "" {
		t.Errorf("a mirror: %v; sent to %v", err, sent)
	}
}
