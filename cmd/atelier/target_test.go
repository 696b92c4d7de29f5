//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A link to nothing is refused before anything is paid for, and stays as it is.
func TestTargetBehindADanglingLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link.png")
	if err := os.Symlink("real.png", link); err != nil {
		t.Fatal(err)
	}
	if _, err := newTarget(link, "image", []string{"png"}); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || entries[0].Name() != "link.png" {
		t.Errorf("left behind %v, %v", entries, err)
	}
}

// A save to a pipe without a reader can be interrupted.
func TestSaveToAPipeCanBeInterrupted(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe.png")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	to, err := newTarget(pipe, "image", []string{"png"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := to.saveUntil(ctx, strings.NewReader("picture"), io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // unblocks the save
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
}
