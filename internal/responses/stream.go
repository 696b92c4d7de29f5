package responses

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Event is an event of a stream. Its name is its type.
type Event struct {
	Type         string    `json:"type"`
	Sequence     int64     `json:"sequence_number"`
	Response     *Response `json:"response,omitzero"`
	OutputIndex  *int      `json:"output_index,omitzero"`
	ItemID       string    `json:"item_id,omitzero"`
	ContentIndex *int      `json:"content_index,omitzero"`
	Item         any       `json:"item,omitzero"`
	Part         any       `json:"part,omitzero"`
	Delta        *string   `json:"delta,omitzero"`
	Text         *string   `json:"text,omitzero"`
	Name         *string   `json:"name,omitzero"`
	Arguments    *string   `json:"arguments,omitzero"`
	Logprobs     []any     `json:"logprobs,omitzero"`
	PartialIndex *int      `json:"partial_image_index,omitzero"`
	Partial      []byte    `json:"partial_image_b64,omitzero"`
}

// Files are the files that the JSON of the event has placeholders for.
func (ev Event) Files() []File {
	switch {
	case ev.Response != nil:
		return Files(ev.Response.Output)
	case ev.Item != nil:
		return Files([]any{ev.Item})
	}
	return nil
}

// Streamer makes the events of one response. An event counts one, and a text as many as it has bytes: so the numbers
// do not depend on the pieces in which the text came, and a reader can go on in the middle of it.
type Streamer struct {
	note     Note
	response string // the id
	after    int64  // the number of the last event that was read before; -1 for none
	next     int64  // number
	items    int    // of the output so far
	events   []Event

	message *messageItem // that is being written; nil for none
	place   int          // its place in the output
	text    strings.Builder
	spaces  string // that end the text so far: they are a part of it if more follows
	again   string // the text of another attempt, while it is the same as the beginning of the one before
	repeats bool   // the model writes the text again
	before  []byte // the event of a text before its number, where WriteText writes it

	calls map[string]*openCall // of tools of the service that are under way, by id
}

// openCall is a call of a tool of the service that is under way.
type openCall struct {
	llm.ToolCall
	place    int // in the output
	isActive bool
	previews int
}

// NewStreamer makes the streamer of a response. The reader has read the events up to a number; -1 for none.
func NewStreamer(response string, note Note, after int64) *Streamer {
	return &Streamer{note: note, response: response, after: after, calls: map[string]*openCall{}}
}

// Take returns the events that were made since the last call.
func (s *Streamer) Take() []Event {
	list := s.events
	s.events = nil
	return list
}

// add adds an event, unless it was read before.
func (s *Streamer) add(ev Event) {
	ev.Sequence = s.next
	s.next++
	if ev.Sequence > s.after {
		s.events = append(s.events, ev)
	}
}

// Begin are the events that open a stream.
func (s *Streamer) Begin(r *Response) {
	first := *r
	first.Status, first.Output, first.Usage, first.Error, first.Incomplete = "in_progress", []any{}, nil, nil, nil
	if r.Background {
		queued := first
		queued.Status = "queued"
		s.add(Event{Type: "response.created", Response: &queued})
		s.add(Event{Type: "response.queued", Response: &queued})
	} else {
		s.add(Event{Type: "response.created", Response: &first})
	}
	s.add(Event{Type: "response.in_progress", Response: &first})
}

// open begins a message.
func (s *Streamer) open() {
	if s.message != nil {
		return
	}
	m := newMessage(s.response, s.items, "in_progress", "")
	part := m.Content[0]
	m.Content = []outputText{}
	s.message, s.place = &m, s.items
	s.items++
	s.text.Reset()
	s.spaces = ""
	s.add(Event{Type: "response.output_item.added", OutputIndex: &s.place, Item: m})
	s.add(Event{Type: "response.content_part.added", OutputIndex: &s.place, ItemID: m.ID, ContentIndex: new(int), Part: part})
}

