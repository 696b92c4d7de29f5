package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/manifest"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Digests, signed forms and stored documents stay as encoding/json wrote them.
func TestMarshalV1(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 3, 2, 1, 6e6, time.FixedZone("", 7200))
	token, mode := atelier.TokenChoice("spark"), atelier.BillingMode("auto")
	values := []any{
		workflow.Decision{},
		workflow.Decision{Key: "a<b>&c", Confirm: true, Preview: &atelier.CostPreview{TotalEstimatedCapacityUnits: 1e21, TokenType: "spark", ValidityUntil: at}},
		workflow.ReseedRequest{},
		workflow.ReseedRequest{Key: "k", Source: "wf", Seeds: map[string]int64{"b": 1<<62 + 1, "a": 0, "\u2028": -1}, Token: &token, Mode: &mode},
		[]apitype.NewSeed(nil), []apitype.NewSeed{{StepID: "a&b", NewSeed: 7, ID: "a&b", Seed: 7}},
		manifest.Manifest{},
		manifest.Manifest{Assets: []manifest.Asset{{AssetID: "1", UserLabel: "<fox> \x00 \u2029", Type: "image", URL: "https://media.example/a?b=1&c=2", Avoid: []string{}}}},
		map[string]any{"z": nil, "a": []any{1.5, 1e-7, "é", true}, "b": []byte("picture"), "d": time.Minute},
	}
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Models() {
		values = append(values, m.Entry)
	}
	for _, v := range values {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := wire.MarshalV1(v); err != nil || string(got) != string(want) {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
	// The one difference: encoding/json escapes the replacement of invalid UTF-8.
	if got, err := wire.MarshalV1("\xff"); err != nil || string(got) != "\"\ufffd\"" {
		t.Errorf("invalid UTF-8 became %s, %v", got, err)
	}
}

// JSON of other programs is read as encoding/json reads it.
func TestUnmarshalLenient(t *testing.T) {
	t.Parallel()
	type answer struct {
		ID   string         `json:"model_id"`
		Size float64        `json:"size"`
		More map[string]any `json:"more"`
		Data []byte         `json:"data"`
		Last string         `json:"last"`
	}
	for _, text := range []string{
		`{"Model_ID":"a","size":1}`, `{"size":1,"size":2,"more":{"a":1,"a":2}}`, "{\"model_id\":\"\xff\"}", `{"data":"aGk=","more":null}`,
		`{"size":"a text","last":"read"}`, `{"modelId":"another name"}`, `{"model_id":"a"} trailing`, `{"model_id":"a"`, ``, `null`, `[1]`,
	} {
		var want, got answer
		wrong, err := json.Unmarshal([]byte(text), &want), wire.UnmarshalLenient([]byte(text), &got)
		if !reflect.DeepEqual(got, want) || (err == nil) != (wrong == nil) {
			t.Errorf("%s: got %+v, %v, want %+v, %v", text, got, err, want, wrong)
		}
		if wire.Valid([]byte(text)) != json.Valid([]byte(text)) {
			t.Errorf("%s: valid is %v", text, wire.Valid([]byte(text)))
		}
	}
	var exact map[string]any
	if err := wire.UnmarshalExact([]byte(`{"a":[1152921504606846977,"1"],"b":{"c":1e2}}`), &exact); err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(exact); err != nil || string(text) != `{"a":[1152921504606846977,"1"],"b":{"c":1e2}}` {
		t.Errorf("numbers became %s, %v", text, err)
	}
}
