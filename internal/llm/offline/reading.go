package offline

import (
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/catalog"
)

// planner turns messages into tasks and answers for one catalog. It is
// immutable.
type planner struct {
	catalog *catalog.Catalog
	lexicon *lexicon
	rules   []rule
	phrases *phrases
	naming  *naming
	guide   *guide
}

// knowledge is the content of the data files. It does not depend on a catalog.
type knowledge struct {
	lexicon *lexicon
	rules   []rule
	phrases *phrases
	topics  []topic
}

// loadKnowledge reads the embedded files once.
var loadKnowledge = sync.OnceValues(func() (*knowledge, error) {
	k := new(knowledge)
	var err error
	if k.lexicon, err = readLexicon(); err != nil {
		return nil, err
	}
	if k.rules, err = readRules(); err != nil {
		return nil, err
	}
	if k.phrases, err = readPhrases(); err != nil {
		return nil, err
	}
	if k.topics, err = readTopics(k.lexicon); err != nil {
		return nil, err
	}
	return k, nil
})

// newPlanner makes the planner for a catalog.
func newPlanner(c *catalog.Catalog) (*planner, error) {
	k, err := loadKnowledge()
	if err != nil {
		return nil, err
	}
	names := newNaming(c, k.lexicon)
	return &planner{
		catalog: c, lexicon: k.lexicon, rules: k.rules, phrases: k.phrases, naming: names, guide: newGuide(c, names, k.topics),
	}, nil
}

// reading is what the model makes of one message.
type reading struct {
	m   *planner
	can func(tool string) bool // whether the request offers a tool
	s   *state

	tasks []*task
	said  []string // answers in words
	asked []wanted // what has to be known first
	talk  string   // a greeting, thanks and the like
	loose []*clause
	named [2]int // the tokens by which media was last meant by what it shows
	lost  bool   // something was not understood
	guess bool   // a picture is drawn only because the words could describe one
}

// state is what there was before a message.
type state struct {
	shelf   *shelf
	last    []*task // of the latest message that asked for something
	pending *wanted // a question that was asked and not yet answered
}

// wanted is something that a task lacks.
type wanted struct {
	task     *task
	slot     string // the argument, or the kind of media
	argument string // that takes the media
	question string
}

// maxTasks bounds what one message can start.
const maxTasks = 12

// read makes sense of a message.
func (p *planner) read(said string, s *state, can func(tool string) bool) *reading {
	r := &reading{m: p, can: can, s: s}
	r.text(p.lexicon.text(said))
	if r.empty() {
		// Nothing at all was understood: perhaps a verb is misspelt.
		if corrected := p.lexicon.correct(said); corrected != said {
			again := &reading{m: p, can: can, s: s}
			again.text(p.lexicon.text(corrected))
			if !again.empty() {
				return again
			}
		}
	}
	return r
}

// empty reports whether nothing came of the message.
func (r *reading) empty() bool {
	return len(r.tasks) == 0 && len(r.said) == 0 && len(r.asked) == 0 && r.talk == ""
}

func (r *reading) text(t *text) {
	for _, c := range t.clauses() {
		if c.used[c.start] {
			continue // taken by a clause before it
		}
		if len(r.tasks) >= maxTasks {
			r.say("I stopped after " + plain(maxTasks) + " requests in one message; send the others in the next.")
			break
		}
		r.clause(c)
	}
	r.settleLoose(t)
}

// clause makes sense of one clause.
func (r *reading) clause(c *clause) {
	if r.chats(c) || r.parrots(c) {
		return
	}
	c.start = c.purpose()
	if c.forbids() {
		if t := r.newest(); t != nil {
			r.amend(t, c)
		}
		return
	}
	if r.replies(c) || r.capable(c) {
		return
	}
	if c.asks() {
		r.question(c)
		return
	}
	if r.lists(c) || r.details(c) {
		return
	}
	a, n := find(r.m.rules, c)
	if a == "" && c.nominal(c.start, c.to, false) {
		a = "make" // "two pictures of …" needs no verb
	}
	if a == "" && r.dances(c) {
		a = "dance"
	}
	if a == "" {
		if e := c.undoable(c.start, head{from: c.start + c.verb()}); e != nil && c.verb() > 0 {
			r.undoable(e)
			return
		}
		r.loose = append(r.loose, c)
		return
	}
	r.perform(a, c, n)
}

