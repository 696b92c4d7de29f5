package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/graphimport"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// graphCommand groups the commands about graphs of ComfyUI.
type graphCommand struct {
	Import graphImport `cmd:"" help:"Make a model of a workflow that ComfyUI has saved: its graph, a mapping and a catalog entry."`
}

// graphImport makes a model of a workflow.
type graphImport struct {
	Workflow path              `arg:"" help:"The file that ComfyUI saved, from Save or Export (API)." name:"workflow"`
	Name     text              `help:"Id of the model, and name of the files. Default: from the name of the workflow." placeholder:"NAME"`
	Title    text              `help:"Name of the model for people. Default: from its id." placeholder:"TITLE"`
	Tool     *string           `help:"The tool that it is for: ${enum}. Default: guessed." enum:"generate_image,edit_image,apply_style,restore_photo,refine_result,upscale_image,remove_background,generate_video,animate_photo,sound_to_video,video_to_video,upscale_video,generate_music,generate_speech,image_to_3d" placeholder:"TOOL"`
	Set      map[string]string `help:"Where an argument goes, such as prompt=6.text; several inputs stand between commas, and - means nowhere. May be repeated." placeholder:"ARGUMENT=NODE.INPUT"`
	ComfyURL string            `help:"Address of the running ComfyUI that names the nodes and is checked. Default: http://127.0.0.1:8188, if one answers there." name:"comfy-url" placeholder:"URL"`
	Out      path              `help:"Directory to write graphs/ and catalog/ into." default:"my-models" placeholder:"DIR"`
	Replace  bool              `help:"Write over the files of an earlier import."`
	Yes      bool              `help:"Ask nothing: take what was guessed." short:"y"`
	JSON     bool              `help:"Print JSON." name:"json"`

	Try    bool              `help:"Render once with ComfyUI, as a worker would."`
	Prompt text              `help:"For --try. Default: the text in the workflow." placeholder:"TEXT"`
	File   map[string]string `help:"A file for --try, such as sourceImageIndex=fox.png. May be repeated." placeholder:"ARGUMENT=FILE"`
}

// imported is what the command prints as JSON.
type imported struct {
	*graphimport.Result
	ComfyUI string       `json:"comfyui,omitempty"` // the address that it was checked against
	Ready   *bool        `json:"ready,omitempty"`   // whether that one has everything
	Lacks   []string     `json:"lacks,omitempty"`
	Written writtenFiles `json:"written"`
	Tried   string       `json:"tried,omitempty"` // the file that was made
}

type writtenFiles struct {
	Graph   string `json:"graph"`
	Mapping string `json:"mapping"`
	Catalog string `json:"catalog"`
}

// Run makes the three files.
func (g *graphImport) Run(ctx context.Context, t terminal) error {
	data, err := readBounded(string(g.Workflow), graphimport.MaxBytes)
	if err != nil {
		return err
	}
	nodes, at, err := g.nodes(ctx)
	if err != nil {
		return err
	}
	a := graphimport.Answers{Name: string(g.Name), Title: string(g.Title), Set: g.Set}
	if g.Tool != nil {
		a.Tool = *g.Tool
	}
	if a.Name == "" {
		a.Name = graphimport.NameOf(string(g.Workflow))
	}
	r, err := graphimport.Import(data, nodes, a)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(string(g.Workflow)), err)
	}
	if isTerminal(t.in) && !g.Yes && !g.JSON {
		if a, err = g.ask(t, r, a); err != nil {
			return err
		}
	}
	if a.SID, err = g.freeNumber(a.Name); err != nil {
		return err
	}
	if r, err = graphimport.Import(data, nodes, a); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(string(g.Workflow)), err)
	}
	out := imported{Result: r, ComfyUI: at}
	if err := g.check(ctx, &out); err != nil {
		return err
	}
	if out.Written, err = g.write(r); err != nil {
		return err
	}
	if !g.JSON {
		g.report(t.out, &out)
	}
	if g.Try {
		if out.Tried, err = g.try(ctx, t, &out); err != nil {
			return err
		}
	}
	if g.JSON {
		return printJSON(t.out, out)
	}
	return nil
}

// readBounded reads a file that is not larger than a bound.
func readBounded(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: is larger than %d bytes", name, most)
	}
	return data, err
}

// nodes asks ComfyUI for its nodes. Without an address, one on this machine need not be there.
func (g *graphImport) nodes(ctx context.Context) (*graphimport.Nodes, string, error) {
	at := g.ComfyURL
	if at == "" {
		at = "http://127.0.0.1:8188"
	}
	info, err := comfyui.ObjectInfo(ctx, at)
	switch {
	case err != nil && g.ComfyURL == "":
		return nil, "", nil
	case err != nil:
		return nil, "", fmt.Errorf("--comfy-url: %w", err)
	}
	nodes, err := graphimport.ReadNodes(info)
	if err != nil {
		return nil, "", fmt.Errorf("--comfy-url: %w", err)
	}
	return nodes, at, nil
}

