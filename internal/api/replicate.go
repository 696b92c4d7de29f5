package api

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/replicate"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/workflow"
)

// predictionBounds bounds the request for a prediction.
var predictionBounds = replicate.BodyBounds

// predictionFailure puts an error into the envelope of Replicate's API.
func predictionFailure(e *atelier.Error) any {
	return replicate.Failure(e, endpoint.Replicate.Status(e.Code.Kind))
}

// predictionRequest is the body of POST /replicate/v1/predictions.
type predictionRequest struct {
	Version string `wire:"version,required,maxlen=500" doc:"owner/name, owner/name:version, or the id of a version."`
	replicate.Body
	endpoint.Source
}

func (s *Server) predictByVersion(c *endpoint.Call, q predictionRequest) (*replicate.Prediction, error) {
	m, err := s.predictions.FindVersion(q.Version)
	if err != nil {
		return nil, err
	}
	return s.predict(c, m, q.Body, protocolTerms(q.Source, replicate.Protocol))
}

// modelPredictionRequest is the body of POST /replicate/v1/models/{owner}/{name}/predictions.
type modelPredictionRequest struct {
	Owner string `path:"owner" example:"atelier"`
	Name  string `path:"name" example:"z_image_turbo_bf16"`
	replicate.Body
	endpoint.Source
}

func (s *Server) predictByModel(c *endpoint.Call, q modelPredictionRequest) (*replicate.Prediction, error) {
	m, err := s.predictions.Find(q.Owner, q.Name)
	if err != nil {
		return nil, err
	}
	return s.predict(c, m, q.Body, protocolTerms(q.Source, replicate.Protocol))
}

// predict starts a prediction, and waits for its end as long as the client prefers.
func (s *Server) predict(c *endpoint.Call, m *replicate.Model, b replicate.Body, terms atelier.PaymentTerms) (*replicate.Prediction, error) {
	id, err := s.startPrediction(c, m, b, terms)
	if err != nil {
		return nil, err
	}
	c.ReleaseValues()
	if wait := preferredWait(c.Request.Header.Get("Prefer")); wait > 0 {
		if err := s.awaitPrediction(c, id, wait); err != nil {
			return nil, err
		}
	}
	p, err := s.prediction(c, c.Caller.Wallet, id)
	if err == nil && !p.Status.IsOver() {
		p.Status = replicate.Starting // clients that have waited take any other status for the end
	}
	return p, err
}

// startPrediction starts the workflow or the run that a prediction is.
func (s *Server) startPrediction(c *endpoint.Call, m *replicate.Model, b replicate.Body, terms atelier.PaymentTerms) (string, error) {
	hook, err := b.Hook()
	if err != nil {
		return "", err
	}
	if m.IsLanguage() {
		if err := c.Caller.Limits.CheckGroup(atelier.GroupChat); err != nil {
			return "", err
		}
		chat, note, err := b.Chat(m, c.Caller, terms)
		if err != nil {
			return "", err
		}
		started, err := s.runs.Start(c, run.StartRequest{Chat: chat, Key: c.Key, Webhook: hook, Note: note, Protocol: replicate.Protocol, Weigh: weighStart(c, runUnit)})
		c.Refund = started.Repeat
		return string(started.Run.RunID), m.Refusal(err)
	}
	steps, note, err := b.Steps(m, func(kind catalog.Kind, address string) (atelier.MediaReference, error) {
		return s.predictionMedia(c, kind, address)
	})
	if err != nil {
		return "", err
	}
	w, err := s.generations.Begin(c, c.Caller.Account, workflow.StartRequest{
		Key: c.Key, Steps: steps, Terms: terms, Filter: true, Webhook: hook, Note: note, Protocol: replicate.Protocol, Weigh: weighStart(c, planUnit),
	}.By(c.Caller))
	return w.WorkflowID, m.Refusal(err)
}