// perform plans what an act asks for.
func (r *reading) perform(a act, c *clause, n int) {
	switch a {
	case "template":
		r.template(c)
	case "workflow":
		r.workflow(c)
	case "enhance":
		r.enhance(c)
	case "lyrics":
		r.lyrics(c)
	case "script":
		r.script(c)
	case "arrange":
		r.arrange(c)
	case "subtitle":
		r.subtitle(c, n)
	case "overlay":
		r.overlay(c, n)
	case "soundtrack":
		r.soundtrack(c, n)
	case "patch":
		r.patch(c, n)
	case "stitch":
		r.stitch(c, n)
	case "extend":
		r.extend(c, n)
	case "orbit":
		r.orbit(c, n)
	case "dance":
		r.dance(c, n)
	case "talking":
		r.talking(c, n)
	case "musicvideo":
		r.musicVideo(c, n)
	case "angle":
		r.angle(c, n)
	case "cutout":
		r.cutout(c)
	case "select":
		r.selection(c, n)
	case "animate":
		r.animate(c, n)
	case "solid":
		r.solid(c, n)
	case "upscale":
		r.upscale(c, n)
	case "restore":
		r.restore(c, n)
	case "refine":
		r.refine(c, n)
	case "style":
		r.style(c, n)
	case "expand":
		r.expand(c, n)
	case "metadata":
		r.metadata(c)
	case "describe":
		r.study(c)
	case "again":
		r.again(c, n)
	case "speak":
		r.speak(c, n)
	case "edit":
		r.edit(c, n)
	default:
		r.make(c, n)
	}
}

// say adds an answer in words.
func (r *reading) say(s string) { r.said = append(r.said, s) }

// answer answers a question about the service, if a clause asks one.
func (r *reading) answer(c *clause) bool {
	text, ok := r.m.guide.answer(c)
	if ok {
		r.say(text)
	}
	return ok
}

// calculate answers a sum, if a clause asks for one.
func (r *reading) calculate(c *clause) bool {
	text, ok := arithmetic(c)
	if ok {
		r.say(text)
	}
	return ok
}

// newest is the last task of this message.
func (r *reading) newest() *task {
	if len(r.tasks) == 0 {
		return nil
	}
	return r.tasks[len(r.tasks)-1]
}

// task begins a task. A catalog without the tool has it said.
func (r *reading) task(tool string, a act) *task {
	t, ok := r.m.catalog.Tool(tool)
	if !ok {
		r.say("This service does not offer " + tool + ".")
		return nil
	}
	return &task{tool: t, act: a, args: map[string]any{}}
}

// add plans a task.
func (r *reading) add(t *task) {
	if t.about == "" {
		t.about, _ = t.args["prompt"].(string)
	}
	if len(r.tasks) < maxTasks {
		r.tasks = append(r.tasks, t)
	}
}

// insert plans a task that the next one needs.
func (r *reading) insert(tool string, a act) *task {
	t := r.task(tool, a)
	if t != nil {
		r.add(t)
	}
	return t
}

// need plans a task when it has what it cannot do without, or asks for that.
func (r *reading) need(t *task, slot, question string) bool {
	if s, ok := t.args[slot].(string); ok && strings.TrimSpace(s) == "" {
		delete(t.args, slot)
	}
	if t.args[slot] != nil {
		r.add(t)
		return true
	}
	r.ask(t, slot, question)
	return false
}

// ask asks for what a task lacks.
func (r *reading) ask(t *task, slot, question string) {
	r.asked = append(r.asked, wanted{task: t, slot: slot, question: question, argument: t.source(slot)})
}

// purpose is where a clause says what to do after it has said with what: use
// krea to draw a fox.
func (c *clause) purpose() int {
	if !c.tokens[c.start].is("use", "using", "with", "via") {
		return c.start
	}
	for i := c.start + 1; i+1 < c.to; i++ {
		if c.tokens[i].is("to", "and") && c.has(i+1, c.to, "verb") {
			return i + 1
		}
	}
	return c.start
}

// forbids reports whether a clause says what not to do.
func (c *clause) forbids() bool {
	e := c.entry(c.start, c.to, "not")
	return e != nil && !c.tokens[c.start].is("without", "stop") && c.has(c.start+e.words, c.to, "verb")
}

// asks reports whether a clause is a question rather than a request.
func (c *clause) asks() bool {
	if c.has(c.start, c.to, "wish") {
		return false
	}
	if c.entry(c.start, c.to, "wh", "wh") != nil {
		return true
	}
	if c.entry(c.start, c.to, "wh", "aux") != nil {
		return c.question || c.to-c.start > 2 && !c.tokens[c.start].is("do", "have") && c.tokens[c.start+1].is("there", "you", "i", "it", "this", "that",
			"the", "we", "any")
	}
	return c.question && c.start == c.from && c.entry(c.start, c.to, "verb") == nil && !c.nominal(c.start, c.to, false)
}