// ask lets a user change what was guessed.
func (g *graphImport) ask(t terminal, r *graphimport.Result, a graphimport.Answers) (graphimport.Answers, error) {
	in := bufio.NewScanner(t.in)
	question := func(text, guess string) string {
		fmt.Fprintf(t.err, "%s [%s]: ", text, guess)
		if in.Scan() {
			if line := strings.TrimSpace(in.Text()); line != "" {
				return line
			}
		}
		return guess
	}
	g.table(t.err, r)
	if g.Name == "" {
		a.Name = question("Name of the model", a.Name)
	}
	if a.Tool == "" {
		a.Tool = question("Tool ("+strings.Join(graphimport.Tools(), ", ")+")", r.Tool)
	}
	if _, decided := a.Set["prompt"]; !decided && a.Tool == r.Tool {
		guess := "-"
		if i := slices.IndexFunc(r.Inputs, func(in graphimport.Input) bool { return in.Argument == "prompt" }); i >= 0 {
			guess = strings.Join(r.Inputs[i].Targets, ",")
		}
		if said := question("Where the prompt goes, or - for nowhere", guess); said != guess {
			a.Set = map[string]string{"prompt": said}
			for name, at := range g.Set {
				a.Set[name] = at
			}
		}
	}
	return a, in.Err()
}

// graphs and entries are the directories that a worker and the service read.
func (g *graphImport) graphs() string  { return filepath.Join(string(g.Out), "graphs") }
func (g *graphImport) entries() string { return filepath.Join(string(g.Out), "catalog") }

// freeNumber is a number for the catalog that no model has. It refuses names that are taken.
func (g *graphImport) freeNumber(name string) (int, error) {
	dir := ""
	if _, err := os.Stat(g.entries()); err == nil {
		dir = g.entries()
	}
	known, err := catalog.Load(dir)
	if err != nil {
		return 0, err
	}
	own, err := catalog.Load("")
	if err != nil {
		return 0, err
	}
	if _, taken := own.Model(name); taken {
		return 0, fmt.Errorf("--name: the catalog of the program has a model %s: choose another name", name)
	}
	if m, again := known.Model(name); again && g.Replace {
		return m.SID, nil
	} else if again {
		return 0, fmt.Errorf("--name: %s has a model %s: choose another name, or --replace it", g.entries(), name)
	}
	free := 9001
	for _, m := range known.Models() {
		free = max(free, m.SID+1)
	}
	return free, nil
}

// check loads the three files as a worker and the service do, and looks for what ComfyUI lacks.
func (g *graphImport) check(ctx context.Context, out *imported) error {
	dir, err := os.MkdirTemp("", "atelier-graph-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	trial := graphImport{Out: path(dir)}
	if _, err := trial.write(out.Result); err != nil {
		return err
	}
	if _, err := catalog.Load(trial.entries()); err != nil {
		return fmt.Errorf("the catalog entry cannot be used: %w", err)
	}
	library, err := comfyui.LoadLibrary(trial.graphs())
	if err != nil {
		return fmt.Errorf("the mapping cannot be used: %w", err)
	}
	if out.ComfyUI == "" {
		return nil
	}
	has, err := comfyui.Inspect(ctx, out.ComfyUI, library)
	if err != nil {
		return err
	}
	ready := slices.Contains(has.Models, out.Name)
	out.Ready, out.Lacks = &ready, has.Missing[out.Name]
	return nil
}

// write writes the three files.
func (g *graphImport) write(r *graphimport.Result) (writtenFiles, error) {
	w := writtenFiles{
		Graph: filepath.Join(g.graphs(), r.Name+".json"), Mapping: filepath.Join(g.graphs(), r.Name+".yaml"), Catalog: filepath.Join(g.entries(), r.Name+".yaml"),
	}
	all := []struct{ name, content string }{{w.Graph, r.Graph}, {w.Mapping, r.Mapping}, {w.Catalog, r.Catalog}}
	for _, f := range all {
		if err := os.MkdirAll(filepath.Dir(f.name), 0o755); err != nil {
			return w, err
		}
		if _, err := os.Stat(f.name); err == nil && !g.Replace {
			return w, fmt.Errorf("%s is there already: choose another --name, or --replace it", f.name)
		} else if err != nil && !errors.Is(err, os.ErrNotExist) {
			return w, err
		}
	}
	for _, f := range all {
		if err := os.WriteFile(f.name, []byte(f.content), 0o644); err != nil {
			return w, err
		}
	}
	return w, nil
}
