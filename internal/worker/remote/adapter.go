package remote

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/yamldoc"
)

//go:embed adapters/*.yaml
var embedded embed.FS

// Adapter is the protocol of a vendor that queues renders. It is a YAML file.
type Adapter struct {
	About string `yaml:"about"` // for people
	// Tools are the tools that it serves; all by default.
	Tools []string `yaml:"tools"`
	// Media is how the vendor gets the files of a job: data, as data URLs inside
	// the request, or url, as addresses of this service that the vendor can reach.
	Media     string            `yaml:"media"`
	PollEvery time.Duration     `yaml:"poll_every"`
	Headers   map[string]string `yaml:"headers"`
	// IdempotencyHeader is the header by which the vendor recognises a repeated
	// request; empty when it does not.
	IdempotencyHeader string              `yaml:"idempotency_header"`
	Slots             map[string]slotRule `yaml:"slots"`

	Submit exchange  `yaml:"submit"`
	Poll   exchange  `yaml:"poll"`
	Fetch  *exchange `yaml:"fetch"`  // where results are not in the answer of a poll
	Cancel *exchange `yaml:"cancel"` // where renders can be cancelled

	Statuses map[string]string `yaml:"statuses"` // the vendor's status to ours
	Errors   errorPaths        `yaml:"errors"`
	// Filtered are parts of error codes and messages that mean moderation.
	Filtered []string `yaml:"filtered"`
	// Busy are the HTTP statuses of a submit that was not accepted and may be
	// retried. Refused are those of one that was rejected for good.
	Busy    []int `yaml:"busy"`
	Refused []int `yaml:"refused"`

	name string
	used map[string]bool // slots of the submit
}

// exchange is a request and what to read from its answer.
type exchange struct {
	Method  string            `yaml:"method"`
	Path    string            `yaml:"path"` // behind the base URL
	Headers map[string]string `yaml:"headers"`
	Body    any               `yaml:"body"`

	ID         path    `yaml:"id"`          // submit: what the vendor calls the render
	Status     path    `yaml:"status"`      // poll
	Progress   path    `yaml:"progress"`    // poll
	ProgressOf float64 `yaml:"progress_of"` // the value of progress at its end; 1 by default
	Results    []path  `yaml:"results"`     // poll or fetch: addresses of the results; the first path that exists
	LastFrame  path    `yaml:"last_frame"`  // poll or fetch
	File       bool    `yaml:"file"`        // fetch: the answer is the file itself

	path    text
	headers map[string]text
	body    *shape
}

// slotRule converts a value for a request.
type slotRule struct {
	Values  map[string]any `yaml:"values"`  // other names for values; null leaves it out
	Default any            `yaml:"default"` // when the job has none
	Round   string         `yaml:"round"`   // a number: up, down or nearest
	Text    bool           `yaml:"text"`    // a number or a yes or no becomes text
}

// errorPaths lead to the vendor's description of a failure.
type errorPaths struct {
	Message []path `yaml:"message"`
	Code    []path `yaml:"code"`
}

// Our statuses of a render.
const (
	running   = "running"
	succeeded = "succeeded"
	failed    = "failed"
	filtered  = "filtered"
	cancelled = "cancelled"
)

// maxAdapter is the largest adapter file.
const maxAdapter = 1 << 20

// LoadAdapter reads an adapter: one of the program's own by its name, or else a
// file. The error names the file and the part of it that is wrong.
func LoadAdapter(name string) (*Adapter, error) {
	if !strings.ContainsAny(name, `/\.`) {
		data, err := embedded.ReadFile("adapters/" + name + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("there is no adapter %q; there are %s, or name a file that ends in .yaml", name, strings.Join(Adapters(), ", "))
		}
		return ParseAdapter(name, data)
	}
	info, err := os.Stat(name)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxAdapter {
		return nil, fmt.Errorf("%s: is not a file of at most %d bytes", name, maxAdapter)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return ParseAdapter(name, data)
}

// Adapters are the names of the program's own.
func Adapters() (names []string) {
	entries, _ := embedded.ReadDir("adapters") // embedded: it cannot fail
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// ParseAdapter reads an adapter. The name is for messages.
func ParseAdapter(name string, data []byte) (*Adapter, error) {
	a := &Adapter{name: name, Media: "data", PollEvery: 5 * time.Second, used: map[string]bool{}}
	if err := yamldoc.Decode(name, data, a); err != nil {
		return nil, err
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// serves reports whether an adapter supports a tool.
func (a *Adapter) serves(tool string) bool {
	return len(a.Tools) == 0 || slices.Contains(a.Tools, tool)
}

// Keyed reports whether an adapter itself sends the key.
func (a *Adapter) Keyed() bool {
	if a == nil {
		return false
	}
	for _, e := range []*exchange{&a.Submit, &a.Poll, a.Fetch, a.Cancel} {
		if e == nil {
			continue
		}
		for _, t := range e.headers {
			if slices.ContainsFunc(t, func(p piece) bool { return p.slot == "key" }) {
				return true
			}
		}
	}
	return false
}
