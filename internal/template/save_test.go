package template_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/template"
)

// full is a template with every field that must be returned as it was sent.
const full = `{
	"id": "my.template-1", "name": "Full", "description": "d", "brief": "b", "category": "cinematic", "stability": "beta", "visibility": "private",
	"inputs": [{"name": "mood", "type": "select", "required": true, "description": "m", "options": [{"value": "calm", "label": "Calm"}], "placeholder": "?"},
		{"name": "photos", "type": "image", "multiple": {"min": 1, "max": 3}, "jsonSchema": {"title": "Photos"}}],
	"stages": [
		{"id": "a", "label": "A", "type": "fixed", "toolName": "generate_image", "arguments": {"prompt": "$inputs.mood", "seed": 1234567890}, "produces": ["pic"],
		 "reviewFocus": ["light"], "successCriteria": ["sharp"], "humanApprovalDefault": false, "onError": "stop", "condition": {"type": "always"}, "colour": "#fff"},
		{"id": "b", "tool": "edit_image", "args": {"prompt": "p"}, "dependsOn": [{"sourceStepId": "a", "sourceArtifactIndex": 0, "targetArgument": "sourceImageIndex", "transform": "image_index", "required": true}]}],
	"exposeToLLM": true, "llmPriority": 7, "tags": ["x", "y"], "reviewFocus": ["faces"],
	"graph": {"nodes": [{"stageId": "a", "x": 1.5, "y": -2, "collapsed": true}], "edges": [{"from": "a", "to": "b", "label": "l"}], "viewport": {"x": 0, "y": 0, "zoom": 0.75}},
	"previewArtifacts": [{"stageId": "a", "label": "A", "mediaType": "image", "url": "https://x/a.png", "posterUrl": "https://x/p.png"}],
	"estimatedCapacityUnits": {"min": 1, "max": 4}, "estimatedCredits": {"min": 0.5, "max": 2}, "thumbnailUrl": "https://x/t.png",
	"metadata": {"nested": {"list": [1, "two", null, true, 9007199254740993], "html": "<b>&</b>"}}, "builder": {"theme": "dark"},
	"createdAt": "2025-12-24T18:00:00.000Z", "updatedAt": "2025-12-24T18:00:00.000Z"
}`

// A template is returned as it was sent, with the fields that the service sets.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		created := env.create(ann, full)
		got, err := env.Template(t.Context(), ann.Wallet, "my.template-1")
		if err != nil {
			t.Fatal(err)
		}
		want := object(t, full)
		want["version"], want["author"] = "0.0.1", map[string]any{"userId": "0xann", "displayName": "ann"}
		for name, v := range document(t, got) {
			if !reflect.DeepEqual(v, want[name]) {
				t.Errorf("%s: got %v, want %v", name, v, want[name])
			}
			delete(want, name)
		}
		if len(want) > 0 {
			t.Errorf("lost: %v", want)
		}
		if !strings.Contains(string(got.Metadata), "9007199254740993") {
			t.Errorf("a large number became another: %s", got.Metadata)
		}
		if !reflect.DeepEqual(document(t, created), document(t, got)) {
			t.Errorf("created as %v, read as %v", document(t, created), document(t, got))
		}
	})
}

