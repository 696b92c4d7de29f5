package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// modelsPull fetches the files of models. It asks no service: the catalog is that of this program and
// of --catalog.
type modelsPull struct {
	Models   []text `arg:"" name:"model" help:"The models, by their ids."`
	ComfyUI  path   `name:"comfyui" help:"ComfyUI's folder, or its folder of models; by default the one here, or ComfyUI below it. Its extra_model_paths.yaml is read." placeholder:"DIR"`
	Catalog  path   `help:"Directory of catalog files, as the service has it." placeholder:"DIR"`
	Graphs   path   `help:"Directory of your own graphs for ComfyUI." placeholder:"DIR"`
	FromURL  text   `name:"from-url" help:"Read everything from this base URL, in the place of the sites: a mirror with the same paths. No token is sent to it." placeholder:"URL"`
	Parallel int    `help:"How many files are fetched at once." default:"3"`
	Verify   bool   `help:"Compare files that are there already with their SHA-256: it reads all of them."`
	DryRun   bool   `name:"dry-run" help:"Say what would be fetched, and fetch nothing."`
	Yes      bool   `help:"Fetch without asking."`
	JSON     bool   `help:"Print JSON." name:"json"`
}

// Validate refuses a wrong command line.
func (p *modelsPull) Validate() error {
	if p.Parallel < 1 || p.Parallel > 16 {
		return errors.New("--parallel: must be between 1 and 16")
	}
	return nil
}

// The states of a file.
const (
	filePresent = "present" // it is there, under a name that the graphs accept
	fileMissing = "missing" // it can be fetched
	fileFetched = "fetched"
	fileFailed  = "failed"
	fileUnknown = "unknown" // it is not there, and the catalog has no address of it
)

// pulledFile is a file that the models need.
type pulledFile struct {
	Folder     string   `json:"folder"`
	Name       string   `json:"name"`
	State      string   `json:"state"`
	Path       string   `json:"path,omitempty"`
	URL        string   `json:"url,omitempty"`
	Bytes      int64    `json:"bytes,omitempty"`
	SHA256     string   `json:"sha256,omitempty"`
	VerifiedBy string   `json:"verifiedBy,omitempty"` // who says the checksum
	Problem    string   `json:"problem,omitempty"`
	Models     []string `json:"models"`

	dir    string // where it is written
	source modeldir.File
	facts  modeldir.Facts
	own    bool // the file that is there has the name that the catalog has
}

// Run fetches what is missing.
func (p *modelsPull) Run(ctx context.Context, t terminal) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	pull, err := p.plan()
	if err != nil {
		return err
	}
	if p.Verify {
		pull.verify(ctx, newBar(t.err))
	}
	if err := pull.ask(ctx); err != nil {
		return pull.explain(ctx, err)
	}
	if err := pull.checkSpace(); err != nil {
		return err
	}
	if !p.JSON {
		pull.print(t)
	}
	if len(pull.in(fileMissing)) > 0 && !p.DryRun {
		if !p.Yes && !p.agreed(ctx, t, pull) {
			return errors.New("nothing was fetched: --yes fetches without asking")
		}
		pull.fetch(ctx, newBar(t.err))
	}
	if p.JSON {
		if err := printJSON(t.out, pull.report()); err != nil {
			return err
		}
	}
	return pull.result(ctx, t, p)
}

// agreed asks, where a user can answer.
func (p *modelsPull) agreed(ctx context.Context, t terminal, pull *pull) bool {
	if !isTerminal(t.in) {
		return false
	}
	fmt.Fprintf(t.err, "Fetch %s into %s? [y/N] ", size(pull.toFetch()), pull.folders.Models())
	line, err := (&lineReader{in: t.in}).read(ctx)
	return err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
}

// pull is what one command has to do.
type pull struct {
	folders  *modeldir.Folders
	fetcher  *modeldir.Fetcher
	files    []*pulledFile
	parallel int
}

