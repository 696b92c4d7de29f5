package comfyui

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/worker"
)

// loraCache holds the LoRA files of jobs, named by their digests. Their weights have the
// names that ComfyUI knows. Files that no job has used for long are removed, and when it is
// full, the least recently used ones, except those in use.
type loraCache struct {
	dir   string        // where files are kept
	reads string        // a folder that ComfyUI reads LoRAs from
	bound int64         // of all files together
	limit int64         // of one
	age   time.Duration // how long an unused file is kept
	open  func(ctx context.Context, url string) (io.ReadCloser, string, error)

	mu       sync.Mutex
	held     map[string]int           // by digest, jobs that use it
	verified map[string]bool          // by digest, files whose content this process has checked
	fetches  map[string]chan struct{} // by key, closed when the fetch is over
}

// loraFile is a LoRA that ComfyUI can load.
type loraFile struct {
	digest string
	base   string // name of the file that ComfyUI sees
}

// loraPrefix begins the names of the files in the folder of ComfyUI.
const loraPrefix = "atelier-"

// hold downloads a LoRA unless it is cached, and puts it where ComfyUI reads. The
// returned function releases it.
func (c *loraCache) hold(ctx context.Context, l apitype.AssignmentLora) (loraFile, func(), error) {
	switch {
	case l.URL == "": // a public LoRA that the operator has installed under its id
		return loraFile{base: l.ID + ".safetensors"}, func() {}, nil
	case c.reads == "":
		return loraFile{}, nil, worker.Failf("This worker cannot load LoRAs: start it with --lora-dir, a directory from which ComfyUI reads LoRAs.")
	}
	if l.SHA256 != "" && !isDigest(l.SHA256) {
		return loraFile{}, nil, worker.Failf("The service sent %.80q as the SHA-256 of the LoRA %s: it must have 64 lower-case hexadecimal digits.", l.SHA256, l.ID)
	}
	key := loraKey(l)
	for {
		c.mu.Lock()
		digest := c.digest(l, key)
		if c.verified[digest] {
			c.held[digest]++
			c.mu.Unlock()
			release := func() { c.release(digest) }
			f, err := c.deliver(digest)
			if err != nil {
				release()
				return loraFile{}, nil, err
			}
			return f, release, nil
		}
		wait, under := c.fetches[key]
		if !under {
			wait = make(chan struct{})
			c.fetches[key] = wait
		}
		c.mu.Unlock()
		if under { // another job is fetching it
			select {
			case <-wait:
				continue
			case <-ctx.Done():
				return loraFile{}, nil, ctx.Err()
			}
		}
		var err error
		if digest == "" || !c.verify(digest) {
			err = c.fetch(ctx, l, key)
		}
		c.mu.Lock()
		delete(c.fetches, key)
		c.mu.Unlock()
		close(wait)
		if err != nil {
			return loraFile{}, nil, err
		}
	}
}

// loraKey is the key of a LoRA in the cache: its digest, so that a file that several
// LoRAs share is fetched once. Where the service does not know the digest, the key is
// made from the id and the address, without its query: that is a signature, which
// changes. A file beside the LoRA says which digest a key has, where it is another one.
func loraKey(l apitype.AssignmentLora) string {
	if l.SHA256 != "" {
		return l.SHA256
	}
	address, _, _ := strings.Cut(l.URL, "?")
	sum := sha256.Sum256([]byte(l.ID + "\n" + address))
	return hex.EncodeToString(sum[:])
}

// isDigest reports whether a text is a SHA-256, as files are named after.
func isDigest(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}

func (c *loraCache) key(key string) string     { return filepath.Join(c.dir, key+".key") }
func (c *loraCache) path(digest string) string { return filepath.Join(c.dir, digest+".safetensors") }
func (c *loraCache) place(digest string) string {
	return filepath.Join(c.reads, loraPrefix+digest+".safetensors")
}

// digest is that of a cached LoRA, or empty. The renamed file comes first: the original may
// be one of an earlier version that could not be removed.
func (c *loraCache) digest(l apitype.AssignmentLora, key string) string {
	digest, err := os.ReadFile(c.key(key))
	switch {
	case err == nil && isDigest(string(digest)) && exists(c.path(string(digest))):
		return string(digest)
	case l.SHA256 != "" && exists(c.path(l.SHA256)):
		return l.SHA256
	}
	return ""
}

