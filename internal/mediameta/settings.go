package mediameta

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// Settings are what a picture was made with.
type Settings struct {
	Tool      string         `json:"tool"`
	Model     string         `json:"model,omitzero"`
	Seed      *int64         `json:"seed,omitzero"`
	Width     int            `json:"width,omitzero"`
	Height    int            `json:"height,omitzero"`
	Arguments map[string]any `json:"arguments"` // of the tool, without model, seed and LoRAs
	Loras     []Lora         `json:"loras,omitempty"`
	Preview   bool           `json:"preview,omitzero"` // drawn without the model, by a fallback worker
}

// Lora is a LoRA that was loaded.
type Lora struct {
	ID       string  `json:"id"`
	Strength float64 `json:"strength"`
}

// Parameters is the name of the text of AUTOMATIC1111's web UI.
const Parameters = "parameters"

// The names of texts in a picture.
const (
	keyDocument   = "atelier"
	keyParameters = Parameters
	keyGraph      = "prompt"   // of ComfyUI
	keyCanvas     = "workflow" // the same graph as ComfyUI's editor shows it
)

// keys are the texts that Write replaces.
var keys = []string{keyDocument, keyParameters, keyGraph, keyCanvas}

// texts are the settings as they are written.
type texts struct {
	document, parameters string
}

func (s *Settings) texts() (texts, error) {
	document, err := wire.MarshalV1(s)
	return texts{document: string(document), parameters: s.parameters()}, err
}

// parameters are the settings in the form of AUTOMATIC1111's web UI.
func (s *Settings) parameters() string {
	prompt, _ := s.Arguments["prompt"].(string)
	negative, _ := s.Arguments["negativePrompt"].(string)
	var facts []Fact
	add := func(name string, value any) {
		if value != nil {
			facts = append(facts, Fact{name, fmt.Sprint(value)})
		}
	}
	add("Steps", s.Arguments["steps"])
	add("CFG scale", s.Arguments["guidance"])
	if s.Seed != nil {
		add("Seed", *s.Seed)
	}
	if s.Width > 0 && s.Height > 0 {
		add("Size", fmt.Sprintf("%dx%d", s.Width, s.Height))
	}
	add("Model", s.Model)
	add("Version", "atelier")
	return FormatParameters(prompt, negative, facts)
}

// Fact is a name and a value in a text of parameters.
type Fact struct {
	Name, Value string
}

// FormatParameters writes the text of AUTOMATIC1111's web UI. Facts without a value are left out.
func FormatParameters(prompt, negative string, facts []Fact) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(prompt))
	if negative = strings.TrimSpace(negative); negative != "" {
		b.WriteString("\nNegative prompt: " + negative)
	}
	var texts []string
	for _, f := range facts {
		if f.Value != "" {
			texts = append(texts, f.Name+": "+quoted(f.Value))
		}
	}
	return strings.TrimPrefix(b.String()+"\n"+strings.Join(texts, ", "), "\n")
}

// quoted is a value as AUTOMATIC1111's web UI writes it: one that its reader would cut is a JSON
// string.
func quoted(value string) string {
	if !strings.ContainsAny(value, ",:\n\"") {
		return value
	}
	return string(wire.AppendString(nil, value))
}

// parse finds the settings among the texts of a picture.
func parse(found map[string]string) (Settings, bool) {
	if text, ok := found[keyDocument]; ok {
		if s, ok := parseDocument(text); ok {
			return s, true
		}
	}
	if text, ok := found[keyParameters]; ok {
		if s, ok := parseParameters(text); ok {
			return s, true
		}
	}
	return parseGraph(found[keyGraph])
}

func parseDocument(text string) (s Settings, ok bool) {
	if wire.UnmarshalLenient([]byte(text), &s) != nil || s.Tool == "" {
		return Settings{}, false
	}
	if s.Arguments == nil {
		s.Arguments = map[string]any{}
	}
	if s.Seed != nil && (*s.Seed < 0 || *s.Seed > maxSeed) {
		s.Seed = nil
	}
	return s, true
}

// ParseParameters reads the form of AUTOMATIC1111's web UI: the prompt, the negative prompt, and
// a line of facts.
func ParseParameters(text string) (prompt, negative string, facts []Fact) {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	facts = parseFacts(lines[len(lines)-1])
	if len(facts) < 2 { // a prompt may have one colon in it
		facts = nil
	} else {
		lines = lines[:len(lines)-1]
	}
	words, against, isNegative := []string{}, []string{}, false
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "Negative prompt:"); ok {
			line, isNegative = strings.TrimSpace(rest), true
		}
		if isNegative {
			against = append(against, line)
		} else {
			words = append(words, line)
		}
	}
	return strings.TrimSpace(strings.Join(words, "\n")), strings.TrimSpace(strings.Join(against, "\n")), facts
}

// parseParameters reads the settings in a text of AUTOMATIC1111's web UI.
func parseParameters(text string) (Settings, bool) {
	prompt, negative, list := ParseParameters(text)
	facts := map[string]string{}
	for _, f := range list {
		facts[strings.ToLower(f.Name)] = f.Value
	}
	s := Settings{Tool: "generate_image", Model: facts["model"], Arguments: map[string]any{}}
	s.setText("prompt", prompt)
	s.setText("negativePrompt", negative)
	s.setNumber("steps", number(facts["steps"]))
	s.setNumber("guidance", number(facts["cfg scale"]))
	s.setSeed(number(facts["seed"]))
	if width, height, ok := parseSize(facts["size"]); ok {
		s.setSize(width, height)
	}
	return s, len(s.Arguments) > 0
}