// predictionMedia finds the media that an input names: a saved file of the account, a picture inline, or an address.
func (s *Server) predictionMedia(c *endpoint.Call, kind catalog.Kind, address string) (atelier.MediaReference, error) {
	reference := func(url string) atelier.MediaReference {
		return atelier.MediaAt(string(kind), url)
	}
	if id, ok := s.predictions.FileID(address); ok {
		url, _, err := s.media.AssetURL(c, c.Caller.Wallet, id)
		return reference(url), err
	}
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		return reference(address), nil
	}
	_, text, ok := filetype.SplitDataURI([]byte(address))
	if !ok {
		return atelier.MediaReference{}, atelier.Refuse("", "It is neither an http or https address nor a data URI.")
	}
	data, err := filetype.DecodeBase64(text)
	if err != nil {
		return atelier.MediaReference{}, atelier.Refuse("", "It is not valid base64.")
	}
	return s.generations.Keep(c, c.Caller.Wallet, data)
}

// maxWait is how long a request waits at most, and without a number.
const maxWait = 60 * time.Second

// preferredWait is how long a client wants to wait, by the header Prefer: "wait" or "wait=5".
func preferredWait(prefer string) time.Duration {
	for part := range strings.SplitSeq(prefer, ",") {
		name, value, given := strings.Cut(strings.TrimSpace(part), "=")
		if !strings.EqualFold(name, "wait") {
			continue
		}
		seconds, err := strconv.Atoi(value)
		if !given || err != nil || seconds > int(maxWait.Seconds()) {
			return maxWait
		}
		return time.Duration(max(seconds, 1)) * time.Second
	}
	return 0
}

// awaitPrediction waits for the end of a prediction, or for a time.
func (s *Server) awaitPrediction(c *endpoint.Call, id string, most time.Duration) error {
	ctx, stop := c.Streaming() // a node that is about to stop answers with what there is
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := s.runs.AwaitItem(ctx, c.Caller.Wallet, id, s.heartbeat, func(*run.Text) error { return nil })
	if err != nil && ctx.Err() == nil {
		return err
	}
	return c.Err()
}

// prediction reads a prediction of an account.
func (s *Server) prediction(ctx context.Context, owner atelier.Wallet, id string) (*replicate.Prediction, error) {
	item, err := s.runs.Item(ctx, owner, id)
	if err == nil {
		if p, ok := s.predictionOf(owner, item); ok {
			return p, nil
		}
	}
	if err == nil || atelier.HasCode(err, atelier.CodeNotFound) {
		err = atelier.Missing("id", id, "prediction")
	}
	return nil, err
}

func (s *Server) predictionOf(owner atelier.Wallet, item run.Item) (*replicate.Prediction, bool) {
	if item.Run != nil {
		return s.predictions.OfRun(item.Run.Run, item.Run.Note)
	}
	return s.predictions.OfWorkflow(owner, *item.Workflow)
}

