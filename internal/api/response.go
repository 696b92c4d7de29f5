package api

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/responses"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/wire"
)

// responseRequest is the body of POST /v1/responses.
type responseRequest struct {
	responses.Body
	endpoint.Source
}

// createResponse answers a conversation. A response that is stored, or whose tools make media, is a chat run.
func (s *Server) createResponse(c *endpoint.Call, q responseRequest) (*responses.Response, error) {
	r, err := q.Request(c.Caller, protocolTerms(q.Source, "openai"), s.catalog, responses.Sources{
		Earlier: func(id string) (*responses.Stored, error) { return s.storedResponse(c, id) },
		Image:   func(id string) (llm.Image, error) { return s.savedImage(c, id) },
	})
	if err != nil {
		return nil, err
	}
	c.ReleaseValues()
	if r.Note.Store || r.UsesHostedTools() {
		return s.runResponse(c, r)
	}
	if r.Chat.Stream {
		return nil, s.streamAnswer(c, &r.Chat, &responseWriter{request: r, created: c.Now.Unix()})
	}
	done, err := s.chat.Complete(c, &r.Chat, func(chat.Event) error { return c.Err() })
	if err != nil {
		return nil, err
	}
	return responses.NewResponse(r, c.Now.Unix(), done), nil
}

// responseWriter writes a response that is not stored.
type responseWriter struct {
	*responses.Streamer
	request *responses.Request
	created int64
	model   string
	isOpen  bool // a text was written
}

func (w *responseWriter) SetModel(id string) { w.model = id }

func (w *responseWriter) open(out *endpoint.EventStream) bool {
	w.Streamer = responses.NewStreamer(w.request.Chat.ID, w.request.Note, -1)
	w.Begin(responses.NewResponse(w.request, w.created, chat.Completion{Model: w.model}))
	return w.flush(out)
}

func (w *responseWriter) beat(out *endpoint.EventStream) bool { return out.Heartbeat() }

func (w *responseWriter) text(out *endpoint.EventStream, text string) bool {
	if !w.isOpen {
		w.isOpen = true
		w.Open()
		if !w.flush(out) {
			return false
		}
	}
	return out.BufferFrame(responses.TextEvent, func(b *bytes.Buffer) error { w.WriteText(b, text); return nil })
}

// event writes nothing: calls of the caller's tools come with the end.
func (w *responseWriter) event(*endpoint.EventStream, chat.Event) bool { return true }

func (w *responseWriter) close(out *endpoint.EventStream, done *chat.Completion) {
	if done != nil {
		w.EndAnswer(responses.NewResponse(w.request, w.created, *done), *done)
		w.flush(out)
	}
}

func (w *responseWriter) flush(out *endpoint.EventStream) bool {
	for _, ev := range w.Take() {
		if !out.Frame(nil, ev.Type, ev) {
			return false
		}
	}
	return true
}

// runResponse starts the run of a response, and answers as the request wants it.
func (s *Server) runResponse(c *endpoint.Call, r *responses.Request) (*responses.Response, error) {
	if err := c.CheckSpace(); err != nil {
		return nil, err
	}
	if err := s.keepInlineImages(c, r.Chat.Messages); err != nil {
		return nil, err
	}
	note, err := wire.Marshal(r.Note)
	if err != nil {
		return nil, err
	}
	started, err := s.runs.Start(c, run.StartRequest{Chat: r.Chat, Key: c.Key, Note: note, Weigh: weighStart(c, runUnit)})
	if err != nil {
		return nil, err
	}
	id := started.Run.RunID
	c.Refund = started.Repeat
	switch {
	case r.Chat.Stream:
		return nil, s.followResponse(c, id, -1)
	case r.Note.Background:
		stored, err := s.storedRun(c, id)
		if err != nil {
			return nil, err
		}
		return stored.Response(), nil
	}
	return s.awaitResponse(c, id)
}

// keepInlineImages stores the pictures of a conversation that came inline: a run names its media.
func (s *Server) keepInlineImages(c *endpoint.Call, messages []llm.Message) error {
	for i := range messages {
		for j := range messages[i].Content {
			image := &messages[i].Content[j].Image
			if image.Data == nil {
				continue
			}
			kept, err := s.generations.Keep(c, c.Caller.Wallet, image.Data)
			if err != nil {
				return aboutFile(err, "input")
			}
			*image = llm.Image{URL: kept.URL}
		}
	}
	return nil
}

// storedResponse reads a response of the account.
func (s *Server) storedResponse(c *endpoint.Call, id string) (*responses.Stored, error) {
	runID, ok := responses.RunID(id)
	if !ok {
		return nil, errNoResponse(id)
	}
	stored, err := s.storedRun(c, runID)
	if atelier.HasCode(err, atelier.CodeNotFound) || err == nil && !stored.Note.Store {
		return nil, errNoResponse(id)
	}
	return stored, err
}

