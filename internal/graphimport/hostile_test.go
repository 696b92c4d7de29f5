package graphimport_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/graphimport"
	"github.com/atelier-project/atelier/internal/worktest"
)

// saved is an editor's workflow whose picture is saved by node 9.
func saved(nodes, links, subgraphs string) string {
	return fmt.Sprintf(`{"nodes": [{"id": 9, "type": "SaveImage", "inputs": [{"name": "images", "type": "IMAGE", "link": 1}], "widgets_values": ["x"]}%s],
		"links": [%s], "definitions": {"subgraphs": [%s]}}`, nodes, links, subgraphs)
}

// What is wrong with a file is said, and costs little to find.
func TestRefusals(t *testing.T) {
	t.Parallel()
	deep := `{"id": "s", "nodes": [{"id": 1, "type": "s"}, {"id": 2, "type": "s"}], "links": []}`
	for name, tc := range map[string]struct{ workflow, want string }{
		"nothing":           {``, "not a workflow that ComfyUI has saved"},
		"a list":            {`[]`, "not a workflow that ComfyUI has saved"},
		"more than one":     {`{} {}`, "something follows"},
		"empty":             {`{}`, "holds no nodes"},
		"other JSON":        {`{"name": "x"}`, `its entry "name" is not a node`},
		"no class":          {`{"1": {"inputs": {}}}`, `its entry "1" is not a node`},
		"a dot":             {`{"1.2": {"class_type": "A", "inputs": {}}}`, "without a dot"},
		"a loose link":      {`{"1": {"class_type": "A", "inputs": {"x": ["2", 0]}}}`, "node 1: its input x is linked to node 2, which is not there"},
		"a circle":          {`{"1": {"class_type": "A", "inputs": {"x": ["2", 0]}}, "2": {"class_type": "A", "inputs": {"x": ["1", 0]}}}`, "depends on itself"},
		"no result":         {`{"1": {"class_type": "A", "inputs": {}}}`, "saves nothing"},
		"a loose preview":   {`{"1": {"class_type": "PreviewImage", "inputs": {}}}`, "nothing is linked to it"},
		"no nodes":          {`{"nodes": []}`, "no active nodes"},
		"nodes of no kind":  {`{"nodes": 3}`, "not a workflow of ComfyUI's editor"},
		"an odd id":         {`{"nodes": [{"id": {"a": 1}, "type": "SaveImage"}]}`, "neither a number nor a short word"},
		"reroutes":          {saved(`, {"id": 1, "type": "Reroute", "inputs": [{"link": 1}]}`, `[1, 1, 0, 9, 0, "*"]`, ""), "links lead in a circle"},
		"group nodes":       {saved(`, {"id": 1, "type": "workflow>mine"}`, `[1, 1, 0, 9, 0, "*"]`, ""), "is a group node"},
		"a deep subgraph":   {saved(`, {"id": 1, "type": "s"}`, `[1, 1, 0, 9, 0, "*"]`, deep), "more than"},
		"a circle of edits": {saved(`, {"id": 2, "type": "VAEDecode", "inputs": [{"name": "samples", "link": 2}]}`, `[1, 2, 0, 9, 0, "IMAGE"], [2, 2, 0, 2, 0, "LATENT"]`, ""), "depends on itself"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := graphimport.Import([]byte(tc.workflow), nodes(t), graphimport.Answers{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// A text of a workflow cannot leave the place that it is written to.
func TestTextsStayTexts(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{`"\n- x: {`, "a: b # c\n\x00\x1b[31m", `]} { "y"`, "\u2028é\ufeff"} {
		w := string(read(t, "text_to_image.json"))
		w = strings.Replace(w, `"class_type": "CheckpointLoaderSimple"`, `"_meta": {"title": `+quoted(evil)+`}, "class_type": "CheckpointLoaderSimple"`, 1)
		w = strings.Replace(w, "base.safetensors", strings.Trim(quoted(evil+".safetensors"), `"`), 1)
		r, err := graphimport.Import([]byte(w), nil, graphimport.Answers{Title: evil})
		if err != nil {
			t.Fatalf("%q: %v", evil, err)
		}
		load(t, r)
	}
}

func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String() + `"`
}

// A long chain is followed without a deep stack, and in time that grows with its length.
func TestLongChains(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"0": {"class_type": "SaveImage", "inputs": {"images": ["1", 0]}}`)
	const long = 1900
	for i := 1; i < long; i++ {
		fmt.Fprintf(&b, `, "%d": {"class_type": "ImageScale", "inputs": {"image": ["%d", 0]}}`, i, i+1)
	}
	fmt.Fprintf(&b, `, "%d": {"class_type": "LoadImage", "inputs": {"image": "x.png"}}}`, long)
	r, err := graphimport.Import([]byte(b.String()), nil, graphimport.Answers{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Tool != "edit_image" {
		t.Errorf("got the tool %s", r.Tool)
	}
	load(t, r)
}

// Samplers that each build on all others cost no more than their number allows.
func TestManySamplers(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"0": {"class_type": "SaveImage", "inputs": {"images": ["1", 0]}}`)
	const many = 1900
	for i := 1; i < many; i++ {
		fmt.Fprintf(&b, `, "%d": {"class_type": "KSampler", "inputs": {"seed": 1, "cfg": 5, "positive": ["%d", 0], "negative": ["%d", 1], "text": "x"}}`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `, "%d": {"class_type": "CLIPTextEncode", "inputs": {"text": "y"}}}`, many)
	grown := worktest.Allocated(func() {
		if _, err := graphimport.Import([]byte(b.String()), nil, graphimport.Answers{}); err != nil {
			t.Error(err)
		}
	})
	if most := uint64(1 << 30); grown > most {
		t.Errorf("it allocates %d bytes, want at most %d", grown, most)
	}
}

// A graph of few nodes with many links is refused, in either format, and costs no more than its size.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	var inputs, wires, sockets []string
	for i := range 10_001 {
		inputs = append(inputs, fmt.Sprintf(`"x%d": ["1", 0]`, i))
		wires = append(wires, fmt.Sprintf(`[%d, 1, 0, 9, 0, "IMAGE"]`, i+1))
		sockets = append(sockets, fmt.Sprintf(`{"name": "x%d", "link": 1}`, i))
	}
	all := func(list []string) string { return strings.Join(list, ", ") }
	shared := `{"id": "s", "nodes": [{"id": 1, "type": "VAEDecode"}], "links": [` + all(wires[:6000]) + `]}`
	for name, workflow := range map[string]string{
		"the API's format":              `{"1": {"class_type": "LoadImage", "inputs": {}}, "2": {"class_type": "A", "inputs": {` + all(inputs) + `}}}`,
		"links of the editor":           saved("", all(wires), ""),
		"inputs that share a link":      saved(`, {"id": 2, "type": "A", "inputs": [`+all(sockets)+`]}`, wires[0], ""),
		"a subgraph that is used twice": saved(`, {"id": 2, "type": "s"}, {"id": 3, "type": "s"}`, wires[0], shared),
	} {
		known := nodes(t)
		worktest.Limit(t, len(workflow), worktest.Bound{Base: 16 << 20, PerByte: 2000}, func() {
			_, err := graphimport.Import([]byte(workflow), known, graphimport.Answers{})
			if err == nil || !strings.Contains(err.Error(), "more than 10000 links") {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
}

// Links that pass a long way of reroutes and subgraphs, each with much beside it, end with an error.
func TestTangledLinks(t *testing.T) {
	t.Parallel()
	var more, wires []string
	for i := 1; i < 190; i++ { // names that are set by what another one gets
		more = append(more, fmt.Sprintf(`{"id": %d, "type": "SetNode", "widgets_values": ["n%d"], "inputs": [{"link": %d}]}, {"id": %d, "type": "GetNode", "widgets_values": ["n%d"]}`, i+1000, i, i+1, i+2000, i))
		wires = append(wires, fmt.Sprintf(`[%d, %d, 0, 9, 0, "IMAGE"]`, i, i+2000))
	}
	var sockets []string
	for i := range 1000 {
		sockets = append(sockets, fmt.Sprintf(`{"name": "x%d", "link": 1}`, i))
	}
	var idle []string
	for i := range 1500 {
		idle = append([]string{fmt.Sprintf(`{"id": %d, "type": "Note"}`, i+5000)}, idle...)
	}
	parts := append(append(idle, more...), `{"id": 8, "type": "A", "inputs": [`+strings.Join(sockets, ", ")+`]}`)
	_, err := graphimport.Import([]byte(saved(", "+strings.Join(parts, ", "), strings.Join(wires, ", "), "")), nodes(t), graphimport.Answers{})
	if err == nil || !strings.Contains(err.Error(), "too many reroutes") {
		t.Errorf("got %v", err)
	}
}

func FuzzImport(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil && filepath.Base(name) != "object_info.json" {
			f.Add(data)
		}
	}
	info := read(f, "object_info.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		worktest.Limit(t, len(data), worktest.Bound{Base: 16 << 20, PerByte: 2000}, func() {
			known, err := graphimport.ReadNodes(info)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = graphimport.Import(data, known, graphimport.Answers{})
			_, _ = graphimport.Import(data, nil, graphimport.Answers{})
		})
	})
}

func FuzzNodes(f *testing.F) {
	f.Add([]byte(`{"A": {"input": {"required": {"x": ["INT", {"default": 1}], "y": [["a", "b"]]}}, "output": ["IMAGE"]}}`))
	workflow := read(f, "lora.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		worktest.Limit(t, len(data), worktest.Bound{Base: 16 << 20, PerByte: 2000}, func() {
			if known, err := graphimport.ReadNodes(data); err == nil {
				_, _ = graphimport.Import(workflow, known, graphimport.Answers{})
			}
		})
	})
}

