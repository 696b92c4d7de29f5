package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDocumentsAreUpToDate(t *testing.T) {
	t.Parallel()
	for name, write := range documents {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Errorf("%v: run make generate", err)
			continue
		}
		if string(text) != write() {
			t.Errorf("docs/%s is out of date: run make generate", name)
		}
	}
}