// plan finds out what the models need and what is there.
func (p *modelsPull) plan() (*pull, error) {
	known, err := catalog.Load(string(p.Catalog))
	if err != nil {
		return nil, fmt.Errorf("--catalog: %w", err)
	}
	library, err := comfyui.LoadLibrary(string(p.Graphs))
	if err != nil {
		return nil, fmt.Errorf("--graphs: %w", err)
	}
	out := &pull{parallel: p.Parallel}
	if out.folders, err = p.open(); err != nil {
		return nil, err
	}
	for _, name := range p.Models {
		m, ok := known.Model(string(name))
		if !ok {
			var ids []string
			for _, m := range known.Models() {
				ids = append(ids, m.ID)
			}
			return nil, fmt.Errorf("there is no model %q in the catalog%s", name, atelier.DidYouMean(string(name), ids))
		}
		needs, err := library.Needs(known, m)
		if err != nil {
			return nil, err
		}
		for _, n := range needs {
			out.need(m.ID, n)
		}
	}
	return out, out.connect(modeldir.Options{Mirror: string(p.FromURL), Tokens: siteTokens()})
}

// open finds the ComfyUI.
func (p *modelsPull) open() (*modeldir.Folders, error) {
	if p.ComfyUI != "" {
		f, err := modeldir.Open(string(p.ComfyUI))
		if err != nil {
			return nil, fmt.Errorf("--comfyui: %w", err)
		}
		return f, nil
	}
	for _, dir := range []string{".", "ComfyUI"} {
		if f, err := modeldir.Open(dir); err == nil {
			return f, nil
		}
	}
	return nil, exitError{errors.New("--comfyui: must name the folder of a ComfyUI: this directory is not one"), 2}
}

// siteTokens reads the tokens of the sites from the environment.
func siteTokens() map[string]string {
	tokens := map[string]string{}
	for host, name := range modeldir.TokenNames() {
		if token := strings.TrimSpace(os.Getenv(name)); token != "" {
			tokens[host] = token
		}
	}
	return tokens
}

// need adds a file, unless another model needs it too, and looks whether it is there.
func (p *pull) need(model string, n modeldir.Need) {
	if i := slices.IndexFunc(p.files, func(o *pulledFile) bool { return o.Folder == n.Folder && o.Name == n.Name }); i >= 0 {
		p.files[i].Models = append(p.files[i].Models, model)
		return
	}
	f := &pulledFile{Folder: n.Folder, Name: n.Name, URL: n.URL, Problem: n.Unknown, source: n.File, Models: []string{model}, dir: p.folders.Target(n.Folder)}
	found, ok := p.folders.Has(n)
	switch {
	case ok:
		f.State, f.Path, f.Problem = filePresent, found, ""
		f.own = strings.EqualFold(filepath.Base(found), f.Name)
		if info, err := os.Stat(f.Path); err == nil {
			f.Bytes = info.Size()
		}
	case f.URL == "":
		f.State = fileUnknown
	default:
		f.State = fileMissing
	}
	p.files = append(p.files, f)
}

func (p *pull) connect(o modeldir.Options) (err error) {
	var sources []modeldir.File
	for _, f := range p.in(fileMissing) {
		sources = append(sources, f.source)
	}
	if p.fetcher, err = modeldir.New(o, sources); err != nil {
		return fmt.Errorf("--from-url: %w", err)
	}
	return nil
}

// in lists the files in a state.
func (p *pull) in(state string) (out []*pulledFile) {
	for _, f := range p.files {
		if f.State == state {
			out = append(out, f)
		}
	}
	return out
}

// each does something for files, several at once.
func (p *pull) each(files []*pulledFile, do func(*pulledFile)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, p.parallel)
	for _, f := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			do(f)
		})
	}
	wg.Wait()
}

// ask asks the sites for sizes and checksums that the catalog does not have.
func (p *pull) ask(ctx context.Context) error {
	var mu sync.Mutex
	var errs []error
	p.each(p.in(fileMissing), func(f *pulledFile) {
		facts, err := p.fetcher.Facts(ctx, f.source)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			errs = append(errs, err)
			return
		}
		f.facts, f.Bytes, f.SHA256 = facts, max(facts.Bytes, 0), facts.SHA256
	})
	return errors.Join(errs...)
}

// left is how much of a file is still to come.
func (f *pulledFile) left() int64 { return max(f.Bytes-modeldir.Arrived(f.dir, f.source), 0) }

func (p *pull) toFetch() (n int64) {
	for _, f := range p.in(fileMissing) {
		n += f.left()
	}
	return n
}

func (p *pull) checkSpace() error {
	bytes := map[string]int64{}
	for _, f := range p.in(fileMissing) {
		bytes[f.dir] += f.left()
	}
	return p.fetcher.CheckSpace(bytes)
}