// AddText adds what the model has written. Spaces around an answer are not a part of it. A text that the model writes
// again, because its server has failed, continues what was sent for as long as it is the same.
func (s *Streamer) AddText(text string, isFirst bool) {
	if isFirst {
		s.again, s.repeats = "", s.message != nil && s.text.Len() > 0
	}
	if s.repeats {
		s.again += text
		sent, written := s.text.String(), strings.TrimLeftFunc(s.again, unicode.IsSpace)
		if len(written) < len(sent) && strings.HasPrefix(sent, written) {
			return
		}
		s.repeats = false
		if text = strings.TrimPrefix(written, sent); text == written {
			s.closeMessage("incomplete", sent)
		}
		s.spaces = ""
	}
	if s.message == nil || s.text.Len() == 0 {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	text = s.spaces + text
	kept := strings.TrimRightFunc(text, unicode.IsSpace)
	if kept == "" {
		if s.message != nil && s.text.Len() > 0 {
			s.spaces = text
		}
		return
	}
	s.open()
	s.spaces = text[len(kept):]
	s.addDelta(kept)
}

// addDelta adds text, without the part of it that was read before.
func (s *Streamer) addDelta(text string) {
	s.text.WriteString(text)
	s.next += int64(len(text))
	if s.next-1 <= s.after {
		return
	}
	unread := text[max(0, len(text)-int(s.next-1-s.after)):]
	for len(unread) > 0 && !utf8.RuneStart(unread[0]) { // numbers are of whole characters
		unread = unread[1:]
	}
	place := s.place
	s.events = append(s.events, Event{Type: textEvent, Sequence: s.next - 1, OutputIndex: &place, ItemID: s.message.ID, ContentIndex: new(int), Delta: &unread, Logprobs: []any{}})
}

const textEvent = "response.output_text.delta"

// EndMessage ends the message that is being written, whose whole text is known now.
func (s *Streamer) EndMessage(whole string) {
	sent := s.text.String()
	s.repeats = false
	switch {
	case whole == "" && s.message == nil:
		return
	case s.message == nil:
		s.open()
		s.addDelta(whole)
	case strings.HasPrefix(whole, sent) && len(whole) > len(sent):
		s.addDelta(whole[len(sent):])
	case whole != "" && whole != sent && !strings.HasPrefix(sent, whole): // another attempt has ended before it was read
		s.closeMessage("incomplete", sent)
		s.open()
		s.addDelta(whole)
	}
	s.closeMessage("completed", whole)
}

func (s *Streamer) closeMessage(status, text string) {
	m, place := newMessage(s.response, s.place, status, text), s.place
	s.add(Event{Type: "response.output_text.done", OutputIndex: &place, ItemID: m.ID, ContentIndex: new(int), Text: &text, Logprobs: []any{}})
	s.add(Event{Type: "response.content_part.done", OutputIndex: &place, ItemID: m.ID, ContentIndex: new(int), Part: m.Content[0]})
	s.add(Event{Type: "response.output_item.done", OutputIndex: &place, Item: m})
	s.message = nil
	s.text.Reset()
}

// addCall adds a call that the caller is to make.
func (s *Streamer) addCall(c llm.ToolCall) {
	done, place := newCall(s.response, s.items, c), s.items
	s.items++
	begun := done
	begun.Status, begun.Arguments = "in_progress", ""
	s.add(Event{Type: "response.output_item.added", OutputIndex: &place, Item: begun})
	s.add(Event{Type: "response.function_call_arguments.delta", OutputIndex: &place, ItemID: done.ID, Delta: &done.Arguments})
	s.add(Event{Type: "response.function_call_arguments.done", OutputIndex: &place, ItemID: done.ID, Name: &done.Name, Arguments: &done.Arguments})
	s.add(Event{Type: "response.output_item.done", OutputIndex: &place, Item: done})
}

// AddRound ends a round of the model: its message, and the calls in it.
func (s *Streamer) AddRound(text string, calls []llm.ToolCall) {
	s.EndMessage(text)
	isFunction := s.note.functions()
	for _, c := range calls {
		if isFunction(c.Function.Name) {
			s.addCall(c)
			continue
		}
		open := &openCall{ToolCall: c, place: s.items}
		s.calls[c.ID] = open
		s.items++
		begun, kind := s.itemOf(open, apitype.CallResolved{}, false)
		s.add(Event{Type: "response.output_item.added", OutputIndex: &open.place, Item: begun[0]})
		s.add(Event{Type: "response." + kind + ".in_progress", OutputIndex: &open.place, ItemID: s.idOf(open)})
		if kind == "mcp_call" {
			s.add(Event{Type: "response.mcp_call_arguments.delta", OutputIndex: &open.place, ItemID: s.idOf(open), Delta: &c.Function.Arguments})
			s.add(Event{Type: "response.mcp_call_arguments.done", OutputIndex: &open.place, ItemID: s.idOf(open), Arguments: &c.Function.Arguments})
		}
	}
}

func (s *Streamer) idOf(c *openCall) string {
	if s.note.isPicture(c.Function.Name) {
		return itemID("ig_", s.response, c.place)
	}
	return itemID("mcp_", s.response, c.place)
}

// itemOf are the items of a call of a tool of the service, and their type.
func (s *Streamer) itemOf(c *openCall, p apitype.CallResolved, over bool) (items []any, kind string) {
	result := apitype.RunToolResult{Status: p.Status, Summary: p.Summary}
	if s.note.isPicture(c.Function.Name) {
		return newImages(s.response, c.place, result, over, p.Artifacts), "image_generation_call"
	}
	return []any{newHosted(s.response, c.place, c.ToolCall, result, over, p.Artifacts)}, "mcp_call"
}

// AddProgress shows that a picture is being made. It returns the URL of a preview to show with AddPreview, or nothing.
func (s *Streamer) AddProgress(p apitype.CallProgress) string {
	c := s.calls[p.ToolCallID]
	if c == nil || !s.note.isPicture(c.Function.Name) {
		return ""
	}
	if !c.isActive {
		c.isActive = true
		s.add(Event{Type: "response.image_generation_call.generating", OutputIndex: &c.place, ItemID: s.idOf(c)})
	}
	if c.previews >= s.note.Partial {
		return ""
	}
	return p.PreviewURL
}

// AddPreview shows a preview of a picture. Those who read the response later do not see it.
func (s *Streamer) AddPreview(call string, file []byte) {
	if c := s.calls[call]; c != nil {
		n := c.previews
		c.previews++
		s.events = append(s.events, Event{Type: "response.image_generation_call.partial_image", Sequence: s.next - 1, OutputIndex: &c.place, ItemID: s.idOf(c), PartialIndex: &n, Partial: file})
	}
}

// AddResult ends a call of a tool of the service.
func (s *Streamer) AddResult(p apitype.CallResolved) {
	c := s.calls[p.ToolCallID]
	if c == nil {
		return
	}
	delete(s.calls, p.ToolCallID)
	items, kind := s.itemOf(c, p, true)
	outcome := "completed"
	if p.Status != "ok" && kind == "mcp_call" {
		outcome = "failed"
	}
	s.add(Event{Type: "response." + kind + "." + outcome, OutputIndex: &c.place, ItemID: s.idOf(c)})
	s.add(Event{Type: "response.output_item.done", OutputIndex: &c.place, Item: items[0]})
	for _, more := range items[1:] {
		place, image := s.items, more.(imageItem)
		s.items++
		image.ID = itemID("ig_", s.response, place)
		image.Result = &image.ID
		s.add(Event{Type: "response.output_item.added", OutputIndex: &place, Item: image})
		s.add(Event{Type: "response.output_item.done", OutputIndex: &place, Item: image})
	}
}

// endings are the last events by the status of the response.
var endings = map[string]string{"completed": "response.completed", "incomplete": "response.incomplete", "failed": "response.failed", "cancelled": "response.failed"}

// End ends the stream.
func (s *Streamer) End(r *Response) {
	if s.message != nil { // the end has interrupted it
		s.closeMessage("incomplete", s.text.String())
	}
	s.add(Event{Type: endings[r.Status], Response: r})
}

// WriteText writes the JSON of the event of a text that is not stored, and whose message is open. Such events differ
// only in the text and their number.
func (s *Streamer) WriteText(b *bytes.Buffer, text string) {
	if s.before == nil {
		s.before = fmt.Appendf(nil, `{"type":%q,"output_index":%d,"item_id":%q,"content_index":0,"logprobs":[],"sequence_number":`, textEvent, s.place, s.message.ID)
	}
	b.Write(s.before)
	b.Write(fmt.Append(b.AvailableBuffer(), s.next))
	b.WriteString(`,"delta":`)
	b.Write(wire.AppendString(b.AvailableBuffer(), text))
	b.WriteByte('}')
	s.next++
}

// Open begins the message of an answer that is not stored.
func (s *Streamer) Open() { s.open() }

// TextEvent is the name of the events that WriteText writes.
const TextEvent = textEvent

// EndAnswer ends the stream of an answer that is not stored.
func (s *Streamer) EndAnswer(r *Response, done chat.Completion) {
	if s.message != nil {
		s.closeMessage("completed", done.Content)
	} else if len(done.ToolCalls) == 0 {
		s.EndMessage(done.Content)
	}
	for _, c := range done.ToolCalls {
		s.addCall(c)
	}
	s.End(r)
}