func errNoResponse(id string) error { return atelier.Missing("id", id, "response") }

// storedRun reads the run of a response.
func (s *Server) storedRun(c *endpoint.Call, id atelier.RunID) (*responses.Stored, error) {
	found, err := s.runs.Noted(c, c.Caller.Wallet, id)
	if err != nil {
		return nil, err
	}
	stored := &responses.Stored{Run: found.Run, Given: found.Given, Made: found.Made}
	return stored, wire.Unmarshal(found.Note, &stored.Note)
}

// awaitResponse waits until a response is made, and answers with it. One that has failed before it held anything is an
// error.
func (s *Server) awaitResponse(c *endpoint.Call, id atelier.RunID) (*responses.Response, error) {
	ctx, stop := c.Streaming()
	defer stop()
	news, err := s.runs.Follow(ctx, c.Caller.Wallet, id, -1, s.heartbeat)
	if err != nil {
		return nil, err
	}
	isOver := false
	for n, err := range news {
		if err != nil {
			return nil, err
		}
		if isOver = n.Standing != nil && n.Standing.Status.Terminal(); isOver {
			break
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if !isOver {
		away := atelier.Errorf(atelier.CodeUnavailable, "The service is about to stop. The response is being made: read it as %s.", responses.ResponseID(id))
		away.RetryAfter = time.Second
		return nil, away
	}
	stored, err := s.storedRun(c, id)
	if err != nil {
		return nil, err
	}
	r := stored.Response()
	if r.Error != nil && len(r.Output) == 0 {
		return nil, errOfRun(*stored.Run.Error)
	}
	return r, s.sendResponse(c, r)
}

// errOfRun is the error of a run that has failed.
func errOfRun(f apitype.RunFailure) error {
	all := atelier.Codes()
	i := slices.IndexFunc(all, func(code atelier.Code) bool { return code.Slug == f.Code })
	if i < 0 {
		return atelier.Errorf(atelier.CodeUpstream, "%s", f.Message)
	}
	return atelier.Errorf(all[i], "%s", f.Message)
}

// sendResponse answers with a response that has files; nothing is sent of one without.
func (s *Server) sendResponse(c *endpoint.Call, r *responses.Response) error {
	files := responses.Files(r.Output)
	if len(files) == 0 {
		return nil
	}
	text, err := wire.Marshal(r)
	if err != nil {
		return err
	}
	if err := s.writePlaced(c, c.BeginAnswer("application/json"), text, files); err != nil {
		panic(http.ErrAbortHandler) // the client must not take a part for the whole
	}
	return nil
}

// writePlaced writes JSON with files in the places of their placeholders, which it has in their order. The place of a
// file that is gone is null.
func (s *Server) writePlaced(c *endpoint.Call, w io.Writer, text []byte, files []responses.File) error {
	out := bufio.NewWriterSize(w, 48<<10)
	for _, f := range files {
		before, after, ok := bytes.Cut(text, []byte(f.Placeholder))
		if !ok {
			return errors.New("a placeholder is missing")
		}
		name, _, _ := strings.Cut(f.Placeholder, ":")
		out.Write(before)
		text = after
		file, _, err := s.generations.Open(c, f.URL)
		if atelier.HasCode(err, atelier.CodeNotFound) { // it was deleted
			out.WriteString(name + ":null")
			continue
		}
		if err != nil {
			return err
		}
		out.WriteString(name + `:"`)
		if err := encodeFile(out, file, copyFile); err != nil {
			return err
		}
		out.WriteByte('"')
	}
	out.Write(text)
	return out.Flush() // the error of any write
}

// followResponse streams a response, after a number.
func (s *Server) followResponse(c *endpoint.Call, id atelier.RunID, after int64) error {
	stored, err := s.storedRun(c, id)
	if err != nil {
		return err
	}
	ctx, stop := c.Streaming()
	defer stop()
	news, err := s.runs.Follow(ctx, c.Caller.Wallet, id, -1, s.heartbeat)
	if err != nil {
		return err
	}
	st := responses.NewStreamer(responses.ResponseID(id), stored.Note, after)
	st.Begin(stored.Response())
	endpoint.Follow(c, news, func(out *endpoint.EventStream, n run.Update) bool {
		switch {
		case n.Event != nil:
			if s.addRunEvent(c, st, n.Event) != nil {
				return false
			}
		case n.Text != nil:
			st.AddText(n.Text.Content, n.Text.IsFirst)
		case n.Standing != nil && n.Standing.Status.Terminal():
			over, err := s.storedRun(c, id)
			if err != nil {
				return false
			}
			st.End(over.Response())
		case n.Standing != nil: // it continues
		default:
			return out.Heartbeat()
		}
		return s.sendEvents(c, out, st.Take())
	})
	return nil
}

// addRunEvent adds an event of the log of a run to the stream of its response.
func (s *Server) addRunEvent(c *endpoint.Call, st *responses.Streamer, ev *apitype.RunEvent) error {
	switch p := ev.Payload.(type) {
	case apitype.MessageCompleted:
		if len(p.ToolCalls) == 0 {
			st.AddRound(p.Content, nil)
			return nil
		}
		stored, err := s.storedRun(c, ev.RunID) // it has the calls as the model has written them
		if err != nil {
			return err
		}
		st.AddRound(p.Content, stored.CallsOfRound(p.Round))
	case apitype.CallProgress:
		if preview := st.AddProgress(p); preview != "" {
			if file, err := s.readPreview(c, preview); err == nil { // the next one may have replaced it
				st.AddPreview(p.ToolCallID, file)
			}
		}
	case apitype.CallResolved:
		st.AddResult(p)
	}
	return nil
}

func (s *Server) sendEvents(c *endpoint.Call, out *endpoint.EventStream, events []responses.Event) bool {
	for _, ev := range events {
		files := ev.Files()
		if len(files) == 0 {
			if !out.Frame(nil, ev.Type, ev) {
				return false
			}
			continue
		}
		text, err := wire.Marshal(ev)
		if err != nil || !out.LargeFrame(ev.Type, func(w io.Writer) error { return s.writePlaced(c, w, text, files) }) {
			return false
		}
	}
	return true
}

// responseID names a response.
type responseID struct {
	ID string `path:"id" example:"resp_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

// readResponseRequest is the query of GET /v1/responses/{id}.
type readResponseRequest struct {
	ID     string `path:"id" example:"resp_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Stream bool   `wire:"stream" doc:"Whether the response comes as server-sent events, from its beginning."`
	After  *int64 `wire:"starting_after,min=-1" doc:"Only events with a greater sequence_number."`
}

func (s *Server) readResponse(c *endpoint.Call, q readResponseRequest) (*responses.Response, error) {
	stored, err := s.storedResponse(c, q.ID)
	if err != nil {
		return nil, err
	}
	if q.Stream {
		after := int64(-1)
		if q.After != nil {
			after = *q.After
		}
		return nil, s.followResponse(c, stored.Run.RunID, after)
	}
	r := stored.Response()
	return r, s.sendResponse(c, r)
}

func (s *Server) cancelResponse(c *endpoint.Call, q responseID) (*responses.Response, error) {
	stored, err := s.storedResponse(c, q.ID)
	if err != nil {
		return nil, err
	}
	_, err = s.runs.Cancel(c, c.Caller.Wallet, stored.Run.RunID, "user_cancelled")
	if err != nil && !atelier.HasCode(err, atelier.CodeWrongState) { // it is over
		return nil, err
	}
	if stored, err = s.storedResponse(c, q.ID); err != nil {
		return nil, err
	}
	r := stored.Response()
	return r, s.sendResponse(c, r)
}

func (s *Server) deleteResponse(c *endpoint.Call, q responseID) (responses.Deleted, error) {
	stored, err := s.storedResponse(c, q.ID)
	if err == nil && !stored.Run.Status.Terminal() {
		_, err = s.runs.Cancel(c, c.Caller.Wallet, stored.Run.RunID, "user_cancelled")
	}
	if err == nil || atelier.HasCode(err, atelier.CodeWrongState) {
		err = s.runs.Delete(c, c.Caller.Wallet, stored.Run.RunID)
	}
	return responses.Deleted{ID: q.ID, Object: "response", Deleted: err == nil}, err
}

// inputItemsRequest is the query of GET /v1/responses/{id}/input_items.
type inputItemsRequest struct {
	ID    string `path:"id" example:"resp_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	After string `wire:"after,maxlen=200" doc:"The id of the last item of the page before."`
	Limit int    `wire:"limit,default=20,min=1,max=100" doc:"How many to list at most."`
	Order string `wire:"order,enum=asc|desc,default=desc" doc:"desc: the newest first."`
}

func (s *Server) listInputItems(c *endpoint.Call, q inputItemsRequest) (responses.ItemList, error) {
	stored, err := s.storedResponse(c, q.ID)
	if err != nil {
		return responses.ItemList{}, err
	}
	items, ids := stored.Input()
	if q.Order == "desc" {
		slices.Reverse(items)
		slices.Reverse(ids)
	}
	if q.After != "" {
		at := slices.Index(ids, q.After)
		if at < 0 {
			return responses.ItemList{}, atelier.Refuse("after", "must be the id of an item of this response.")
		}
		items, ids = items[at+1:], ids[at+1:]
	}
	return responses.NewItemList(items, ids, q.Limit), nil
}
