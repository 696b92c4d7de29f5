package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Result is what was measured of one commit on one machine.
type Result struct {
	Date    string  `json:"date"` // of the first part, in UTC
	Commit  string  `json:"commit"`
	Machine Machine `json:"machine"`
	Parts   []Part  `json:"parts"`
}

// Part is a part of the report.
type Part struct {
	Name         string        `json:"name"`
	Title        string        `json:"title"`
	Turn         string        `json:"turn"` // how long one turn lasted
	Load         float64       `json:"load"` // of the machine before the part began, as its load average says
	Measurements []Measurement `json:"measurements"`
	LeftOut      []string      `json:"leftOut,omitempty"` // and why
}

// Name is the name of the file that a result is stored in.
func (r Result) Name() string {
	date, _, _ := strings.Cut(r.Date, "T")
	return date + "-" + r.Commit + ".json"
}

// NewResult is a result without parts, of now and this machine.
func NewResult(commit string) Result {
	return Result{Date: time.Now().UTC().Format(time.RFC3339), Commit: commit, Machine: ThisMachine()}
}

// Add puts a part into the result, in place of an older one of its name.
func (r *Result) Add(p Part) {
	if i := slices.IndexFunc(r.Parts, func(old Part) bool { return old.Name == p.Name }); i >= 0 {
		r.Parts[i] = p
		return
	}
	r.Parts = append(r.Parts, p)
}

// Part finds a part.
func (r Result) Part(name string) (Part, bool) {
	i := slices.IndexFunc(r.Parts, func(p Part) bool { return p.Name == name })
	if i < 0 {
		return Part{}, false
	}
	return r.Parts[i], true
}

// Read reads a stored result.
func Read(file string) (r Result, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Store writes the result into a directory. What the file of the same commit and day has from the same machine stays,
// but for the parts that were measured again.
func (r Result) Store(dir string) (file string, err error) {
	file = filepath.Join(dir, r.Name())
	if old, err := Read(file); err == nil && old.Machine == r.Machine {
		for _, p := range r.Parts {
			old.Add(p)
		}
		r = old
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return file, os.WriteFile(file, append(text, '\n'), 0o644)
}

// Last finds the newest result of a directory that was stored before r and comes from the same machine.
func (r Result) Last(dir string) (file string, last Result, found bool) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, f := range files {
		old, err := Read(f)
		if err != nil || old.Machine.Other(r.Machine) || filepath.Base(f) == r.Name() || old.Date < last.Date || old.Date > r.Date {
			continue
		}
		file, last, found = f, old, true
	}
	return file, last, found
}
