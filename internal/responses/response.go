package responses

import (
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Response is a response as it is read.
type Response struct {
	ID         string      `json:"id"`
	Object     string      `json:"object"`
	CreatedAt  int64       `json:"created_at"`
	Status     string      `json:"status"` // queued, in_progress, completed, incomplete, failed or cancelled
	Error      *Failure    `json:"error"`
	Incomplete *Incomplete `json:"incomplete_details"`
	Model      string      `json:"model"`
	Output     []any       `json:"output"`
	Usage      *Usage      `json:"usage"`
	Settings
}

// Failure says why a response has failed.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Incomplete says why a response has ended early.
type Incomplete struct {
	Reason string `json:"reason"` // max_output_tokens or content_filter
}

// Usage counts the tokens of all rounds.
type Usage struct {
	Input         int           `json:"input_tokens"`
	InputDetails  inputDetails  `json:"input_tokens_details"`
	Output        int           `json:"output_tokens"`
	OutputDetails outputDetails `json:"output_tokens_details"`
	Total         int           `json:"total_tokens"`
}

type inputDetails struct {
	Cached int `json:"cached_tokens"`
}

type outputDetails struct {
	Reasoning int `json:"reasoning_tokens"`
}

func newUsage(prompt, completion, cached int) *Usage {
	return &Usage{Input: prompt, InputDetails: inputDetails{cached}, Output: completion, Total: prompt + completion}
}

// The items of an output.
type (
	messageItem struct {
		ID      string       `json:"id"`
		Type    string       `json:"type"`
		Status  string       `json:"status"`
		Role    string       `json:"role"`
		Content []outputText `json:"content"`
	}
	outputText struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Annotations []any  `json:"annotations"`
		Logprobs    []any  `json:"logprobs"`
	}
	callItem struct { // for the caller to make
		ID        string `json:"id"`
		Type      string `json:"type"`
		Status    string `json:"status"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	imageItem struct {
		ID     string  `json:"id"`
		Type   string  `json:"type"`
		Status string  `json:"status"`
		Result *string `json:"result"` // a placeholder of the file, in base64
		url    string
	}
	hostedItem struct { // a call of a tool of the service
		ID          string  `json:"id"`
		Type        string  `json:"type"`
		Status      string  `json:"status"`
		ServerLabel string  `json:"server_label"`
		Name        string  `json:"name"`
		Arguments   string  `json:"arguments"`
		Output      *string `json:"output"`
		Error       *string `json:"error"`
		Approval    *string `json:"approval_request_id"`
	}
)

// Ids: those of a response and of its items name the run.
const (
	responsePrefix = "resp_"
	runPrefix      = "run_"
)

// ResponseID is the id of the response that a run makes.
func ResponseID(id atelier.RunID) string {
	return responsePrefix + strings.TrimPrefix(string(id), runPrefix)
}

// RunID is the run that makes a response; ok is false when no response can have the id.
func RunID(response string) (id atelier.RunID, ok bool) {
	rest, ok := strings.CutPrefix(response, responsePrefix)
	return atelier.RunID(runPrefix + rest), ok
}

func itemID(prefix, response string, n int) string {
	return prefix + strings.TrimPrefix(response, responsePrefix) + "_" + strconv.Itoa(n)
}

// splitItemID finds the response of an item, and the place of the item in it.
func splitItemID(id string) (response string, n int, ok bool) {
	_, rest, ok := strings.Cut(id, "_")
	name, place, hasPlace := strings.Cut(rest, "_")
	n, err := strconv.Atoi(place)
	return responsePrefix + name, n, ok && hasPlace && err == nil && n >= 0
}

// Stored is a response that is stored, as a run.
type Stored struct {
	Run   apitype.Run
	Note  Note
	Given []llm.Message // of the request
	Made  []llm.Message // by the model and its tools
}

// conversation is what the next response begins with. Instructions are not passed on.
func (s *Stored) conversation() []llm.Message {
	given := s.Given
	if s.Note.Instructions != nil {
		given = given[1:]
	}
	return append(given[:len(given):len(given)], s.Made...)
}

// CallsOfRound are the calls of a round of the model, which counts from 1.
func (s *Stored) CallsOfRound(round int) []llm.ToolCall {
	for _, m := range s.Made {
		if m.Role != "assistant" {
			continue
		}
		if round--; round == 0 {
			return m.ToolCalls
		}
	}
	return nil
}

// made is the media that this response and those before it have made.
func (s *Stored) made() (list []atelier.MediaReference) {
	add := func(kind string, urls []string) {
		for _, url := range urls {
			list = append(list, atelier.MediaAt(kind, url))
		}
	}
	add("image", s.Run.MediaContext.Images)
	add("video", s.Run.MediaContext.Videos)
	add("audio", s.Run.MediaContext.Audio)
	return list
}

// Response is the response as it is read.
func (s *Stored) Response() *Response {
	r := &Response{
		ID: ResponseID(s.Run.RunID), Object: "response", CreatedAt: s.Run.CreateTime / 1000, Model: s.Run.Request.Model, Output: s.Items(), Settings: s.Note.Settings,
	}
	if u := s.Run.Usage; u != nil {
		r.Model, r.Usage = u.Model, newUsage(u.PromptTokens, u.CompletionTokens, u.CachedTokens)
	}
	switch s.Run.Status {
	case atelier.StatusQueued:
		r.Status = "queued"
	case atelier.StatusCompleted:
		r.Status = "completed"
		if f := s.Run.FinalResponse; f != nil {
			r.setEnd(f.FinishReason)
		}
	case atelier.StatusFailed, atelier.StatusPartialFailure:
		r.Status = "failed"
		if e := s.Run.Error; e != nil {
			r.Error = &Failure{e.Code, e.Message}
		}
	case atelier.StatusCancelled:
		r.Status = "cancelled"
		if s.Run.CancellationReason == chat.FilteredReason {
			r.Status, r.Incomplete = "incomplete", &Incomplete{"content_filter"}
		}
	default:
		r.Status = "in_progress"
	}
	return r
}

// setEnd says how an answer has ended.
func (r *Response) setEnd(finish string) {
	switch finish {
	case "length":
		r.Status, r.Incomplete = "incomplete", &Incomplete{"max_output_tokens"}
	case "safety", "content_filter":
		r.Status, r.Incomplete = "incomplete", &Incomplete{"content_filter"}
	default:
		r.Status = "completed"
	}
}

// Items are the items of the output so far.
func (s *Stored) Items() []any {
	id, items, isFunction := ResponseID(s.Run.RunID), []any{}, s.Note.functions()
	results := map[string]apitype.RunToolResult{}
	for _, r := range s.Run.ToolResults {
		results[r.ToolCallID] = r
	}
	made := map[string][]apitype.RunArtifact{}
	for _, a := range s.Run.Artifacts {
		made[a.ToolCallID] = append(made[a.ToolCallID], a)
	}
	for _, m := range s.Made {
		if m.Role != "assistant" {
			continue
		}
		if text := m.Text(); text != "" {
			items = append(items, newMessage(id, len(items), "completed", text))
		}
		for _, c := range m.ToolCalls {
			switch result, over := results[c.ID]; {
			case s.Note.isPicture(c.Function.Name):
				items = append(items, newImages(id, len(items), result, over, made[c.ID])...)
			case isFunction(c.Function.Name):
				items = append(items, newCall(id, len(items), c))
			default:
				items = append(items, newHosted(id, len(items), c, result, over, made[c.ID]))
			}
		}
	}
	return items
}

func newMessage(response string, n int, status, text string) messageItem {
	return messageItem{itemID("msg_", response, n), "message", status, "assistant", []outputText{newText(text)}}
}

func newText(text string) outputText { return outputText{"output_text", text, []any{}, []any{}} }

func newCall(response string, n int, c llm.ToolCall) callItem {
	return callItem{itemID("fc_", response, n), "function_call", "completed", c.ID, c.Function.Name, c.Function.Arguments}
}

// newImages are the items of a call that makes pictures: one for each, and one before the first.
func newImages(response string, n int, result apitype.RunToolResult, over bool, made []apitype.RunArtifact) (items []any) {
	first := imageItem{ID: itemID("ig_", response, n), Type: "image_generation_call", Status: "in_progress"}
	if over && len(made) == 0 {
		first.Status = "failed"
	}
	if len(made) == 0 {
		return []any{first}
	}
	for i, a := range made {
		id := itemID("ig_", response, n+i)
		items = append(items, imageItem{ID: id, Type: "image_generation_call", Status: "completed", Result: &id, url: a.URL})
	}
	return items
}

func newHosted(response string, n int, c llm.ToolCall, result apitype.RunToolResult, over bool, made []apitype.RunArtifact) hostedItem {
	it := hostedItem{ID: itemID("mcp_", response, n), Type: "mcp_call", Status: "in_progress", ServerLabel: serverLabel, Name: c.Function.Name, Arguments: c.Function.Arguments}
	switch {
	case over && result.Status == "ok":
		it.Status = "completed"
		output := outputOf(result.Summary, made)
		it.Output = &output
	case over:
		it.Status, it.Error = "failed", &result.Summary
	}
	return it
}

// outputOf is what a tool has returned, as JSON text.
func outputOf(summary string, made []apitype.RunArtifact) string {
	type file struct {
		Kind string `json:"kind"`
		URL  string `json:"url"`
	}
	out := struct {
		Summary string `json:"summary"`
		Made    []file `json:"made,omitzero"`
	}{Summary: summary}
	for _, a := range made {
		out.Made = append(out.Made, file{a.MediaType, a.URL})
	}
	text, _ := wire.Marshal(out) // two texts in a struct
	return string(text)
}

func (n *Note) isPicture(tool string) bool {
	for _, name := range n.Pictures {
		if name == tool {
			return true
		}
	}
	return false
}

// functions tells the tools of the caller from those of the service.
func (n *Note) functions() (isFunction func(tool string) bool) {
	if !n.Hosted && len(n.Pictures) == 0 {
		return func(string) bool { return true }
	}
	var own []struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	_ = wire.UnmarshalLenient(n.Tools, &own) // it was read before
	names := map[string]bool{}
	for _, t := range own {
		names[t.Name] = names[t.Name] || t.Type == "function"
	}
	return func(tool string) bool { return names[tool] }
}

// File is a file whose place in the JSON of items has a placeholder.
type File struct{ Placeholder, URL string }

// Files are the files of items, in their order. No text of a client has such a placeholder: it names a run that was
// started later.
func Files(items []any) (files []File) {
	for _, it := range items {
		if image, ok := it.(imageItem); ok && image.Result != nil {
			files = append(files, File{`"result":"` + *image.Result + `"`, image.url})
		}
	}
	return files
}

// NewResponse is the response of an answer that is not stored.
func NewResponse(r *Request, created int64, done chat.Completion) *Response {
	out := newResponse(r, created, done.Model)
	if done.Content != "" || len(done.ToolCalls) == 0 {
		out.Output = append(out.Output, newMessage(out.ID, 0, "completed", done.Content))
	}
	for _, c := range done.ToolCalls {
		out.Output = append(out.Output, newCall(out.ID, len(out.Output), c))
	}
	out.setEnd(done.FinishReason)
	out.Usage = newUsage(done.Usage.PromptTokens, done.Usage.CompletionTokens, done.Usage.CachedTokens)
	return out
}

func newResponse(r *Request, created int64, model string) *Response {
	return &Response{ID: r.Chat.ID, Object: "response", CreatedAt: created, Status: "in_progress", Model: model, Output: []any{}, Settings: r.Note.Settings}
}

// Deleted is the answer to DELETE /v1/responses/{id}.
type Deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// The items of a request.
type (
	givenItem struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Status  string `json:"status"`
		Role    string `json:"role"`
		Content []any  `json:"content"` // givenText, givenImage or outputText
	}
	givenText struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	givenImage struct {
		Type   string `json:"type"`
		URL    string `json:"image_url"`
		Detail string `json:"detail"`
	}
	givenOutput struct {
		ID     string `json:"id"`
		Type   string `json:"type"`
		Status string `json:"status"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
)

// Input are the items of the request, with those of the responses before it, by their ids.
func (s *Stored) Input() (items []any, ids []string) {
	response := ResponseID(s.Run.RunID)
	add := func(prefix string, item func(id string) any) {
		id := itemID(prefix, response+"-in", len(items))
		items, ids = append(items, item(id)), append(ids, id)
	}
	for i, m := range s.Given {
		switch {
		case i == 0 && s.Note.Instructions != nil:
		case m.Role == "tool":
			add("fco_", func(id string) any {
				return givenOutput{id, "function_call_output", "completed", m.ToolCallID, m.Text()}
			})
		default:
			if len(m.Content) > 0 {
				add("msg_", func(id string) any { return givenItem{id, "message", "completed", m.Role, givenContent(m)} })
			}
			for _, c := range m.ToolCalls {
				add("fc_", func(id string) any {
					return callItem{id, "function_call", "completed", c.ID, c.Function.Name, c.Function.Arguments}
				})
			}
		}
	}
	return items, ids
}

func givenContent(m llm.Message) (parts []any) {
	for _, p := range m.Content {
		switch {
		case p.Type == "image_url":
			detail := p.Detail
			if detail == "" {
				detail = "auto"
			}
			parts = append(parts, givenImage{"input_image", p.Image.URL, detail})
		case m.Role == "assistant":
			parts = append(parts, newText(p.Text))
		default:
			parts = append(parts, givenText{"input_text", p.Text})
		}
	}
	return parts
}

// ItemList is a page of the items of a request.
type ItemList struct {
	Object  string `json:"object"`
	Data    []any  `json:"data"`
	FirstID string `json:"first_id"`
	LastID  string `json:"last_id"`
	HasMore bool   `json:"has_more"`
}

// NewItemList is the first page of items.
func NewItemList(items []any, ids []string, limit int) ItemList {
	n := min(len(items), limit)
	list := ItemList{Object: "list", Data: append([]any{}, items[:n]...), HasMore: len(items) > n}
	if n > 0 {
		list.FirstID, list.LastID = ids[0], ids[n-1]
	}
	return list
}
