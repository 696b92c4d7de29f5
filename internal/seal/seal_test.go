package seal_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/seal"
)

// A key opens in its own row and with a secret of the installation, and nowhere else.
func TestSeal(t *testing.T) {
	t.Parallel()
	make := func(secrets ...string) seal.Sealer {
		s, err := seal.New("API keys", secrets)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old, both, other := make("the old secret of ours"), make("a new secret of ours", "the old secret of ours"), make("someone else's secret")
	sealed, err := old.Seal("llm", "c1", "sk-secret")
	if err != nil || strings.Contains(sealed, "secret") {
		t.Fatalf("sealed %q, %v", sealed, err)
	}
	again, _ := old.Seal("llm", "c1", "sk-secret")
	if again == sealed {
		t.Error("the same key is sealed to the same text twice")
	}
	for name, c := range map[string]struct {
		by               seal.Sealer
		kind, id, sealed string
		want             string
	}{
		"as it was sealed":           {old, "llm", "c1", sealed, "sk-secret"},
		"after the secret changed":   {both, "llm", "c1", sealed, "sk-secret"},
		"with another secret":        {other, "llm", "c1", sealed, ""},
		"without a secret":           {nil, "llm", "c1", sealed, ""},
		"in another row":             {old, "llm", "c2", sealed, ""},
		"in a row of another kind":   {old, "vendor", "c1", sealed, ""},
		"with its end cut off":       {old, "llm", "c1", sealed[:len(sealed)-4], ""},
		"as text that is not base64": {old, "llm", "c1", "!", ""},
		"too short":                  {old, "llm", "c1", base64.StdEncoding.EncodeToString([]byte("x")), ""},
	} {
		got, err := c.by.Open(c.kind, c.id, c.sealed)
		if got != c.want || c.want == "" && !errors.Is(err, seal.ErrUnreadable) || c.want != "" && err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
	if renewed, err := both.Seal("llm", "c1", "k"); err != nil {
		t.Error(err)
	} else if _, err := old.Open("llm", "c1", renewed); !errors.Is(err, seal.ErrUnreadable) {
		t.Errorf("the first secret does not seal: %v", err)
	}
	if sealed, err := old.Seal("llm", "c1", ""); sealed != "" || err != nil {
		t.Errorf("no key is sealed to %q, %v", sealed, err)
	}
	if _, err := seal.Sealer(nil).Seal("llm", "c1", "k"); !errors.Is(err, seal.ErrNoSecret) {
		t.Errorf("without a secret: got %v", err)
	}
	if again, changed, err := both.Reseal("llm", "c1", sealed); err != nil || !changed {
		t.Errorf("resealed: %v, %v", changed, err)
	} else if _, changed, _ := both.Reseal("llm", "c1", again); changed {
		t.Error("it is resealed twice")
	}
}
