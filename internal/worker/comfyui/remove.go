package comfyui

import (
	"encoding/json"
	"os"
	"path"
	"regexp"
	"strings"
)

// ending is what ComfyUI writes behind the prefix of a file that it saves.
var ending = regexp.MustCompile(`^_[0-9]{1,9}_?\.[A-Za-z0-9]{1,8}$`)

// remove deletes the files that a prompt has saved, where the worker can: ComfyUI has no request
// for it. A file must be a regular one directly in the worker's own folder of the output
// directory, and its name must begin with the random token that the worker gave to this prompt:
// an answer of ComfyUI can name no other file. Failures are logged and change nothing.
func (i *instance) remove(rec *record, token string) {
	if i.output == "" || token == "" {
		return
	}
	root, err := os.OpenRoot(i.output)
	if err != nil {
		i.log.Debug("open the output directory of ComfyUI failed", "error", err)
		return
	}
	defer root.Close()
	if folder, err := root.Lstat(saved); err != nil || !folder.IsDir() {
		return // also a link to another directory
	}
	for _, f := range rec.files() {
		rest, isOurs := strings.CutPrefix(f.Name, token)
		if !isOurs || !ending.MatchString(rest) || f.Type != "output" || f.Subfolder != saved {
			continue
		}
		name := path.Join(saved, f.Name)
		if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := root.Remove(name); err != nil {
			i.log.Warn("remove a result of ComfyUI failed", "error", err)
		}
	}
}

// files are all files that the nodes of a prompt report.
func (r *record) files() (out []file) {
	for node := range r.Outputs {
		for _, list := range r.Outputs[node] {
			var items []json.RawMessage
			_ = json.Unmarshal(list, &items) // other members are no files
			for _, item := range items {
				var f file
				if json.Unmarshal(item, &f) == nil && f.Name != "" {
					out = append(out, f)
				}
			}
		}
	}
	return out
}
