package offline

import (
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// priced are the tools that a question about a price can mean by a verb.
var priced = []struct {
	tool  string
	words []string
}{
	{"upscale_video", []string{"upscale", "upscaling", "enlarge", "enlarging"}}, {"upscale_image", []string{"upscale", "upscaling", "enlarge", "enlarging"}},
	{"remove_background", []string{"background", "backgrounds"}}, {"animate_photo", []string{"animate", "animating", "animation"}},
	{"edit_image", []string{"edit", "editing"}}, {"restore_photo", []string{"restore", "restoring", "restoration"}},
	{"orbit_video", []string{"orbit"}}, {"dance_montage", []string{"dance"}}, {"extend_video", []string{"extend", "extending"}}, {"segment_image",
		[]string{"segment", "select", "selecting", "mask"}},
	{"enhance_prompt", []string{"prompt", "prompts"}}, {"compose_lyrics", []string{"lyrics"}}, {"compose_script", []string{"script"}}, {"analyze_image",
		[]string{"analyse", "analyze", "describe"}},
	{"add_subtitles", []string{"subtitles"}}, {"stitch_video", []string{"stitch", "join"}},
}

// price answers what something costs, worked out as an order would be.
func (r *reading) price(c *clause) bool {
	if !c.says("cost", "costs", "price", "expensive", "spark", "sparks", "charge", "pay", "cheap") && !(c.says("how") && c.says("much")) {
		return false
	}
	tool := ""
	video := false
	for i := c.start; i < c.to; i++ {
		if e := c.noun(i, c.to); e != nil && e.attr("kind") == "video" {
			video = true
		}
	}
	for _, p := range priced {
		if c.says(p.words...) && (p.tool != "upscale_video" || video) {
			tool = p.tool
			break
		}
	}
	var h head
	for i := c.start; i < c.to && tool == ""; i++ {
		e := c.noun(i, c.to)
		if e == nil {
			continue
		}
		h = head{from: i, noun: e, at: i, count: c.counted(c.start, i, e)}
		kind := e.attr("kind")
		if of := e.attr("of"); of != "" {
			kind = of
		}
		tool = producers[kind]
	}
	if tool == "" {
		a := r.m.naming.search(c)
		switch {
		case a != nil:
			tool = a.tool
		case c.says("it", "that", "this", "them", "everything", "all"):
			return r.priceOfTasks()
		default:
			return false
		}
	}
	t := r.task(tool, "price")
	if t == nil {
		return true
	}
	r.fill(c, t)
	if h.count > 1 && !strings.EqualFold(c.words(h.at, h.at+1), "pictures") || c.says("each") && h.count > 1 || h.count > 2 {
		t.counted(h)
	}
	for _, a := range t.tool.Arguments {
		if a.Required && t.args[a.Name] == nil {
			t.args[a.Name] = sample(a)
		}
	}
	args, notes, err := r.m.settle(t, t.args, catalog.Facts{})
	if err != nil {
		return false
	}
	step, err := r.m.catalog.Step(tool, args, catalog.Facts{})
	if err != nil {
		return false
	}
	r.say(priceText(step, t.makes()) + strings.Join(append([]string{""}, notes...), " "))
	return true
}

// priceOfTasks tells what the requests of this message cost, or those of the one
// before.
func (r *reading) priceOfTasks() bool {
	tasks := r.tasks
	if len(tasks) == 0 {
		tasks = r.s.last
	}
	var usd, spark atelier.Money
	for _, t := range tasks {
		args := maps.Clone(t.args)
		for _, a := range t.tool.Arguments {
			if a.Required && args[a.Name] == nil {
				args[a.Name] = sample(a)
			}
		}
		settled, _, err := r.m.settle(t, args, catalog.Facts{})
		if err != nil {
			return false
		}
		step, err := r.m.catalog.Step(t.tool.Name, settled, catalog.Facts{})
		if err != nil {
			return false
		}
		usd, spark = usd+step.Cost.USD, spark+step.Cost.Spark
	}
	if len(tasks) == 0 {
		return false
	}
	r.say(totalPrice(usd, spark))
	return true
}

// search finds the first model that a clause names.
func (n *naming) search(c *clause) *alias {
	for i := c.start; i < c.to; i++ {
		if a, _ := n.at(c.text, i, c.to, "", n.telling(c.tokens[i])); a != nil {
			return a
		}
	}
	return nil
}

// sample is a value that a required argument can have.
func sample(a *catalog.Argument) any {
	if len(a.Enum) > 0 {
		return a.Enum[0]
	}
	switch a.Type {
	case "number", "integer":
		if f, ok := a.Default.(float64); ok {
			return f
		}
		if a.Min != nil {
			return *a.Min
		}
		return 1.0
	case "array":
		return []any{0.0}
	}
	return "a"
}

// totalPrice words what several steps cost together.
func totalPrice(usd, spark atelier.Money) string {
	return "That costs " + short(spark) + " Spark (" + short(usd) + " dollars) in all, unless a plan covers it."
}

// priceText words a price.
func priceText(s *catalog.Step, kind string) string {
	what := map[string]string{"image": "picture", "video": "clip", "audio": "recording", "model": "3D model"}[kind]
	if s.Tool.Name == "generate_music" {
		what = "piece of music"
	}
	if what == "" {
		what = "call"
	}
	size := ""
	if s.Length.Seconds > 0 {
		size = " of " + plain(s.Length.Seconds) + " seconds"
	} else if s.Outputs.Width > 0 {
		size = " of " + plain(float64(s.Outputs.Width)) + " by " + plain(float64(s.Outputs.Height)) + " pixels"
	}
	if s.Cost.Spark == 0 {
		return "That costs nothing: " + s.Tool.Name + " is free."
	}
	n := max(1, s.Outputs.Count)
	text := capital(plural(n, what)) + size + " costs "
	if n > 1 {
		text = capital(plural(n, what)) + size + " cost "
	}
	text += sparks(s) + " (" + short(s.Cost.USD) + " dollars)"
	if s.Model != nil {
		text += " with " + s.Model.Name
	}
	text += "."
	if s.Premium() {
		text += " It is a vendor's model and wants Premium Spark."
	}
	return text
}
