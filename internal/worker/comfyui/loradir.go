package comfyui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// prepare makes the directories of the cache. Of the directory that ComfyUI reads only
// the last element is made: when its parent does not exist either, the path is wrong.
func (c *loraCache) prepare() error {
	if c.reads == "" {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return fmt.Errorf("--lora-cache: %w", err)
	}
	if parent := filepath.Dir(c.reads); !isDir(parent) {
		return fmt.Errorf("--lora-dir: there is no directory %s: name one from which ComfyUI reads LoRAs, such as ComfyUI/models/loras, or a new one in it", parent)
	}
	if err := os.Mkdir(c.reads, 0o755); err != nil && !isDir(c.reads) {
		return fmt.Errorf("--lora-dir: %w", err)
	}
	for flag, dir := range map[string]string{"--lora-cache": c.dir, "--lora-dir": c.reads} {
		f, err := os.CreateTemp(dir, ".atelier-*")
		if err != nil {
			return fmt.Errorf("%s: the worker must be able to write there: %w", flag, err)
		}
		f.Close()
		os.Remove(f.Name())
	}
	c.cleanUp()
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// partSuffix ends the names of files that are being fetched.
const partSuffix = ".part"

// leftoverAge is how old a file must be to be what a killed process has left behind:
// another process may be writing or using a newer one.
const leftoverAge = time.Hour

// cleanUp removes what no job will use: files that have not been used for long, and
// what processes that were killed have left behind.
func (c *loraCache) cleanUp() {
	if c.reads == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evict(0)
	for _, f := range list(c.dir, partSuffix) {
		if time.Since(f.used) > leftoverAge {
			os.Remove(filepath.Join(c.dir, f.name+partSuffix))
		}
	}
	for _, f := range list(c.dir, ".key") {
		if digest, err := os.ReadFile(c.key(f.name)); err == nil && !exists(c.path(string(digest))) {
			os.Remove(c.key(f.name))
		}
	}
	for _, f := range list(c.reads, ".safetensors") {
		digest, ok := strings.CutPrefix(f.name, loraPrefix)
		if ok && isDigest(digest) && !exists(c.path(digest)) && time.Since(f.used) > leftoverAge {
			os.Remove(c.place(digest))
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// evict removes files that have not been used for long, and others to make space for
// one of the given size: the least recently used first, but none that a job uses.
func (c *loraCache) evict(needed int64) {
	files := list(c.dir, ".safetensors")
	total := needed
	for _, f := range files {
		total += f.size
	}
	slices.SortFunc(files, func(a, b cachedFile) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if c.held[f.name] > 0 || total <= c.bound && time.Since(f.used) <= c.age {
			continue
		}
		if c.remove(f.name) {
			total -= f.size
		}
	}
}

// remove removes a LoRA from both directories.
func (c *loraCache) remove(digest string) bool {
	delete(c.verified, digest)
	os.Remove(c.place(digest))
	return os.Remove(c.path(digest)) == nil
}

// cachedFile is a file of a directory, without the suffix of its name.
type cachedFile struct {
	name string
	size int64
	used time.Time
}

// list lists the files of a directory whose names end with a suffix. An unreadable
// directory is an empty one.
func list(dir, suffix string) (out []cachedFile) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		if info, err := e.Info(); ok && err == nil {
			out = append(out, cachedFile{name, info.Size(), info.ModTime()})
		}
	}
	return out
}
