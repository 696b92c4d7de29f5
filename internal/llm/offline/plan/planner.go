package plan

import (
	"sync"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm/offline/answer"
	"github.com/atelier-project/atelier/internal/llm/offline/intent"
	"github.com/atelier-project/atelier/internal/llm/offline/phrase"
	"github.com/atelier-project/atelier/internal/llm/offline/slot"
	"github.com/atelier-project/atelier/internal/llm/offline/token"
)

// Planner interprets messages for one catalog. It is immutable.
type Planner struct {
	catalog   *catalog.Catalog
	Lexicon   *token.Lexicon
	rules     []intent.Rule
	Templates *phrase.Templates
	models    *slot.ModelNames
	Guide     *answer.Guide
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

// New makes the planner for a catalog.
func New(c *catalog.Catalog) (*Planner, error) {
	k, err := loadKnowledge()
	if err != nil {
		return nil, err
	}
	names := slot.NewModelNames(c, k.lexicon)
	return &Planner{
		catalog: c, Lexicon: k.lexicon, rules: k.rules, Templates: k.phrases, models: names, Guide: answer.NewGuide(c, names, k.topics),
	}, nil
}

// Interpret interprets a message.
func (p *Planner) Interpret(said string, s *DialogState, can func(tool string) bool) *Interpretation {
	r := &Interpretation{planner: p, canCall: can, state: s}
	r.interpretText(p.Lexicon.Parse(said))
	if r.isEmpty() {
		// Nothing at all was understood: perhaps a verb is misspelt.
		if corrected := p.Lexicon.CorrectSpelling(said); corrected != said {
			again := &Interpretation{planner: p, canCall: can, state: s}
			again.interpretText(p.Lexicon.Parse(corrected))
			if !again.isEmpty() {
				return again
			}
		}
	}
	return r
}

func (r *Interpretation) interpretText(t *token.Text) {
	for _, c := range t.SplitClauses() {
		if c.Used[c.Start] {
			continue // taken by a clause before it
		}
		if len(r.Tasks) >= maxTasks {
			r.say("I stopped after " + phrase.FormatNumber(maxTasks) + " requests in one message; send the others in the next.")
			break
		}
		r.interpretClause(c)
	}
	r.resolveLeftovers(t)
}

// interpretClause interprets one clause.
func (r *Interpretation) interpretClause(c *token.Clause) {
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
func (r *Interpretation) planAct(a intent.Act, c *token.Clause, n int) {
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