// A name is enough. The service sets the rest, and what callers may not set.
func TestDefaults(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	got := document(t, env.create(ann, `{"name":"Portrait of a Lady!","version":"9.9.9","author":{"userId":"me"},"clonedFromTemplateId":"x","brief":null}`))
	for name, want := range map[string]any{
		"id": "wf_portrait_of_a_lady", "version": "0.0.1", "category": "custom", "stability": "experimental", "visibility": "private", "exposeToLLM": false,
		"llmPriority": 100.0, "inputs": []any{}, "stages": []any{}, "tags": []any{}, "author": map[string]any{"userId": "0xann", "displayName": "ann"},
		"clonedFromTemplateId": nil, "brief": nil, "createdAt": "2026-03-01T12:00:01.000Z", "updatedAt": "2026-03-01T12:00:01.000Z",
	} {
		if !reflect.DeepEqual(got[name], want) {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
}

// Ids are made of names, and differ when names do not.
func TestMintedIDs(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	seen := map[string]bool{}
	for i, name := range []string{"Same", "Same", "肖像", strings.Repeat("long ", 40)} {
		id := env.create(ann, fmt.Sprintf(`{"name":%q}`, name)).ID
		if seen[id] || !strings.HasPrefix(id, "wf_") || len(id) > 60 {
			t.Errorf("template %d has the id %q", i, id)
		}
		seen[id] = true
	}
	if !seen["wf_same"] {
		t.Errorf("ids %v, want wf_same among them", seen)
	}
	if id := env.create(bob, `{"name":"Same"}`).ID; id != "wf_same" {
		t.Errorf("another account's is %q, want wf_same: it knows of no other", id)
	}
	starter := starters(t)[0]
	if id := env.create(bob, fmt.Sprintf(`{"name":%q}`, starter.Name)).ID; id == starter.ID {
		t.Errorf("the id %q hides a public template", id)
	}
	_, err := env.Create(t.Context(), ann, fields(t, `{"name":"x","id":"wf_same"}`))
	refusal(t, err, atelier.CodeTemplateExists)
	_, err = env.Create(t.Context(), ann, fields(t, fmt.Sprintf(`{"name":"x","id":%q}`, starter.ID)))
	refusal(t, err, atelier.CodeTemplateExists)
}

// A template that is not valid, too large or public is refused.
func TestCreateRefused(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	_, err := env.Create(t.Context(), ann, fields(t, `{"category":"x"}`))
	e := refusal(t, err, atelier.CodeTemplateInvalid)
	mentions(t, e.Issues, "error missing_name name")
	mentions(t, e.Issues, "error invalid_value category")
	_, err = env.Create(t.Context(), ann, fields(t, `{"name":"n","visibility":"public"}`))
	refusal(t, err, atelier.CodePublicTemplate)
	_, err = env.Create(t.Context(), ann, fields(t, `{"name":"n","metadata":{"a":"`+strings.Repeat("x", 16<<10)+`"}}`))
	refusal(t, err, atelier.CodeBodyTooLarge)
	if p, err := env.List(t.Context(), ann.Wallet, template.ListOwn, 0, 20); err != nil || len(p.Templates) != 0 {
		t.Errorf("there are %d templates, %v", len(p.Templates), err)
	}
}

// Warnings do not keep a template from being saved.
func TestWarnings(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	saved, err := env.Create(t.Context(), ann, fields(t, `{"name":"n","colour":"red"}`))
	if err != nil {
		t.Fatal(err)
	}
	mentions(t, saved.Warnings, "warning unknown_field colour")
}

// A change merges fields, removes those that are null, checks the whole template
// and raises the version.
func TestPatch(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		env.create(ann, full)
		patch := func(text string) (template.Saved, error) {
			return env.Patch(t.Context(), ann, "my.template-1", nil, fields(t, text))
		}
		saved, err := patch(`{"name":"New","description":null,"metadata":{"a":1},"tags":null,"builder":null,"id":"other","version":"7.0.0","author":"me","createdAt":"2020-01-01T00:00:00Z","clonedFromTemplateId":"x"}`)
		if err != nil {
			t.Fatal(err)
		}
		got := document(t, saved.Template)
		for name, want := range map[string]any{
			"id": "my.template-1", "version": "0.0.2", "name": "New", "description": nil, "metadata": map[string]any{"a": 1.0}, "tags": []any{}, "brief": "b",
			"builder": nil, "author": map[string]any{"userId": "0xann", "displayName": "ann"}, "createdAt": "2025-12-24T18:00:00.000Z",
			"updatedAt": "2026-03-01T12:00:02.000Z", "llmPriority": 7.0, "clonedFromTemplateId": nil,
		} {
			if !reflect.DeepEqual(got[name], want) {
				t.Errorf("%s: got %v, want %v", name, got[name], want)
			}
		}
		for _, c := range []struct {
			text string
			code atelier.Code
		}{
			{`{"name":null}`, atelier.CodeTemplateInvalid},
			{`{"inputs":[]}`, atelier.CodeTemplateInvalid}, // a stage needs them
			{`{"visibility":"public"}`, atelier.CodePublicTemplate},
			{`{"brief":"` + strings.Repeat("x", 16<<10) + `"}`, atelier.CodeBodyTooLarge},
		} {
			_, err := patch(c.text)
			refusal(t, err, c.code)
		}
		if saved, err = patch(`{"llmPriority":null,"stages":[],"inputs":[]}`); err != nil {
			t.Fatal(err)
		}
		if saved.Template.Version != "0.0.3" || saved.Template.LLMPriority != 100 {
			t.Errorf("version %s, priority %v, want 0.0.3 and 100", saved.Template.Version, saved.Template.LLMPriority)
		}
	})
}

// Concurrent changes are all made, one after the other.
func TestPatchAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		id := env.create(ann, `{"name":"n"}`).ID
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if _, err := env.Patch(context.Background(), ann, id, nil, fields(t, fmt.Sprintf(`{"field%d":%d}`, i, i))); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got, err := env.Template(t.Context(), ann.Wallet, id)
		if err != nil || got.Version != "0.0.9" || len(got.Others) != 8 {
			t.Errorf("version %s with %d fields, %v; want 0.0.9 with 8", got.Version, len(got.Others), err)
		}
	})
}

