package comfyui

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/lora/weights"
)

// renamed reads the header of a LoRA and gives its weights the names that ComfyUI knows:
// it skips others, and its API reports success all the same. The file is then at the first
// weight. The header is nil when nothing has to change, or the file is not one that can be
// judged here.
func renamed(f *os.File) (*safetensors.Header, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	h, err := safetensors.Read(f, info.Size())
	var invalid *safetensors.Error
	switch {
	case errors.As(err, &invalid):
		return nil, nil
	case err != nil:
		return nil, err
	case !weights.RenameForComfyUI(h):
		return nil, nil
	}
	return h, nil
}

// isMisnamed reports whether a LoRA has names that ComfyUI does not know.
func isMisnamed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h, err := renamed(f)
	return err == nil && h != nil
}

// rename writes a LoRA again when it has names that ComfyUI does not know. It returns the
// digest of the new file, or an empty one when the file stays as it is.
func rename(path string) (digest string, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	h, err := renamed(in)
	if err != nil || h == nil {
		return "", err
	}
	head, err := h.Encode()
	if err != nil {
		return "", err
	}
	to := path + partSuffix
	defer os.Remove(to)
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	w := io.MultiWriter(out, sum)
	_, err = w.Write(head)
	if err == nil {
		_, err = io.Copy(w, in)
	}
	if err := errors.Join(err, out.Close(), in.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), os.Rename(to, path)
}