// A value that many inputs or uses of a subgraph have is in the graph as often: what that comes to is bounded.
func TestManyCopiesOfAValue(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	var sockets, uses strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&sockets, `, {"name": "a%d", "link": 2}`, i)
	}
	for i := range 500 {
		fmt.Fprintf(&uses, `, {"id": %d, "type": "s"}`, 100+i)
	}
	shown := `{"id": "s", "nodes": [{"id": 1, "type": "CLIPTextEncode", "widgets_values": ["x"], "inputs": []}], "links": []}`
	for name, workflow := range map[string]string{
		"a value behind many links": saved(`, {"id": 1, "type": "Odd", "inputs": [{"name": "a", "link": 2}`+sockets.String()+`]}, {"id": 2, "type": "PrimitiveNode", "widgets_values": ["`+long+`"]}`,
			`[1, 1, 0, 9, 0, "IMAGE"], [2, 2, 0, 1, 0, "STRING"]`, ""),
		"a subgraph of many uses": saved(`, {"id": 1, "type": "Odd"}`+uses.String(), `[1, 1, 0, 9, 0, "IMAGE"]`, strings.Replace(shown, `"x"`, `"`+long+`"`, 1)),
		"a list of many lists": saved(`, {"id": 1, "type": "Odd", "inputs": [{"name": "a", "link": 2}`+sockets.String()+`]}, {"id": 2, "type": "PrimitiveNode", "widgets_values": [[`+strings.Repeat("[0],", 20_000)+`1]]}`,
			`[1, 1, 0, 9, 0, "IMAGE"], [2, 2, 0, 1, 0, "STRING"]`, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := graphimport.Import([]byte(workflow), nodes(t), graphimport.Answers{})
			if err == nil || !strings.Contains(err.Error(), "values of the workflow") {
				t.Errorf("got %v, want it refused", err)
			}
		})
	}
}

// Many pictures that lead to one which many inputs read cost no more than their number allows.
func TestManyPicturesOfManyReaders(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"save": {"class_type": "SaveImage", "inputs": {"images": ["all", 0]}}, "all": {"class_type": "ImageBatchMulti", "inputs": {"x": 1`)
	const many = 1900
	for i := range many {
		fmt.Fprintf(&b, `, "i%d": ["l%d", 0]`, i, i)
	}
	b.WriteString(`}}`)
	for i := range many {
		fmt.Fprintf(&b, `, "l%d": {"class_type": "LoadImage", "inputs": {"image": "x.png"}}`, i)
	}
	b.WriteString(`, "odd": {"class_type": "Odd", "inputs": {"x": 1`)
	for i := range 8000 {
		fmt.Fprintf(&b, `, "q%d": ["all", 0]`, i)
	}
	b.WriteString(`}}}`)
	grown := worktest.Allocated(func() {
		if _, err := graphimport.Import([]byte(b.String()), nil, graphimport.Answers{}); err != nil {
			t.Error(err)
		}
	})
	if most := uint64(256 << 20); grown > most {
		t.Errorf("it allocates %d bytes, want at most %d", grown, most)
	}
}
