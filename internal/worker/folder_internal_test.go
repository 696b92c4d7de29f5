package worker

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFoldersOfKilledWorkersAreRemoved(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	for name, age := range map[string]time.Duration{
		"atelier-render-old": 25 * time.Hour, "atelier-render-new": 23 * time.Hour, "other": 25 * time.Hour,
	} {
		folder := filepath.Join(dir, name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "input.png"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(folder, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if n := removeAbandoned(dir, now); n != 1 {
		t.Errorf("removed %d folders, want 1", n)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "input.png"))
	if err != nil || len(left) != 2 {
		t.Errorf("left: %q, %v", left, err)
	}
}
