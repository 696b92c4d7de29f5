package plan

import (
	"cmp"
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/answer"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// pricedTools are the tools that a question about a price can name by a verb.
var pricedTools = []struct {
	tool  string
	words []string
}{
	{"upscale_video", []string{"upscale", "upscaling", "enlarge", "enlarging"}}, {"upscale_image",
		[]string{"upscale", "upscaling", "enlarge", "enlarging"}},
	{"remove_background", []string{"background", "backgrounds"}}, {"animate_photo", []string{"animate", "animating", "animation"}},
	{"edit_image", []string{"edit", "editing"}}, {"restore_photo", []string{"restore", "restoring", "restoration"}},
	{"orbit_video", []string{"orbit"}}, {"dance_montage", []string{"dance"}}, {"extend_video", []string{"extend", "extending"}}, {"segment_image",
		[]string{"segment", "select", "selecting", "mask"}},
	{"enhance_prompt", []string{"prompt", "prompts"}}, {"compose_lyrics", []string{"lyrics"}}, {"compose_script", []string{"script"}}, {"analyze_image",
		[]string{"analyse", "analyze", "describe"}},
	{"add_subtitles", []string{"subtitles"}}, {"stitch_video", []string{"stitch", "join"}},
}

// answerPrice answers what something costs, by planning it.
func (r *Interpretation) answerPrice(c *token.Clause) bool {
	if !c.Contains("cost", "costs", "price", "expensive", "spark", "sparks", "charge", "pay", "cheap") && !(c.Contains("how") && c.Contains("much")) {
		return false
	}
	tool := ""
	for _, p := range pricedTools {
		if c.Contains(p.words...) && (p.tool != "upscale_video" || mentionsKind(c, "video")) {
			tool = p.tool
			break
		}
	}
	var h slot.NounPhrase
	for i := c.Start; i < c.End && tool == ""; i++ {
		e := c.MatchNoun(i, c.End)
		if e == nil {
			continue
		}
		h = slot.NounPhrase{Start: i, Noun: e, NounAt: i, Count: slot.CountBefore(c, c.Start, i, e)}
		tool = toolsByOutput[cmp.Or(e.Attr("of"), e.Attr("kind"))]
	}
	if tool == "" {
		a := r.planner.models().Find(c)
		switch {
		case a != nil:
			tool = a.Tool
		case c.Contains("it", "that", "this", "them", "everything", "all"):
			return r.answerTotalPrice()
		default:
			return false
		}
	}
	t := r.newTask(tool, "price")
	if t == nil {
		return true
	}
	r.FillArguments(c, t)
	if h.Count > 1 && !strings.EqualFold(c.Excerpt(h.NounAt, h.NounAt+1), "pictures") || c.Contains("each") && h.Count > 1 || h.Count > 2 {
		t.setCount(h)
	}
	step, notes, err := r.planner.estimate(t)
	if err != nil {
		return false
	}
	r.say(answer.DescribePrice(step, t.OutputKind()) + strings.Join(append([]string{""}, notes...), " "))
	return true
}

// answerTotalPrice says what the tasks of this message cost, or those of the one before.
func (r *Interpretation) answerTotalPrice() bool {
	tasks := r.Tasks
	if len(tasks) == 0 {
		tasks = r.state.Last
	}
	var usd, spark atelier.Money
	for _, t := range tasks {
		step, _, err := r.planner.estimate(t)
		if err != nil {
			return false
		}
		usd, spark = usd+step.Cost.USD, spark+step.Cost.Spark
	}
	if len(tasks) == 0 {
		return false
	}
	r.say(answer.DescribeTotal(usd, spark))
	return true
}

// estimate returns the step of a task, with sample values for arguments that are missing, and notes about what was
// changed to fit.
func (p *Planner) estimate(t *Task) (*catalog.Step, []string, error) {
	args := maps.Clone(t.Args)
	for _, a := range t.Tool.Arguments {
		if a.Required && args[a.Name] == nil {
			args[a.Name] = SampleValue(a)
		}
	}
	args, notes, err := p.FitArguments(t, args, catalog.Facts{})
	if err != nil {
		return nil, nil, err
	}
	step, err := p.catalog.Step(t.Tool.Name, args, catalog.Facts{})
	return step, notes, err
}

// SampleValue returns a value that a required argument can have.
func SampleValue(a *catalog.Argument) any {
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
