package talk

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/talk/plan"
)

// restoreState restores the media, the last request and the open question by interpreting the earlier messages again.
// Nothing else is kept.
func (m *Model) restoreState(c *conversation, tools *toolset) *plan.DialogState {
	note := readMediaNote(c.system)
	everything := &plan.MediaList{}
	addUploads(everything, c, note)
	s := &plan.DialogState{Media: &plan.MediaList{}}
	last := len(c.turns) - 1
	for i, t := range c.turns {
		for _, it := range everything.Items {
			if it.Turn == i {
				s.Media.Items = append(s.Media.Items, it)
			}
			it.Current = it.Turn == i
		}
		if i == last {
			break
		}
		m.replayTurn(s, t, i, tools, last-i <= maxTurns)
	}
	alignWithNote(s.Media, note)
	slices.SortStableFunc(s.Media.Items, func(a, b *plan.MediaItem) int { return 2*(a.Turn-b.Turn) + sortKey(a) - sortKey(b) })
	return s
}

// sortKey sorts uploads before the results of a turn.
func sortKey(it *plan.MediaItem) int {
	if it.IsUpload() {
		return 0
	}
	return 1
}

// replayTurn interprets an earlier turn and adds its results.
func (m *Model) replayTurn(s *plan.DialogState, t *turn, i int, tools *toolset, near bool) {
	var tasks []*plan.Task
	var asked []plan.Question
	if near {
		r := m.planner.Interpret(t.text, s, tools.canCall)
		tasks, asked = r.Tasks, r.Questions
	}
	if called := m.tasksFromCalls(t, s); called != nil {
		tasks = called
	}
	addOutputs(s, t, i, tasks)
	if len(tasks) > 0 {
		s.Last = tasks
	}
	s.Pending = nil
	if n := len(asked); n > 0 && strings.Contains(t.reply, asked[n-1].Text) {
		s.Pending = &asked[n-1]
	}
}

// tasksFromCalls makes tasks from the calls of a turn.
func (m *Model) tasksFromCalls(t *turn, s *plan.DialogState) (out []*plan.Task) {
	for _, o := range t.calls {
		tool, ok := m.catalog.Tool(o.call.Function.Name)
		if !ok || o.args == nil {
			continue
		}
		k := &plan.Task{Tool: tool, Act: "make", Args: map[string]any{}}
		if len(tool.Needs) > 0 {
			k.Act = "edit"
		}
		for _, name := range slices.Sorted(maps.Keys(o.args)) {
			v := o.args[name]
			a, known := tool.Argument(name)
			if !known {
				continue
			}
			index, single := v.(float64)
			switch {
			case a.Media == "" || a.URL:
				k.Args[name] = v
			case single:
				if it := s.Media.Find(string(a.Media), int(index)); it != nil {
					k.SetMedia(name, plan.MediaRef{Item: it})
				}
			}
		}
		for _, name := range []string{"prompt", "brief", "description", "query", "text"} {
			if text, ok := k.Args[name].(string); ok && k.Subject == "" {
				k.Subject = text
			}
		}
		out = append(out, k)
	}
	return out
}

// addOutputs adds what a turn made to the media, labelled by the tasks that made it.
func addOutputs(s *plan.DialogState, t *turn, i int, tasks []*plan.Task) {
	var kinds []string
	for _, o := range t.calls {
		for _, a := range o.assets() {
			kinds = append(kinds, a.kind)
		}
	}
	if kinds == nil {
		kinds = findLinkedMedia(t.reply)
	}
	left := map[*plan.Task]int{}
	for _, k := range tasks {
		left[k] = k.OutputCount()
	}
	for _, kind := range kinds {
		var by *plan.Task
		for _, k := range tasks {
			if k.OutputKind() == kind && left[k] > 0 {
				by = k
				left[k]--
				break
			}
		}
		label := ""
		if by != nil {
			label = by.Label()
		}
		it := s.Media.Add(kind, label, i)
		if by != nil && by.Result == nil {
			by.Result = it
		}
	}
}

