package plan

import (
	"sync"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/answer"
	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/phrase"
	"github.com/atelier-project/atelier/internal/kit/talk/slot"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Planner interprets messages for one catalog. It is immutable.
type Planner struct {
	catalog   *catalog.Catalog
	Lexicon   *token.Lexicon
	rules     []intent.Rule
	Templates *phrase.Templates
	models    func() *slot.ModelNames // collected at the first message: many servers never get one
	topics    []answer.Topic
	Guide     *answer.Guide
}

// loadData reads the embedded data files once. The result does not depend on a catalog.
var loadData = sync.OnceValues(func() (p Planner, err error) {
	if p.Lexicon, err = token.LoadLexicon(); err != nil {
		return p, err
	}
	if p.rules, err = intent.LoadRules(); err != nil {
		return p, err
	}
	if p.Templates, err = phrase.Load(); err != nil {
		return p, err
	}
	p.topics, err = answer.LoadTopics(p.Lexicon)
	return p, err
})

// New makes the planner for a catalog.
func New(c *catalog.Catalog) (*Planner, error) {
	p, err := loadData()
	if err != nil {
		return nil, err
	}
	p.catalog, p.models = c, catalog.Derive(c, func() *slot.ModelNames { return slot.NewModelNames(c, p.Lexicon) })
	p.Guide = answer.NewGuide(c, p.models, p.topics)
	return &p, nil
}

// Interpret interprets a message.
func (p *Planner) Interpret(said string, s *DialogState, can func(tool string) bool) *Interpretation {
	r := &Interpretation{planner: p, canCall: can, state: s}
	r.interpretText(p.Lexicon.Parse(said))
	if r.isEmpty() {
		// Nothing was understood: perhaps a verb is misspelt.
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
			continue // used by a clause before it
		}
		if len(r.Tasks) >= maxTasks {
			r.say("I stopped after " + phrase.FormatNumber(maxTasks) + " requests in one message; send the others in the next.")
			break
		}
		r.interpretClause(c)
	}
	r.resolveLeftovers(t)
}

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

// createsInstead are the acts whose words can also ask for something new.
var createsInstead = map[intent.Act]bool{"angle": true, "extend": true, "replace-segment": true, "refine": true, "style": true, "upscale": true}

func (r *Interpretation) planAct(a intent.Act, c *token.Clause, verb int) {
	plan, ok := planners[a]
	if !ok || createsInstead[a] && r.wantsNew(c, verb) {
		plan = (*Interpretation).planCreation
	}
	plan(r, c, verb)
}

// planners plan what an act asks for. They take a clause and how many tokens its verb has.
var planners = map[intent.Act]func(r *Interpretation, c *token.Clause, verb int){
	"template":        (*Interpretation).planTemplate,
	"workflow":        (*Interpretation).planWorkflow,
	"enhance":         (*Interpretation).planPromptEnhancement,
	"lyrics":          (*Interpretation).planLyrics,
	"script":          (*Interpretation).planScript,
	"arrange":         (*Interpretation).planArrangement,
	"subtitle":        (*Interpretation).planSubtitles,
	"overlay":         (*Interpretation).planOverlay,
	"soundtrack":      (*Interpretation).planSoundtrack,
	"replace-segment": (*Interpretation).planSegmentReplacement,
	"stitch":          (*Interpretation).planStitch,
	"extend":          (*Interpretation).planExtension,
	"orbit":           (*Interpretation).planOrbit,
	"dance":           (*Interpretation).planDance,
	"talking-picture": (*Interpretation).planTalkingPicture,
	"music-video":     (*Interpretation).planMusicVideo,
	"angle":           (*Interpretation).planAngle,
	"cutout":          (*Interpretation).planCutout,
	"segment":         (*Interpretation).planSegmentation,
	"animate":         (*Interpretation).planAnimation,
	"model3d":         (*Interpretation).planModel3D,
	"upscale":         (*Interpretation).planUpscale,
	"restore":         (*Interpretation).planRestoration,
	"refine":          (*Interpretation).planRefinement,
	"style":           (*Interpretation).planStyle,
	"outpaint":        (*Interpretation).planOutpainting,
	"metadata":        (*Interpretation).planMetadata,
	"describe":        (*Interpretation).planAnalysis,
	"repeat":          (*Interpretation).planRepeat,
	"speak":           (*Interpretation).planSpeech,
	"edit":            (*Interpretation).planEdit,
}