// parseFacts reads "Name: value, Name: value". A value with a comma is a JSON string.
func parseFacts(line string) (facts []Fact) {
	for line != "" {
		name, rest, ok := strings.Cut(line, ":")
		if !ok || strings.ContainsAny(name, ",\"") || len(name) > 80 {
			break
		}
		rest = strings.TrimLeft(rest, " ")
		var value string
		if strings.HasPrefix(rest, `"`) {
			end := endOfString(rest)
			if end < 0 || wire.UnmarshalLenient([]byte(rest[:end]), &value) != nil {
				break
			}
			_, line, _ = strings.Cut(rest[end:], ",")
		} else {
			value, line, _ = strings.Cut(rest, ",")
		}
		facts = append(facts, Fact{strings.TrimSpace(name), strings.TrimSpace(value)})
		line = strings.TrimLeft(line, " ")
	}
	return facts
}

// endOfString is where the JSON string ends that a text begins with, or -1.
func endOfString(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// parseSize reads a size such as 512x768.
func parseSize(text string) (width, height int, ok bool) {
	text = strings.TrimSuffix(strings.ToLower(text), "px")
	for _, sign := range []string{"x", "×", "*"} {
		w, h, found := strings.Cut(text, sign)
		if !found {
			continue
		}
		width, err := strconv.Atoi(strings.TrimSpace(w))
		height, err2 := strconv.Atoi(strings.TrimSpace(h))
		return width, height, err == nil && err2 == nil && isExtent(width) && isExtent(height)
	}
	return 0, 0, false
}

func isExtent(n int) bool { return n > 0 && n <= 1<<20 }

func number(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil
	}
	return &n
}

func (s *Settings) setText(name, value string) {
	if value = strings.TrimSpace(value); value != "" {
		s.Arguments[name] = value
	}
}

func (s *Settings) setNumber(name string, n *float64) {
	if n != nil {
		s.Arguments[name] = *n
	}
}

// maxSeed is the largest seed that tools take.
const maxSeed = math.MaxUint32

func (s *Settings) setSeed(n *float64) {
	if n == nil || *n < 0 || *n > maxSeed || *n != math.Trunc(*n) {
		return
	}
	seed := int64(*n)
	s.Seed = &seed
}

func (s *Settings) setSize(width, height int) {
	s.Width, s.Height = width, height
	s.Arguments["width"], s.Arguments["height"] = float64(width), float64(height)
}

// node is a node of a graph of ComfyUI.
type node struct {
	Class  string         `json:"class_type"`
	Inputs map[string]any `json:"inputs"`
}

type graph map[string]node

// maxHops is how many connections of a graph are followed to a value.
const maxHops = 12

// parseGraph reads a graph of ComfyUI in its API format: what its first sampler is given, as far
// as it is written in the nodes before it.
func parseGraph(text string) (Settings, bool) {
	var g graph
	if text == "" || wire.UnmarshalLenient([]byte(text), &g) != nil {
		return Settings{}, false
	}
	var samplers []string
	for id, n := range g {
		if strings.Contains(n.Class, "KSampler") && n.Inputs["positive"] != nil {
			samplers = append(samplers, id)
		}
	}
	if len(samplers) == 0 {
		return Settings{}, false
	}
	sampler := g[slices.Min(samplers)]
	s := Settings{Tool: "generate_image", Arguments: map[string]any{}}
	s.setText("prompt", g.text(sampler.Inputs["positive"]))
	s.setText("negativePrompt", g.text(sampler.Inputs["negative"]))
	s.setNumber("steps", numberIn(sampler, "steps"))
	s.setNumber("guidance", numberIn(sampler, "cfg"))
	if s.setSeed(numberIn(sampler, "seed")); s.Seed == nil {
		s.setSeed(numberIn(sampler, "noise_seed"))
	}
	if latent, ok := g.follow(sampler.Inputs["latent_image"], "width"); ok {
		width, height := numberIn(latent, "width"), numberIn(latent, "height")
		if width != nil && height != nil && isExtent(int(*width)) && isExtent(int(*height)) {
			s.setSize(int(*width), int(*height))
		}
	}
	for _, name := range []string{"ckpt_name", "unet_name"} {
		if loader, ok := g.follow(sampler.Inputs["model"], name); ok && s.Model == "" {
			s.Model, _ = loader.Inputs[name].(string)
		}
	}
	return s, len(s.Arguments) > 0
}

func numberIn(n node, name string) *float64 {
	if v, ok := n.Inputs[name].(float64); ok {
		return &v
	}
	return nil
}

// text is the first text before a connection.
func (g graph) text(link any) string {
	n, ok := g.follow(link, "text")
	text, _ := n.Inputs["text"].(string)
	if ok && text == "" { // it is connected too
		if n, ok = g.follow(n.Inputs["text"], "value"); ok {
			text, _ = n.Inputs["value"].(string)
		}
	}
	return text
}

// follow finds the first node before a connection that has an input: on the way it goes through
// nodes that pass on what they are given.
func (g graph) follow(link any, input string) (node, bool) {
	for range maxHops {
		ends, ok := link.([]any)
		if !ok || len(ends) == 0 {
			return node{}, false
		}
		id, _ := ends[0].(string)
		n, ok := g[id]
		if !ok {
			return node{}, false
		}
		if n.Inputs[input] != nil {
			return n, true
		}
		link = nil
		for _, name := range []string{"conditioning", "positive", "model", "samples", "latent"} {
			if link == nil {
				link = n.Inputs[name]
			}
		}
	}
	return node{}, false
}