// verify compares a file of the cache with its digest: it was written by an earlier
// process, which may have been killed, or did not rename weights. Such a file is removed.
func (c *loraCache) verify(digest string) bool {
	found, err := fileDigest(c.path(digest))
	isGood := err == nil && found == digest && !isMisnamed(c.path(digest))
	c.mu.Lock()
	defer c.mu.Unlock()
	if isGood {
		c.verified[digest] = true
		return true
	}
	c.remove(digest)
	return false
}

// fileDigest is the SHA-256 of a file.
func fileDigest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// fetch downloads a LoRA into the cache.
func (c *loraCache) fetch(ctx context.Context, l apitype.AssignmentLora, key string) error {
	whole, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	body, _, err := c.open(whole, l.URL)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return worker.Failf("The LoRA %s could not be fetched: %v.", l.ID, err)
	}
	defer body.Close()
	part := filepath.Join(c.dir, mint.UUID()+partSuffix) // another process may be fetching the same file
	defer os.Remove(part)
	sum := sha256.New()
	n, err := save(part, io.TeeReader(body, sum), c.limit, stop)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case n > c.limit:
		return worker.Failf("The LoRA %s is larger than %d bytes.", l.ID, c.limit)
	case err != nil:
		return worker.Failf("The LoRA %s could not be fetched: %v.", l.ID, err)
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	if l.SHA256 != "" && digest != l.SHA256 { // the download was at fault, not the LoRA
		return worker.Failf("The LoRA %s could not be fetched: its SHA-256 is %s, not %s.", l.ID, digest, l.SHA256)
	}
	if err := checkSafetensors(part, n); err != nil {
		return &worker.Failure{Code: atelier.FailLoraMismatch, Message: fmt.Sprintf("The LoRA %s %v.", l.ID, err)}
	}
	if err := c.store(part, n, digest, key); err != nil { // another worker may have space for it
		return dropped("The LoRA %s could not be stored: %v.", l.ID, err)
	}
	return nil
}

// store takes a file of some size into the cache, with the names that ComfyUI knows.
func (c *loraCache) store(part string, size int64, digest, key string) error {
	other, err := rename(part)
	if err != nil {
		return err
	}
	digest = cmp.Or(other, digest)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(size)
	if err := os.Rename(part, c.path(digest)); err != nil {
		return err
	}
	c.verified[digest] = true
	if digest == key {
		return nil
	}
	return os.WriteFile(c.key(key), []byte(digest), 0o644)
}

// checkSafetensors refuses a file that does not begin like a safetensors file: with
// a length, and JSON of that length.
func checkSafetensors(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 9)
	if _, err := io.ReadFull(f, head); err != nil {
		return errors.New("is not a safetensors file")
	}
	if n := binary.LittleEndian.Uint64(head); n < 2 || n > uint64(size-8) || head[8] != '{' {
		return errors.New("is not a safetensors file")
	}
	return nil
}

// deliver puts a file into ComfyUI's folder: as a hard link where possible, else as
// a copy.
func (c *loraCache) deliver(digest string) (loraFile, error) {
	now := time.Now()
	_ = os.Chtimes(c.path(digest), now, now) // an error affects only the order of eviction
	to := c.place(digest)
	f := loraFile{digest, filepath.Base(to)}
	have, err := os.Stat(c.path(digest))
	if err != nil {
		return f, err
	}
	if there, err := os.Stat(to); err == nil {
		if there.Size() == have.Size() {
			_ = os.Chtimes(to, now, now) // of a copy: a process with another cache takes an old one for a leftover
			return f, nil
		}
		os.Remove(to) // a copy that a crash cut short
	}
	err = os.Link(c.path(digest), to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return f, nil
	}
	if err := copyFile(c.path(digest), to); err != nil {
		return f, worker.Failf("The LoRA could not be put into the directory of --lora-dir: %v.", err)
	}
	return f, nil
}

// copyFile copies under another name first, so that ComfyUI sees complete files
// only.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), ".atelier-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close(), os.Chmod(out.Name(), 0o644)); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

func (c *loraCache) release(digest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[digest]--; c.held[digest] <= 0 {
		delete(c.held, digest)
	}
}
