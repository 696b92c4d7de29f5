package apitype

import (
	"encoding/json"

	"github.com/atelier-project/atelier"
)

// EventKind is a type of event, with the shape of its payload.
type EventKind struct {
	Type    atelier.EventType
	Doc     string          // what it says
	Payload atelier.Payload // an empty one
	read    func(raw []byte, decode func([]byte, any) error) (atelier.Payload, error)
}

func kind[P atelier.Payload](doc string) EventKind {
	var empty P
	return EventKind{empty.EventType(), doc, empty, func(raw []byte, decode func([]byte, any) error) (atelier.Payload, error) {
		var p P
		err := decode(raw, &p)
		return p, err
	}}
}

// WorkflowEventKinds are the events of a workflow.
var WorkflowEventKinds = []EventKind{
	kind[WorkflowStarted]("The workflow was accepted."),
	kind[WorkflowProgress]("A step has progressed, or it is known whether a worker can render it."),
	kind[WorkflowWaiting]("The workflow is paused until its user does something."),
	kind[WorkflowCompleted]("The workflow is over, completed or in part."),
	kind[WorkflowFailed]("The workflow is over without a result."),
	kind[WorkflowCancelled]("The workflow was cancelled."),
	kind[StepStarted]("A worker has begun to render a step."),
	kind[StepCompleted]("A step is done."),
	kind[StepFailed]("A step has failed."),
	kind[StepWaiting]("A step is paused until its user does something."),
	kind[ArtifactCreated]("A step has a result."),
	kind[Custom]("Something else has happened; kind says what."),
}

// RunEventKinds are the events of a chat run.
var RunEventKinds = []EventKind{
	kind[RunCreated]("The run was accepted."),
	kind[RunResumed]("The run is continued after a pause or an interruption."),
	kind[RunCompleted]("The run is over."),
	kind[RunPartialFailure]("The run is over; a part of it has failed."),
	kind[RunFailed]("The run has failed."),
	kind[RunCancelled]("The run was cancelled."),
	kind[RunPaused]("The run is paused until its user does something."),
	kind[RoundStarted]("The model is asked."),
	kind[MessageDelta]("The model has written text."),
	kind[MessageCompleted]("The model has answered."),
	kind[CallDispatched]("A tool call has begun."),
	kind[CallProgress]("A tool call has progressed."),
	kind[CallResolved]("A tool call is over."),
	kind[MediaContextUpdated]("The media of the run have changed."),
	kind[Spend]("A call of the model was paid."),
	kind[PreviewUpdated]("There is a cost to approve."),
	kind[AwaitingCost]("A tool call waits for the approval of its cost."),
	kind[CostResolved]("The cost of a tool call was approved or declined."),
}

var kinds = func() map[atelier.EventType]EventKind {
	out := map[atelier.EventType]EventKind{}
	for _, list := range [][]EventKind{WorkflowEventKinds, RunEventKinds, AccountEventKinds} {
		for _, k := range list {
			out[k.Type] = k
		}
	}
	return out
}()

// ReadPayload reads the payload of an event with a decoder of JSON. One of a type that this
// version does not know is an OtherPayload.
func ReadPayload(t atelier.EventType, raw []byte, decode func([]byte, any) error) (atelier.Payload, error) {
	if k, ok := kinds[t]; ok {
		return k.read(raw, decode)
	}
	p := OtherPayload{Type: t}
	err := decode(raw, &p.Members)
	return p, err
}

// OtherPayload is the payload of an event that this version does not know.
type OtherPayload struct {
	Type    atelier.EventType
	Members map[string]any
}

// EventType implements atelier.Payload.
func (p OtherPayload) EventType() atelier.EventType { return p.Type }

// MarshalJSON writes the members.
func (p OtherPayload) MarshalJSON() ([]byte, error) { return json.Marshal(p.Members) }

// UnmarshalJSON reads an event with the payload of its type.
func (e *WorkflowEvent) UnmarshalJSON(raw []byte) (err error) {
	type fields WorkflowEvent
	in := struct {
		*fields
		Payload json.RawMessage `json:"payload"`
		Data    json.RawMessage `json:"data"`
	}{fields: (*fields)(e)}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	e.Payload, err = ReadPayload(e.Type, in.Payload, json.Unmarshal)
	e.Data = e.Payload
	return err
}

// UnmarshalJSON reads an event with the payload of its type.
func (e *RunEvent) UnmarshalJSON(raw []byte) (err error) {
	type fields RunEvent
	in := struct {
		*fields
		Payload json.RawMessage `json:"payload"`
	}{fields: (*fields)(e)}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	e.Payload, err = ReadPayload(e.Type, in.Payload, json.Unmarshal)
	return err
}

// MapURLs is a payload with each URL of a stored file replaced by what url returns for it.
func MapURLs(p atelier.Payload, url func(string) string) atelier.Payload {
	switch p := p.(type) {
	case WorkflowProgress:
		if p.PreviewURL != "" {
			p.PreviewURL = url(p.PreviewURL)
		}
		return p
	case ArtifactCreated:
		p.URL = url(p.URL)
		return p
	case StepCompleted:
		p.Artifacts = mapArtifacts(p.Artifacts, url)
		return p
	case WorkflowCompleted:
		p.Artifacts = mapArtifacts(p.Artifacts, url)
		return p
	case CallResolved:
		media, artifacts := make([]MediaURL, len(p.MediaURLs)), make([]RunArtifact, len(p.Artifacts))
		for i, m := range p.MediaURLs {
			m.URL = url(m.URL)
			media[i] = m
		}
		for i, a := range p.Artifacts {
			a.URL = url(a.URL)
			artifacts[i] = a
		}
		p.MediaURLs, p.Artifacts = media, artifacts
		return p
	case MediaContextUpdated:
		c := &p.MediaContext
		for _, list := range []*[]string{&c.Images, &c.Videos, &c.Audio, &c.UploadedImages, &c.UploadedVideos, &c.UploadedAudio} {
			urls := make([]string, len(*list))
			for i, u := range *list {
				urls[i] = url(u)
			}
			*list = urls
		}
		return p
	}
	return p
}

func mapArtifacts(list []Artifact, url func(string) string) []Artifact {
	out := make([]Artifact, len(list))
	for i, a := range list {
		a.URL = url(a.URL)
		out[i] = a
	}
	return out
}
