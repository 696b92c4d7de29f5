package plan

import (
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/intent"
	"github.com/atelier-project/atelier/internal/kit/talk/token"
)

// Interpretation is what one message asks for.
type Interpretation struct {
	planner *Planner
	canCall func(tool string) bool // whether the request offers a tool
	state   *DialogState

	Tasks         []*Task
	Answers       []string   // answers in words
	Questions     []Question // what tasks lack
	SmallTalk     string     // a greeting, thanks and the like
	unresolved    []*token.Clause
	labelTokens   [2]int // the tokens of the last reference by label
	notUnderstood bool   // some clause was not understood
}

// DialogState is what the messages before this one lead to.
type DialogState struct {
	Media   *MediaList
	Last    []*Task   // of the latest message that asked for something
	Pending *Question // a question that was asked and not yet answered
}

// Question asks for what a task lacks.
type Question struct {
	task     *Task
	slot     string // the argument, or the kind of media
	argument string // the argument that takes the media
	Text     string
}

const maxTasks = 12

// isEmpty reports whether nothing was understood.
func (r *Interpretation) isEmpty() bool {
	return len(r.Tasks) == 0 && len(r.Answers) == 0 && len(r.Questions) == 0 && r.SmallTalk == ""
}

func (r *Interpretation) say(s string) { r.Answers = append(r.Answers, s) }

// sayIf adds an answer, if there is one.
func (r *Interpretation) sayIf(text string, ok bool) bool {
	if ok {
		r.say(text)
	}
	return ok
}

func (r *Interpretation) lastTask() *Task {
	if len(r.Tasks) == 0 {
		return nil
	}
	return r.Tasks[len(r.Tasks)-1]
}

// newTask makes a task. If the catalog has no such tool, it says so and returns nil.
func (r *Interpretation) newTask(tool string, a intent.Act) *Task {
	t, ok := r.planner.catalog.Tool(tool)
	if !ok {
		r.say("This service does not offer " + tool + ".")
		return nil
	}
	return &Task{Tool: t, Act: a, Args: map[string]any{}}
}

func (r *Interpretation) addTask(t *Task) {
	if t.Subject == "" {
		t.Subject, _ = t.Args["prompt"].(string)
	}
	if len(r.Tasks) < maxTasks {
		r.Tasks = append(r.Tasks, t)
	}
}

// addNewTask plans a task that the next one needs.
func (r *Interpretation) addNewTask(tool string, a intent.Act) *Task {
	t := r.newTask(tool, a)
	if t != nil {
		r.addTask(t)
	}
	return t
}

// addOrAsk adds a task if it has the argument, else asks for it.
func (r *Interpretation) addOrAsk(t *Task, slot, question string) bool {
	if s, ok := t.Args[slot].(string); ok && strings.TrimSpace(s) == "" {
		delete(t.Args, slot)
	}
	if t.Args[slot] != nil {
		r.addTask(t)
		return true
	}
	r.ask(t, slot, question)
	return false
}

func (r *Interpretation) ask(t *Task, slot, text string) {
	r.Questions = append(r.Questions, Question{task: t, slot: slot, Text: text, argument: t.mediaArgumentFor(slot)})
}
