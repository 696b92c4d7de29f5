package store

import (
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// The JSON documents of the job table: the columns spec, charge and error. Their
// names belong to the rows of existing installations, not to the API: a rename
// here needs a migration. Fields have the order and types of the root's types, so
// that Go converts one into the other.

type specDocument struct {
	Tool              string             `json:"tool"`
	ModelID           string             `json:"modelId"`
	Arguments         map[string]any     `json:"arguments"`
	Inputs            []inputDocument    `json:"inputs,omitempty"`
	Links             map[string]string  `json:"links,omitempty"`
	Loras             []loraDocument     `json:"loras,omitempty"`
	Artifacts         []artifactDocument `json:"artifacts"`
	Seed              int64              `json:"seed"`
	SafeContentFilter bool               `json:"safeContentFilter"`
	ConcurrencyClass  string             `json:"concurrencyClass,omitempty"`
	ConcurrencyLimit  int                `json:"concurrencyLimit,omitzero"`
	Ordered           extentDocument     `json:"ordered,omitzero"`
}

type extentDocument struct {
	Width   int     `json:"width,omitzero"`
	Height  int     `json:"height,omitzero"`
	Seconds float64 `json:"seconds,omitzero"`
}

type inputDocument struct {
	Argument    string `json:"argument"`
	Kind        string `json:"kind"`
	Key         string `json:"key,omitempty"`
	URL         string `json:"url,omitempty"`
	ContentType string `json:"contentType,omitempty"`
}

type loraDocument struct {
	ID       string                  `json:"id"`
	URL      string                  `json:"url,omitempty"`
	Strength float64                 `json:"strength"`
	Personal *personalSourceDocument `json:"personal,omitempty"`
}

type personalSourceDocument struct {
	Key      string `json:"key"`
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Source   string `json:"source"`
	Version  string `json:"version"`
	SHA256   string `json:"sha256"`
}

type artifactDocument struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	ContentType string `json:"contentType"`
}

type errorDocument struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

type paymentDocument struct {
	Terms  termsDocument  `json:"terms"`
	Cost   costDocument   `json:"cost"`
	Charge chargeDocument `json:"charge"`
}

type termsDocument struct {
	Token atelier.TokenChoice `json:"token"`
	Mode  atelier.BillingMode `json:"mode"`
	App   string              `json:"app,omitempty"`
	Key   string              `json:"key,omitempty"`
}

type costDocument struct {
	Spark   atelier.Money `json:"spark"`
	USD     atelier.Money `json:"usd"`
	Premium bool          `json:"premium"`
	Render  bool          `json:"render,omitzero"`
	NoPlan  bool          `json:"noPlan,omitzero"`

	Free atelier.FreeReason `json:"free,omitempty"`
}

type chargeDocument struct {
	ByPlan bool                 `json:"byPlan"`
	Slow   bool                 `json:"slow,omitzero"`
	Trial  bool                 `json:"trial,omitzero"`
	Cost   costDocument         `json:"cost"`
	Parts  []chargePartDocument `json:"parts"`
	App    string               `json:"app,omitempty"`
	Key    string               `json:"key,omitempty"`

	Budgeted bool `json:"budgeted,omitzero"`
}

type chargePartDocument struct {
	Token  atelier.Token `json:"token"`
	Amount atelier.Money `json:"amount"`
}

// encode writes a document.
func encode(document any) (string, error) {
	text, err := wire.Marshal(document)
	return string(text), err
}

func encodeSpec(s atelier.JobSpec) (string, error) {
	return encode(specDocument{
		Tool: s.Tool, ModelID: s.ModelID, Arguments: s.Arguments,
		Inputs: convert(s.Inputs, func(in atelier.JobInput) inputDocument { return inputDocument(in) }),
		Links:  s.Links,
		Loras: convert(s.Loras, func(l atelier.JobLora) loraDocument {
			return loraDocument{l.ID, l.URL, l.Strength, (*personalSourceDocument)(l.Personal)}
		}),
		Artifacts: convert(s.Artifacts, func(a atelier.JobArtifact) artifactDocument {
			return artifactDocument(a)
		}),
		Seed: s.Seed, SafeContentFilter: s.SafeContentFilter, ConcurrencyClass: s.ConcurrencyClass, ConcurrencyLimit: s.ConcurrencyLimit,
		Ordered: extentDocument(s.Ordered),
	})
}

func encodePayment(j StoredJob) (string, error) {
	return encode(paymentDocument{
		Terms: termsDocument(j.Terms), Cost: costDocument(j.Cost),
		Charge: chargeDocument{
			ByPlan: j.Charge.ByPlan, Slow: j.Charge.Slow, Trial: j.Charge.Trial, Cost: costDocument(j.Charge.Cost),
			Parts: convert(j.Charge.Parts, func(p atelier.ChargePart) chargePartDocument { return chargePartDocument(p) }),
			App:   j.Charge.App, Key: j.Charge.Key, Budgeted: j.Charge.Budgeted,
		},
	})
}

func encodeError(e atelier.JobError) (string, error) { return encode(errorDocument(e)) }

// decode fills in what a job's documents say. A document that was never written is
// the empty object.
func (j *StoredJob) decode(spec, payment, fault string) error {
	var (
		s specDocument
		p paymentDocument
		e errorDocument
	)
	for _, column := range []struct {
		text string
		into any
	}{{spec, &s}, {payment, &p}, {fault, &e}} {
		if column.text == "{}" {
			continue
		}
		if err := wire.Unmarshal([]byte(column.text), column.into); err != nil {
			return fmt.Errorf("job %s: %w", j.ID, err)
		}
	}
	j.Spec = atelier.JobSpec{
		Tool: s.Tool, ModelID: s.ModelID, Arguments: s.Arguments,
		Inputs: convert(s.Inputs, func(in inputDocument) atelier.JobInput { return atelier.JobInput(in) }),
		Links:  s.Links,
		Loras: convert(s.Loras, func(l loraDocument) atelier.JobLora {
			return atelier.JobLora{ID: l.ID, URL: l.URL, Strength: l.Strength, Personal: (*atelier.PersonalSource)(l.Personal)}
		}),
		Artifacts: convert(s.Artifacts, func(a artifactDocument) atelier.JobArtifact {
			return atelier.JobArtifact(a)
		}),
		Seed: s.Seed, SafeContentFilter: s.SafeContentFilter, ConcurrencyClass: s.ConcurrencyClass, ConcurrencyLimit: s.ConcurrencyLimit,
		Ordered: atelier.Extent(s.Ordered),
	}
	j.Terms, j.Cost, j.Error = atelier.PaymentTerms(p.Terms), atelier.Cost(p.Cost), atelier.JobError(e)
	j.Charge = atelier.Charge{
		ByPlan: p.Charge.ByPlan, Slow: p.Charge.Slow, Trial: p.Charge.Trial, Cost: atelier.Cost(p.Charge.Cost),
		Parts: convert(p.Charge.Parts, func(p chargePartDocument) atelier.ChargePart { return atelier.ChargePart(p) }),
		App:   p.Charge.App, Key: p.Charge.Key, Budgeted: p.Charge.Budgeted,
	}
	return nil
}

// convert converts the items of a list. It keeps nil, which JSON may leave out.
func convert[From, To any](list []From, one func(From) To) []To {
	if list == nil {
		return nil
	}
	out := make([]To, len(list))
	for i, item := range list {
		out[i] = one(item)
	}
	return out
}