// predictionID names a prediction.
type predictionID struct {
	ID string `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

func (s *Server) readPrediction(c *endpoint.Call, q predictionID) (*replicate.Prediction, error) {
	return s.prediction(c, c.Caller.Wallet, q.ID)
}

func (s *Server) cancelPrediction(c *endpoint.Call, q predictionID) (*replicate.Prediction, error) {
	if _, err := s.prediction(c, c.Caller.Wallet, q.ID); err != nil {
		return nil, err
	}
	if err := s.runs.CancelItem(c, c.Caller.Wallet, q.ID, "user_cancelled"); err != nil {
		return nil, err
	}
	return s.prediction(c, c.Caller.Wallet, q.ID)
}

// predictionsRequest is the query of GET /replicate/v1/predictions.
type predictionsRequest struct {
	Cursor string `wire:"cursor,maxlen=400" doc:"From next or previous of another page."`
}

// The list of predictions: its name in cursors, how many a page has, and where its pages are.
const (
	predictionList  = "predictions"
	predictionPage  = 25
	predictionsPath = "/predictions?cursor="
)

func (s *Server) listPredictions(c *endpoint.Call, q predictionsRequest) (page replicate.Page[*replicate.Prediction], err error) {
	place, err := cursor.Decode(predictionList, q.Cursor, 3)
	if err != nil {
		return page, err
	}
	at, err := place.Time(0)
	if err != nil {
		return page, err
	}
	var from *run.ItemPosition
	if place != nil {
		from = &run.ItemPosition{CreatedAt: at, ID: place.Text(2)}
	}
	if err := c.Reserve(predictionPage * listedCost); err != nil {
		return page, err
	}
	newer := place.Text(1) == "newer"
	items, places, more, err := s.runs.Items(c, c.Caller.Wallet, replicate.Protocol, from, newer, predictionPage)
	if err != nil {
		return page, err
	}
	if newer {
		slices.Reverse(items)
		slices.Reverse(places)
	}
	page.Results = []*replicate.Prediction{}
	for _, item := range items {
		if p, ok := s.predictionOf(c.Caller.Wallet, item); ok {
			page.Results = append(page.Results, p)
		}
	}
	link := func(where string, p run.ItemPosition) *string {
		url := s.predictions.URL(predictionsPath + *cursor.Encode(predictionList, cursor.Time(p.CreatedAt), where, p.ID))
		return &url
	}
	if n := len(places); n > 0 {
		if newer || more {
			page.Next = link("older", places[n-1])
		}
		if newer && more || !newer && from != nil {
			page.Previous = link("newer", places[0])
		}
	}
	return page, nil
}

// streamPredictionRequest is the query of GET /replicate/v1/predictions/{id}/stream.
type streamPredictionRequest struct {
	ID    string `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Token string `wire:"token,required,maxlen=1000" example:"b914fd19" doc:"Of urls.stream: it names the account."`
}

func (s *Server) streamPrediction(c *endpoint.Call, q streamPredictionRequest) error {
	owner, err := s.predictions.StreamOwner(q.ID, q.Token)
	if err != nil {
		return err
	}
	if _, err := s.prediction(c, owner, q.ID); err != nil {
		return err
	}
	leave, err := c.Enter(owner)
	if err != nil {
		return err
	}
	defer leave()
	ctx, stop := c.Streaming()
	defer stop()
	st := predictionStream{out: c.OpenStream()}
	err = s.runs.AwaitItem(ctx, owner, q.ID, s.heartbeat, st.see)
	if ctx.Err() != nil {
		return nil
	}
	p, readErr := s.prediction(c, owner, q.ID)
	if err != nil || readErr != nil {
		st.out.Raw(replicate.Event("error", "The stream failed. Read the prediction."))
		return nil
	}
	st.end(p)
	return nil
}

// predictionStream is the output of a prediction as a stream.
type predictionStream struct {
	out   *endpoint.EventStream
	draft replicate.Draft
}

// see sends what the model writes. What another attempt repeats is not sent again.
func (st *predictionStream) see(t *run.Text) error {
	ok := true
	switch {
	case t == nil:
		ok = st.out.Heartbeat()
	case t.IsFirst:
		st.draft.Restart()
		ok = st.more(st.draft.Add(t.Content))
	default:
		ok = st.more(st.draft.Add(t.Content))
	}
	if !ok {
		return errLeft
	}
	return nil
}

// more sends more of the output.
func (st *predictionStream) more(text string) bool {
	return text == "" || st.out.Raw(replicate.Event("output", text))
}

// end sends what is left of the output, and how the prediction ended.
func (st *predictionStream) end(p *replicate.Prediction) {
	done := `{}`
	switch outputs := p.Outputs(); {
	case p.Status == replicate.Canceled:
		done = `{"reason": "canceled"}`
	case p.Error != nil:
		done = `{"reason": "error"}`
		st.out.Raw(replicate.Event("error", *p.Error))
	case st.draft.IsEmpty():
		for _, output := range outputs {
			st.out.Raw(replicate.Event("output", output))
		}
	case len(outputs) > 0:
		if rest, ok := st.draft.Rest(outputs[0]); ok {
			st.more(rest)
		} else {
			st.out.Raw(replicate.Event("error", "The model has begun again, and its answer differs. Read the prediction."))
		}
	}
	st.out.Raw(replicate.Event("done", done))
}
