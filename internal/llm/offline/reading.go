package offline

import (
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm/offline/answer"
	"github.com/atelier-project/atelier/internal/llm/offline/intent"
	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// planner turns messages into tasks and answers for one catalog. It is
// immutable.
type planner struct {
	catalog   *catalog.Catalog
	lexicon   *token.Lexicon
	rules     []intent.Rule
	templates *phrase.Templates
	models    *slot.ModelNames
	guide     *answer.Guide
}

// knowledge is the content of the data files. It does not depend on a catalog.
type knowledge struct {
	lexicon *token.Lexicon
	rules   []intent.Rule
	phrases *phrase.Templates
	topics  []answer.Topic
}

// loadKnowledge reads the embedded files once.
var loadKnowledge = sync.OnceValues(func() (*knowledge, error) {
	k := new(knowledge)
	var err error
	if k.lexicon, err = token.LoadLexicon(); err != nil {
		return nil, err
	}
	if k.rules, err = intent.LoadRules(); err != nil {
		return nil, err
	}
	if k.phrases, err = phrase.Load(); err != nil {
		return nil, err
	}
	if k.topics, err = answer.LoadTopics(k.lexicon); err != nil {
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
	names := slot.NewModelNames(c, k.lexicon)
	return &planner{
		catalog: c, lexicon: k.lexicon, rules: k.rules, templates: k.phrases, models: names, guide: answer.NewGuide(c, names, k.topics),
	}, nil
}

// interpretation is what the model makes of one message.
type interpretation struct {
	planner *planner
	canCall func(tool string) bool // whether the request offers a tool
	state   *dialogState

	tasks         []*task
	answers       []string   // answers in words
	questions     []question // what has to be known first
	smallTalk     string     // a greeting, thanks and the like
	unresolved    []*token.Clause
	labelTokens   [2]int // the tokens by which media was last meant by what it shows
	notUnderstood bool   // something was not understood
	guessed       bool   // a picture is drawn only because the words could describe one
}

// dialogState is what there was before a message.
type dialogState struct {
	media   *mediaList
	last    []*task   // of the latest message that asked for something
	pending *question // a question that was asked and not yet answered
}

// question is something that a task lacks.
type question struct {
	task     *task
	slot     string // the argument, or the kind of media
	argument string // that takes the media
	text     string
}

// maxTasks bounds what one message can start.
const maxTasks = 12

// interpret makes sense of a message.
func (p *planner) interpret(said string, s *dialogState, can func(tool string) bool) *interpretation {
	r := &interpretation{planner: p, canCall: can, state: s}
	r.interpretText(p.lexicon.Parse(said))
	if r.isEmpty() {
		// Nothing at all was understood: perhaps a verb is misspelt.
		if corrected := p.lexicon.CorrectSpelling(said); corrected != said {
			again := &interpretation{planner: p, canCall: can, state: s}
			again.interpretText(p.lexicon.Parse(corrected))
			if !again.isEmpty() {
				return again
			}
		}
	}
	return r
}

// isEmpty reports whether nothing came of the message.
func (r *interpretation) isEmpty() bool {
	return len(r.tasks) == 0 && len(r.answers) == 0 && len(r.questions) == 0 && r.smallTalk == ""
}

func (r *interpretation) interpretText(t *token.Text) {
	for _, c := range t.SplitClauses() {
		if c.Used[c.Start] {
			continue // taken by a clause before it
		}
		if len(r.tasks) >= maxTasks {
			r.say("I stopped after " + phrase.FormatNumber(maxTasks) + " requests in one message; send the others in the next.")
			break
		}
		r.interpretClause(c)
	}
	r.resolveLeftovers(t)
}

// interpretClause makes sense of one clause.
func (r *interpretation) interpretClause(c *token.Clause) {
	if r.takeSmallTalk(c) || r.repeatWords(c) {
		return
	}
	c.Start = intent.FindRequest(c)
	if intent.IsProhibition(c) {
		if t := r.lastTask(); t != nil {
			r.amend(t, c)
		}
		return
	}
	if r.takeReply(c) || r.answerCapability(c) {
		return
	}
	if intent.IsQuestion(c) {
		r.answerQuestion(c)
		return
	}
	if r.takeListItem(c) || r.takeDetail(c) {
		return
	}
	a, n := intent.Recognize(r.planner.rules, c)
	if a == "" && c.NamesMedia(c.Start, c.End, false) {
		a = "make" // "two pictures of …" needs no verb
	}
	if a == "" && r.namesDance(c) {
		a = "dance"
	}
	if a == "" {
		if e := findUnsupported(c, c.Start, slot.NounPhrase{Start: c.Start + c.VerbLength()}); e != nil && c.VerbLength() > 0 {
			r.refuse(e)
			return
		}
		r.unresolved = append(r.unresolved, c)
		return
	}
	r.planAct(a, c, n)
}

// planAct plans what an act asks for.
func (r *interpretation) planAct(a intent.Act, c *token.Clause, n int) {
	switch a {
	case "template":
		r.planTemplate(c)
	case "workflow":
		r.planWorkflow(c)
	case "enhance":
		r.planPromptEnhancement(c)
	case "lyrics":
		r.planLyrics(c)
	case "script":
		r.planScript(c)
	case "arrange":
		r.planArrangement(c)
	case "subtitle":
		r.planSubtitles(c, n)
	case "overlay":
		r.planOverlay(c, n)
	case "soundtrack":
		r.planSoundtrack(c, n)
	case "patch":
		r.planSegmentReplacement(c, n)
	case "stitch":
		r.planStitch(c, n)
	case "extend":
		r.planExtension(c, n)
	case "orbit":
		r.planOrbit(c, n)
	case "dance":
		r.planDance(c, n)
	case "talking":
		r.planTalkingPicture(c, n)
	case "musicvideo":
		r.planMusicVideo(c, n)
	case "angle":
		r.planAngle(c, n)
	case "cutout":
		r.planCutout(c)
	case "select":
		r.planSegmentation(c, n)
	case "animate":
		r.planAnimation(c, n)
	case "solid":
		r.planModel3D(c, n)
	case "upscale":
		r.planUpscale(c, n)
	case "restore":
		r.planRestoration(c, n)
	case "refine":
		r.planRefinement(c, n)
	case "style":
		r.planStyle(c, n)
	case "expand":
		r.planOutpainting(c, n)
	case "metadata":
		r.planMetadata(c)
	case "describe":
		r.planAnalysis(c)
	case "again":
		r.planRepeat(c, n)
	case "speak":
		r.planSpeech(c, n)
	case "edit":
		r.planEdit(c, n)
	default:
		r.planCreation(c, n)
	}
}

// say adds an answer in words.
func (r *interpretation) say(s string) { r.answers = append(r.answers, s) }

// answerFromGuide answers a question about the service, if a clause asks one.
func (r *interpretation) answerFromGuide(c *token.Clause) bool {
	text, ok := r.planner.guide.Answer(c)
	if ok {
		r.say(text)
	}
	return ok
}

// calculate answers a sum, if a clause asks for one.
func (r *interpretation) calculate(c *token.Clause) bool {
	text, ok := answer.Calculate(c)
	if ok {
		r.say(text)
	}
	return ok
}

// lastTask is the last task of this message.
func (r *interpretation) lastTask() *task {
	if len(r.tasks) == 0 {
		return nil
	}
	return r.tasks[len(r.tasks)-1]
}

// newTask begins a task. A catalog without the tool has it said.
func (r *interpretation) newTask(tool string, a intent.Act) *task {
	t, ok := r.planner.catalog.Tool(tool)
	if !ok {
		r.say("This service does not offer " + tool + ".")
		return nil
	}
	return &task{tool: t, act: a, args: map[string]any{}}
}

// addTask plans a task.
func (r *interpretation) addTask(t *task) {
	if t.subject == "" {
		t.subject, _ = t.args["prompt"].(string)
	}
	if len(r.tasks) < maxTasks {
		r.tasks = append(r.tasks, t)
	}
}

// addNewTask plans a task that the next one needs.
func (r *interpretation) addNewTask(tool string, a intent.Act) *task {
	t := r.newTask(tool, a)
	if t != nil {
		r.addTask(t)
	}
	return t
}

// addOrAsk plans a task when it has what it cannot do without, or asks for that.
func (r *interpretation) addOrAsk(t *task, slot, question string) bool {
	if s, ok := t.args[slot].(string); ok && strings.TrimSpace(s) == "" {
		delete(t.args, slot)
	}
	if t.args[slot] != nil {
		r.addTask(t)
		return true
	}
	r.ask(t, slot, question)
	return false
}

// ask asks for what a task lacks.
func (r *interpretation) ask(t *task, slot, text string) {
	r.questions = append(r.questions, question{task: t, slot: slot, text: text, argument: t.mediaArgumentFor(slot)})
}