// To accounts other than its owner a template does not exist.
func TestOwnership(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		id := env.create(ann, `{"name":"n"}`).ID
		starter := starters(t)[0].ID
		for _, c := range []struct {
			name string
			do   func() error
		}{
			{"read another's", func() error { _, err := env.Template(t.Context(), bob.Wallet, id); return err }},
			{"read none", func() error { _, err := env.Template(t.Context(), ann.Wallet, "wf_none"); return err }},
			{"change another's", func() error { _, err := env.Patch(t.Context(), bob, id, nil, template.Fields{}); return err }},
			{"delete another's", func() error { return env.Delete(t.Context(), bob.Wallet, id) }},
			{"fork another's", func() error { _, err := env.Fork(t.Context(), bob, id, ""); return err }},
			{"start another's", func() error { _, err := env.Plan(t.Context(), bob.Wallet, id, template.Request{}); return err }},
			{"change a public one", func() error { _, err := env.Patch(t.Context(), ann, starter, nil, template.Fields{}); return err }},
			{"delete a public one", func() error { return env.Delete(t.Context(), ann.Wallet, starter) }},
		} {
			if err := c.do(); !atelier.HasCode(err, atelier.CodeNotFound) {
				t.Errorf("%s: got %v, want not found", c.name, err)
			}
		}
		if err := env.Delete(t.Context(), ann.Wallet, id); err != nil {
			t.Fatal(err)
		}
		if err := env.Delete(t.Context(), ann.Wallet, id); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("delete again: got %v, want not found", err)
		}
	})
}

// A fork is a new private template of the account that made it.
func TestFork(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	starter := starters(t)[0]
	fork, err := env.Fork(t.Context(), ann, starter.ID, "Mine")
	if err != nil {
		t.Fatal(err)
	}
	got, want := document(t, fork), document(t, starter)
	for name, v := range map[string]any{
		"id": "wf_mine", "name": "Mine", "version": "0.0.1", "visibility": "private", "clonedFromTemplateId": starter.ID,
		"author": map[string]any{"userId": "0xann", "displayName": "ann"}, "createdAt": got["createdAt"], "updatedAt": got["updatedAt"],
	} {
		want[name] = v
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	again, err := env.Fork(t.Context(), ann, fork.ID, "")
	if err != nil || again.Name != "Mine" || again.ID == fork.ID || again.ClonedFromTemplateID != fork.ID {
		t.Errorf("the fork of a fork is %q, %q of %q, %v", again.Name, again.ID, again.ClonedFromTemplateID, err)
	}
	_, err = env.Fork(t.Context(), ann, fork.ID, strings.Repeat("x", 201))
	mentions(t, refusal(t, err, atelier.CodeTemplateInvalid).Issues, "error too_long name")
	for range limit - 2 {
		if _, err := env.Fork(t.Context(), ann, fork.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err = env.Fork(t.Context(), ann, fork.ID, "")
	refusal(t, err, atelier.CodeTemplateLimit)
}

// An account gets exactly as many templates as its limit allows, however many are
// created at once.
func TestLimitAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			saved int
		)
		for range 3 * limit {
			wg.Go(func() {
				_, err := env.Create(context.Background(), ann, fields(t, `{"name":"n"}`))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					saved++
				case !atelier.HasCode(err, atelier.CodeTemplateLimit):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		p, err := env.List(t.Context(), ann.Wallet, template.ListOwn, 0, 100)
		if err != nil || saved != limit || len(p.Templates) != limit {
			t.Errorf("%d were saved and %d are there, %v; want %d", saved, len(p.Templates), err, limit)
		}
		env.create(bob, `{"name":"n"}`) // another account has its own limit
	})
}

// A plan does not change with the template it was made from.
func TestPlanIsPinned(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	id := env.create(ann, `{"name":"First","stages":[{"id":"a","tool":"generate_image","args":{"prompt":"one"}}]}`).ID
	plan, err := env.Plan(t.Context(), ann.Wallet, id, template.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := env.Patch(t.Context(), ann, id, nil, fields(t, `{"name":"Second","stages":[{"id":"a","tool":"generate_image","args":{"prompt":"two"}}]}`)); err != nil {
		t.Fatal(err)
	}
	if plan.Version != "0.0.1" || plan.Title != "First" || plan.Steps[0].Arguments["prompt"] != "one" {
		t.Errorf("the plan became %+v", plan)
	}
	next, err := env.Plan(t.Context(), ann.Wallet, id, template.Request{})
	if err != nil || next.Version != "0.0.2" || next.Steps[0].Arguments["prompt"] != "two" {
		t.Errorf("the next plan is %+v, %v", next, err)
	}
}