// mediaLine matches the lines in which a system message lists media: "image -1: sent by the user cat.png", "video 0:
// made earlier", "media_references: image 1: cat.png".
var mediaLine = regexp.MustCompile(`(?m)^[ \t*-]*(media_references:[ \t]*)?(image|video|audio|model) (-?\d{1,4}): ?(.*)$`)

// mediaNote is the media that a system message lists.
type mediaNote struct {
	given     bool
	uploads   map[string][]string // labels by kind
	inline    int                 // images inside messages, listed last
	generated map[string]int
}

func readMediaNote(system []string) mediaNote {
	n := mediaNote{uploads: map[string][]string{}, generated: map[string]int{}}
	for _, text := range system {
		for _, m := range mediaLine.FindAllStringSubmatch(text, -1) {
			index, err := strconv.Atoi(m[3])
			if err != nil {
				continue
			}
			n.given = true
			kind, label := m[2], strings.TrimSpace(m[4])
			switch {
			case m[1] != "" || index < 0:
				if strings.HasPrefix(label, "shown by") {
					n.inline++
				}
				label = strings.TrimPrefix(strings.TrimPrefix(label, "sent by the user"), "shown by the user")
				n.uploads[kind] = append(n.uploads[kind], labelFromFile(label))
			default:
				n.generated[kind] = max(n.generated[kind], index+1)
			}
		}
	}
	return n
}

func labelFromFile(file string) string {
	file = strings.TrimSpace(file)
	if dot := strings.LastIndexByte(file, '.'); dot > 0 && len(file)-dot <= 5 {
		file = file[:dot]
	}
	return strings.NewReplacer("_", " ", "-", " ").Replace(file)
}

// addUploads adds the uploads to the media. Images inside messages come after those beside the request; without a note
// there are no others.
func addUploads(s *plan.MediaList, c *conversation, n mediaNote) {
	last := len(c.turns) - 1
	inline := 0
	for _, t := range c.turns {
		inline += t.images
	}
	for _, kind := range []string{"image", "video", "audio", "model"} {
		beside := len(n.uploads[kind])
		if kind == "image" {
			beside -= n.inline
		}
		for i := range max(0, beside) {
			// Media beside a request is sent again with every request, so it belongs to the first message.
			s.Items = append(s.Items, &plan.MediaItem{Kind: kind, Index: -i - 1, Label: n.uploads[kind][i], Current: last <= 0})
		}
	}
	at := s.Count("image", true)
	for i, t := range c.turns {
		for range t.images {
			at++
			s.Items = append(s.Items, &plan.MediaItem{Kind: "image", Index: -at, Turn: i, Current: i == last})
		}
	}
}

// linkPattern matches links in earlier answers.
var linkPattern = regexp.MustCompile(`!?\[[^\]\n]*\]\((https?://[^\s)]+)\)`)

// findLinkedMedia lists the kinds of the media that an answer links to.
func findLinkedMedia(reply string) (kinds []string) {
	for _, m := range linkPattern.FindAllStringSubmatch(reply, -1) {
		path, _, _ := strings.Cut(m[1], "?")
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 {
			continue
		}
		switch strings.ToLower(path[dot:]) {
		case ".png", ".jpg", ".jpeg", ".webp", ".gif":
			kinds = append(kinds, "image")
		case ".mp4", ".mov", ".webm":
			kinds = append(kinds, "video")
		case ".wav", ".mp3", ".flac", ".m4a":
			kinds = append(kinds, "audio")
		case ".glb":
			kinds = append(kinds, "model")
		}
	}
	return kinds
}

// alignWithNote aligns the indices of results with a note, which also counts results that this conversation no longer
// shows.
func alignWithNote(s *plan.MediaList, n mediaNote) {
	if !n.given {
		return
	}
	var kept []*plan.MediaItem
	for _, kind := range []string{"image", "video", "audio", "model"} {
		made := s.Filter(kind, false)
		ahead := n.generated[kind] - len(made)
		for i := range max(0, ahead) {
			kept = append(kept, &plan.MediaItem{Kind: kind, Index: i})
		}
		for _, it := range made {
			if it.Index += ahead; it.Index >= 0 {
				kept = append(kept, it)
			}
		}
		kept = append(kept, s.Filter(kind, true)...)
	}
	s.Items = kept
}
