package comfyui_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// stock adds the nodes and files that the program's graphs name.
func (c *comfy) stock() {
	for _, g := range must(ownGraphs())(c.t) {
		for _, id := range slices.Sorted(maps.Keys(g)) {
			c.learn(g[id])
		}
	}
	for _, class := range []string{"LoraLoader", "LoraLoaderModelOnly"} {
		c.learn(graphNode{class, map[string]any{"model": []any{"x", 0.0}, "lora_name": "", "strength_model": 1.0}})
	}
}

// ownGraphs are the program's graphs as they are on disk.
var ownGraphs = sync.OnceValues(func() (out []map[string]graphNode, err error) {
	paths, err := filepath.Glob("graphs/*.json")
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var g map[string]graphNode
		if err := json.Unmarshal(data, &g); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, g)
	}
	return out, err
})

// learn adds a kind of node from its use. Links are optional, because some graphs
// add them only for some jobs.
func (c *comfy) learn(n graphNode) {
	info := c.nodes[n.Class]
	if info == nil {
		info = map[string]any{"required": map[string]any{}, "optional": map[string]any{}}
		c.nodes[n.Class] = info
	}
	required, optional := info["required"].(map[string]any), info["optional"].(map[string]any)
	for name, v := range n.Inputs {
		switch v := v.(type) {
		case []any:
			optional[name] = []any{"*", map[string]any{}}
		case bool:
			required[name] = []any{"BOOLEAN", map[string]any{"default": v}}
		case float64:
			required[name] = []any{"FLOAT", map[string]any{"default": v, "min": -1e18, "max": 1e19}}
		case string:
			folder := folderOf[name]
			switch {
			case folder != "":
				if v != "" && !slices.Contains(c.folders[folder], v) {
					c.folders[folder] = append(c.folders[folder], v)
				}
				required[name] = "folder " + folder
			case slices.Contains([]string{"type", "sampler_name", "scheduler", "weight_dtype", "device"}, name):
				// A newer node: options among the settings.
				var options []any
				if old, ok := required[name].([]any); ok {
					options = old[1].(map[string]any)["options"].([]any)
				}
				if !slices.Contains(options, any(v)) {
					options = append(options, v)
				}
				required[name] = []any{"COMBO", map[string]any{"options": options}}
			default:
				required[name] = []any{"STRING", map[string]any{"default": v}}
			}
		}
	}
}

// spec is an input as in object info.
func (c *comfy) spec(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	list, _ := c.folder(strings.TrimPrefix(text, "folder "))
	return []any{list, map[string]any{}} // an older node: the options themselves
}

// folder lists the files of a model folder.
func (c *comfy) folder(name string) ([]string, bool) {
	list, ok := c.folders[name]
	if name != "loras" || c.loraDir == "" {
		return list, ok
	}
	if c.lateLoras > 0 {
		c.lateLoras--
		return list, ok
	}
	list = slices.Clone(list)
	entries, err := os.ReadDir(c.loraDir)
	if err != nil {
		c.t.Error(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".safetensors") {
			list = append(list, "mine/"+e.Name()) // the folder is one of several
		}
	}
	return list, true
}

func (c *comfy) objectInfo(w http.ResponseWriter, _ *http.Request) {
	defer c.lock()()
	out := map[string]any{}
	for class, info := range c.nodes {
		input := map[string]map[string]any{}
		for part, inputs := range info {
			input[part] = map[string]any{}
			for name, v := range inputs.(map[string]any) {
				input[part][name] = c.spec(v)
			}
		}
		out[class] = map[string]any{"input": input, "name": class, "output_node": strings.HasPrefix(class, "Save")}
	}
	reply(w, 200, out)
}

// validate finds mistakes in a graph, with ComfyUI's messages.
func (c *comfy) validate(g map[string]graphNode) (problem map[string]any, nodes map[string]any) {
	nodes = map[string]any{}
	outputs := 0
	for id, n := range g { // before anything else
		if c.nodes[n.Class] == nil {
			return map[string]any{"type": "invalid_prompt", "message": "Cannot execute because node " + n.Class + " does not exist.", "details": "Node ID '#" + id + "'"}, nodes
		}
	}
	for id, n := range g {
		info := c.nodes[n.Class]
		if strings.HasPrefix(n.Class, "Save") {
			outputs++
		}
		var errs []any
		complain := func(kind, message, details string) {
			errs = append(errs, map[string]any{"type": kind, "message": message, "details": details, "extra_info": map[string]any{}})
		}
		for name, v := range info["required"].(map[string]any) {
			given, ok := n.Inputs[name]
			if !ok {
				complain("required_input_missing", "Required input is missing", name)
				continue
			}
			spec, _ := c.spec(v).([]any)
			var options []any
			switch kind := spec[0].(type) {
			case []string:
				for _, o := range kind {
					options = append(options, o)
				}
				options = append(options, "\x00") // a list, even when it is empty
			case string:
				options, _ = spec[1].(map[string]any)["options"].([]any)
			}
			if _, linked := given.([]any); options != nil && !linked && !slices.Contains(options, given) {
				complain("value_not_in_list", "Value not in list", fmt.Sprintf("%s: '%v' not in %s", name, given, listText(options)))
			}
		}
		for name, v := range n.Inputs {
			if l, ok := v.([]any); ok {
				if _, there := g[l[0].(string)]; !there {
					complain("exception_during_inner_validation", "Exception when validating inner node", name)
				}
			}
			if strings.HasPrefix(n.Class, "Load") && (name == "image" || name == "audio" || name == "file") {
				if c.files[annotated(v.(string))] == nil {
					complain("custom_validation_failed", "Custom validation failed for node", name+" - Invalid image file: "+v.(string))
				}
			}
		}
		if len(errs) > 0 {
			nodes[id] = map[string]any{"errors": errs, "dependent_outputs": []string{"save"}, "class_type": n.Class}
		}
	}
	switch {
	case outputs == 0:
		return map[string]any{"type": "prompt_no_outputs", "message": "Prompt has no outputs", "details": ""}, nodes
	case len(nodes) > 0:
		return map[string]any{"type": "prompt_outputs_failed_validation", "message": "Prompt outputs failed validation", "details": ""}, nodes
	}
	return nil, nodes
}

// listText writes the values of a list as ComfyUI does: long ones by their length alone.
func listText(options []any) string {
	if len(options) > 20 {
		return fmt.Sprintf("(list of length %d)", len(options))
	}
	var quoted []string
	for _, o := range options {
		if o != "\x00" {
			quoted = append(quoted, fmt.Sprintf("'%v'", o))
		}
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// annotated is the key of a file that a node names.
func annotated(name string) string {
	if base, ok := strings.CutSuffix(name, " [temp]"); ok {
		return "temp/" + base
	}
	return "input/" + name
}
