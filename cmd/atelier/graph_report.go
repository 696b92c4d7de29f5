package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/graphimport"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// table prints the inputs that were found.
func (g *graphImport) table(out io.Writer, r *graphimport.Result) {
	table := newTable(out, "ARGUMENT", "GOES TO", "IN", "NOW", "BECAUSE")
	for _, in := range r.Inputs {
		now := in.Value
		if in.Argument == "size" {
			now = r.Size
		}
		if short := []rune(now); len(short) > 30 {
			now = string(short[:30]) + "…"
		}
		table.row(in.Argument, strings.Join(in.Targets, ", "), in.Node, now, in.Why)
	}
	_ = table.flush()
}

// report says what was found, what is missing and what to do next.
func (g *graphImport) report(out io.Writer, m *imported) {
	r := m.Result
	say := func(format string, args ...any) { fmt.Fprintln(out, printable(fmt.Sprintf(format, args...))) }
	say("%s: a model for %s, which makes %s", r.Name, r.Tool, r.Type)
	g.table(out, r)
	for _, f := range r.Findings {
		at := ""
		if f.Node != "" {
			at = "node " + f.Node + ": "
		}
		say("note: %s%s", at, f.Text)
	}
	for _, n := range r.Missing {
		say("missing node %s (used %d times). %s", n.Class, n.Nodes, n.Hint)
	}
	switch {
	case m.Ready == nil:
		say("not checked: no ComfyUI was asked; name one with --comfy-url")
	case *m.Ready:
		say("ComfyUI at %s has all nodes and files", m.ComfyUI)
	default:
		for _, lack := range m.Lacks {
			say("ComfyUI at %s lacks %s", m.ComfyUI, lack)
		}
	}
	say("wrote %s, %s and %s", m.Written.Graph, m.Written.Mapping, m.Written.Catalog)
	at := m.ComfyUI
	if at == "" {
		at = "http://127.0.0.1:8188"
	}
	say("\nOffer it: the service reads both directories, for a ComfyUI that is connected to it (%s connect comfyui); so does a worker.", program())
	say("  %s serve --catalog %s --graphs %s", program(), quote(g.entries()), quote(g.graphs()))
	say("  %s worker --backend comfyui --comfy-url %s --graphs %s --catalog %s", program(), quote(at), quote(g.graphs()), quote(g.entries()))
}

// try renders once, as a worker would, and returns the file.
func (g *graphImport) try(ctx context.Context, t terminal, m *imported) (string, error) {
	switch {
	case m.Ready == nil:
		return "", errors.New("--try: needs a ComfyUI: name one with --comfy-url")
	case !*m.Ready:
		return "", errors.New("--try: ComfyUI lacks what the graph needs: " + strings.Join(m.Lacks, ", "))
	}
	for _, argument := range m.Needs {
		if g.File[argument] == "" {
			return "", fmt.Errorf("--try: the graph needs a file: add --file %s=FILE", argument)
		}
	}
	library, err := comfyui.LoadLibrary(g.graphs())
	if err != nil {
		return "", fmt.Errorf("--try: %w", err)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	r, err := comfyui.Open(ctx, comfyui.Options{URLs: []string{m.ComfyUI}, Library: library, Models: []string{m.Name}})
	if err != nil {
		return "", err
	}
	defer r.Close()
	dir, err := os.MkdirTemp("", "atelier-try-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	b := newBar(t.err)
	outputs, err := r.Render(ctx, worker.Task{
		Assignment: apitype.Assignment{
			JobID: "try", ToolName: m.Tool, ModelID: m.Name, Arguments: g.arguments(m.Result), Seed: 1,
			Artifacts: []apitype.AssignmentArtifact{{ID: "try", Kind: filetype.Kind(m.Type), ContentType: m.Type}},
		},
		Folder: dir, Files: g.File, Report: b.show,
	})
	b.clear()
	if err != nil {
		return "", fmt.Errorf("--try: %w", err)
	}
	name, err := keep(outputs[0].Path, filepath.Join(string(g.Out), m.Name+filetype.Extension(m.Type)))
	if err == nil && !g.JSON {
		fmt.Fprintf(t.out, "rendered %s\n", printable(name))
	}
	return name, err
}

// arguments are those of a job that makes what the workflow makes.
func (g *graphImport) arguments(r *graphimport.Result) map[string]any {
	args := map[string]any{}
	for _, in := range r.Inputs {
		if in.Argument == "prompt" {
			args["prompt"] = in.Text
		}
	}
	if g.Prompt != "" {
		args["prompt"] = string(g.Prompt)
	}
	if r.Tool == "upscale_image" {
		args["scale"] = 2.0
	}
	return args
}

// keep copies a file that will be removed.
func keep(from, to string) (string, error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	return to, errors.Join(err, out.Close())
}
