package openai

import (
	"fmt"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// ModerationBody is the body of POST /v1/moderations.
type ModerationBody struct {
	Input wire.Raw `wire:"input,required,maxbytes=1048576" doc:"A text, or at most 32 texts, alone or as parts of the type text."`
	Model string   `wire:"model,maxlen=200" doc:"Accepted: the content filter of the service decides."`
}

// maxModerated is how many texts a request may have.
const maxModerated = 32

// Texts are the texts of a body. Parts are one text together.
func (b ModerationBody) Texts() (texts []string, err error) {
	var one string
	if wire.Unmarshal(b.Input, &one) == nil {
		return []string{one}, nil
	}
	whole, hasParts := "", false
	err = wire.Items(b.Input, maxModerated, func(i int, item wire.Raw) error {
		at := fmt.Sprintf("input[%d]", i)
		var part struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		switch {
		case wire.Unmarshal(item, &one) == nil && !hasParts:
			texts = append(texts, one)
			return nil
		case wire.UnmarshalLenient(item, &part) != nil || len(texts) > 0:
			return atelier.Refuse(at, "must be a text, or a part of the type text like all others.")
		case part.Type != "text":
			return atelier.Refuse(at+".type", "must be text: the content filter reads no pictures.")
		}
		whole, hasParts = whole+part.Text+"\n", true
		return nil
	})
	switch {
	case err != nil && atelier.HasCode(err, atelier.CodeInvalidRequest):
		return nil, err
	case err != nil || len(texts) == 0 && !hasParts:
		return nil, atelier.Refuse("input", "must be a text, or an array of 1 to %d texts.", maxModerated)
	case hasParts:
		texts = []string{whole}
	}
	return texts, nil
}

// moderationCategories are those that clients know.
var moderationCategories = []string{
	"harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent",
	"self-harm", "self-harm/instructions", "self-harm/intent", "sexual", "sexual/minors", "violence", "violence/graphic",
}

// Moderation is the answer of POST /v1/moderations.
type Moderation struct {
	ID      string             `json:"id"`
	Model   string             `json:"model"`
	Results []ModerationResult `json:"results"`
}

// ModerationResult is the verdict about a text. The filter decides without degrees: a score is 0 or 1.
type ModerationResult struct {
	Flagged    bool                `json:"flagged"`
	Categories map[string]bool     `json:"categories"`
	Scores     map[string]float64  `json:"category_scores"`
	Applied    map[string][]string `json:"category_applied_input_types"`
}

// ModerationModel names the content filter.
const ModerationModel = "atelier-content-filter"

// NewModerationResult is the verdict about a text, by the categories that were found.
func NewModerationResult(flagged bool, found []string) ModerationResult {
	r := ModerationResult{Flagged: flagged, Categories: map[string]bool{}, Scores: map[string]float64{}, Applied: map[string][]string{}}
	for _, c := range slices.Concat(moderationCategories, found) {
		r.Categories[c], r.Scores[c], r.Applied[c] = false, 0, []string{}
		if slices.Contains(found, c) {
			r.Categories[c], r.Scores[c], r.Applied[c] = true, 1, []string{"text"}
		}
	}
	return r
}
