package template_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/template"
)

func idsOf(list []atelier.Template) (out []string) {
	for _, t := range list {
		out = append(out, t.ID)
	}
	return out
}

// all walks through the pages of a list.
func (env *fixture) all(w atelier.Wallet, which string, limit int) (out []string) {
	env.T.Helper()
	for offset := 0; ; {
		p, err := env.List(env.T.Context(), w, which, offset, limit)
		if err != nil {
			env.T.Fatal(err)
		}
		out = append(out, idsOf(p.Templates)...)
		if p.Next == nil {
			return out
		}
		if len(p.Templates) != limit || *p.Next != offset+limit {
			env.T.Fatalf("page at %d has %d templates and continues at %d", offset, len(p.Templates), *p.Next)
		}
		offset = *p.Next
	}
}

// Lists have the caller's own and the public templates, the newest first and the
// starters last, in pages without gaps.
func TestList(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		for i := range 3 {
			env.create(ann, fmt.Sprintf(`{"name":"a%d"}`, i))
		}
		env.create(bob, `{"name":"b"}`)
		if _, err := env.Publish(t.Context(), fields(t, `{"name":"Public"}`), nil, unrecorded); err != nil {
			t.Fatal(err)
		}
		if _, err := env.Patch(t.Context(), ann, "wf_a0", nil, template.Fields{}); err != nil {
			t.Fatal(err)
		}
		own, public := []string{"wf_a0", "wf_a2", "wf_a1"}, append([]string{"wf_public"}, idsOf(starters(t))...)
		both := append([]string{"wf_a0", "wf_public", "wf_a2", "wf_a1"}, idsOf(starters(t))...)
		for _, c := range []struct {
			which string
			want  []string
		}{{"own", own}, {"public", public}, {"all", both}, {"whatever", both}, {"", both}} {
			for _, limit := range []int{1, 2, 3, 5, 100} {
				if got := env.all(ann.Wallet, c.which, limit); !slices.Equal(got, c.want) {
					t.Errorf("%s by %d: got %q, want %q", c.which, limit, got, c.want)
				}
			}
		}
		p, err := env.List(t.Context(), ann.Wallet, "all", 10_000, 20)
		if err != nil || p.Templates == nil || len(p.Templates) != 0 || p.Next != nil {
			t.Errorf("beyond the end: %v, %v", p, err)
		}
	})
}

// A page of large templates is shorter, and the next begins where it ends.
func TestListsOfLargeTemplates(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		env.Engine = template.New(env.DB, enginetest.Catalog(), template.Options{Limit: 100, MaxBytes: 256 << 10, Now: env.tick})
		var want []string
		for i := range 12 {
			env.create(ann, fmt.Sprintf(`{"name":"a%d","description":%q}`, i, strings.Repeat("x", 250<<10)))
			want = append([]string{fmt.Sprintf("wf_a%d", i)}, want...)
		}
		want = append(want, idsOf(starters(t))...)
		var got []string
		for offset := 0; ; {
			p, err := env.List(t.Context(), ann.Wallet, "all", offset, 100)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, idsOf(p.Templates)...)
			if p.Next == nil {
				break
			}
			if *p.Next != offset+len(p.Templates) || len(p.Templates) == 0 || len(p.Templates) > 8 {
				t.Fatalf("the page at %d has %d templates and continues at %d", offset, len(p.Templates), *p.Next)
			}
			offset = *p.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// The operator publishes, and publishes again.
func TestPublish(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		file := "id: studio_look\nname: Studio look\nvisibility: private\nauthor: me\nstages:\n  - { id: a, tool: generate_image, args: { prompt: one } }\n"
		publish := func(text string) template.Saved {
			t.Helper()
			f, err := template.ReadFile("look.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			saved, err := env.Publish(t.Context(), f, nil, unrecorded)
			if err != nil {
				t.Fatal(err)
			}
			return saved
		}
		first := document(t, publish(file).Template)
		if first["version"] != "0.0.1" || first["visibility"] != "public" || first["author"] != "system" {
			t.Errorf("published %v", first)
		}
		second := document(t, publish(strings.Replace(file, "one", "two", 1)).Template)
		if second["version"] != "0.0.2" || second["createdAt"] != first["createdAt"] || second["updatedAt"] == first["updatedAt"] {
			t.Errorf("published again: %v", second)
		}
		plan, err := env.Plan(t.Context(), bob.Wallet, "studio_look", template.Request{})
		if err != nil || plan.Steps[0].Arguments["prompt"] != "two" {
			t.Errorf("what bob starts is %+v, %v", plan, err)
		}
		if err := env.Delete(t.Context(), bob.Wallet, "studio_look"); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("bob deletes it: got %v, want not found", err)
		}

		// A published template replaces a starter until it is withdrawn.
		starter := starters(t)[0]
		replaced := publish("id: " + starter.ID + "\nname: Ours\n").Template
		if got, err := env.Template(t.Context(), bob.Wallet, starter.ID); err != nil || got.Name != "Ours" || replaced.Version != "0.0.2" {
			t.Errorf("replaced by %q version %s, %v", got.Name, replaced.Version, err)
		}
		if got := env.all(bob.Wallet, "public", 100); len(got) != len(starters(t))+1 {
			t.Errorf("public are %q", got)
		}
		for range 2 {
			err = env.Withdraw(t.Context(), starter.ID, unrecorded)
		}
		if !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("withdrawn twice: got %v, want not found", err)
		}
		if got, err := env.Template(t.Context(), bob.Wallet, starter.ID); err != nil || got.Name != starter.Name {
			t.Errorf("after it was withdrawn: %q, %v", got.Name, err)
		}
		// Published again, its versions go on: no version names two contents.
		if again := publish("id: " + starter.ID + "\nname: Ours\n").Template; again.Version != "0.0.3" {
			t.Errorf("a starter is replaced again by version %s, want 0.0.3", again.Version)
		}

		// One that is withdrawn while it is being replaced is not.
		version := "0.0.2"
		env.onTick = func() {
			env.onTick = nil
			if err := env.Withdraw(t.Context(), "studio_look", unrecorded); err != nil {
				t.Error(err)
			}
		}
		if _, err := env.Publish(t.Context(), fields(t, `{"id":"studio_look","name":"Late"}`), &version, unrecorded); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("replacing one that was withdrawn meanwhile: got %v", err)
		}
		for _, want := range []string{"0.0.3", "0.0.4"} {
			if again := document(t, publish(file).Template); again["version"] != want {
				t.Errorf("published again: version %v, want %s", again["version"], want)
			}
			if err := env.Withdraw(t.Context(), "studio_look", unrecorded); err != nil {
				t.Error(err)
			}
		}
	})
}

// A file that is no template is refused with what is wrong.
func TestPublishRefused(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	for _, text := range []string{"a: [", "- a", `{"name":`, "name: a\nname: b"} {
		if _, err := template.ReadFile("x.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "x.yaml") {
			t.Errorf("%q: got %v, want an error that names the file", text, err)
		}
	}
	f, err := template.ReadFile("x.json", []byte(`{"name":"n","category":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = env.Publish(t.Context(), f, nil, unrecorded)
	mentions(t, refusal(t, err, atelier.CodeTemplateInvalid).Issues, "error invalid_value category")
}

// Language models get the templates that are exposed to them, by priority.
func TestForLLM(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := newFixture(t, o)
		env.create(ann, `{"name":"strong","exposeToLLM":true,"llmPriority":1.5}`)
		env.create(ann, `{"name":"weak","exposeToLLM":true,"llmPriority":1e6}`)
		env.create(ann, `{"name":"hidden"}`)
		env.create(bob, `{"name":"another","exposeToLLM":true,"llmPriority":0}`)
		if _, err := env.Publish(t.Context(), fields(t, `{"name":"ours","exposeToLLM":true,"llmPriority":-1}`), nil, unrecorded); err != nil {
			t.Fatal(err)
		}
		list, revision, err := env.ForLLM(t.Context(), ann.Wallet, 100)
		if err != nil {
			t.Fatal(err)
		}
		got := idsOf(list)
		if got[0] != "wf_ours" || got[1] != "wf_strong" || got[len(got)-1] != "wf_weak" || slices.Contains(got, "wf_hidden") || slices.Contains(got, "wf_another") {
			t.Errorf("got %q", got)
		}
		for i := 1; i < len(list); i++ {
			if list[i-1].LLMPriority > list[i].LLMPriority {
				t.Errorf("%s with %g comes before %s with %g", list[i-1].ID, list[i-1].LLMPriority, list[i].ID, list[i].LLMPriority)
			}
		}
		if list, _, err = env.ForLLM(t.Context(), ann.Wallet, 2); err != nil || len(list) != 2 || list[1].ID != "wf_strong" {
			t.Errorf("the first two are %q, %v", idsOf(list), err)
		}
		const each = 15_000
		notes := strings.Repeat("n", each)
		for i := range 40 {
			f := fields(t, fmt.Sprintf(`{"name":"large %d","exposeToLLM":true,"llmPriority":2,"metadata":{"notes":%q}}`, i, notes))
			if _, err := env.Publish(t.Context(), f, nil, unrecorded); err != nil {
				t.Fatal(err)
			}
		}
		list, changed, err := env.ForLLM(t.Context(), ann.Wallet, 100)
		large := slices.DeleteFunc(idsOf(list), func(id string) bool { return !strings.HasPrefix(id, "wf_large") })
		if n := len(large); err != nil || n < 20 || n*each > 512<<10 {
			t.Errorf("%d templates of %d bytes, %v", n, each, err)
		}
		if _, again, err := env.ForLLM(t.Context(), ann.Wallet, 100); again != changed || changed == revision || err != nil {
			t.Errorf("revisions %x, %x, %x, %v", revision, changed, again, err)
		}
	})
}

// A refusal of the workflow engine becomes a compile error of the template; any
// other error stays unchanged.
func TestRefused(t *testing.T) {
	t.Parallel()
	e := refusal(t, template.Refused(atelier.Refuse("input.steps[0].arguments.loras", "names a LoRA."), nil), atelier.CodeTemplateCompile)
	mentions(t, e.Details["compileErrors"].([]atelier.Issue), "error invalid_plan input.steps[0].arguments.loras")
	busy := atelier.Errorf(atelier.CodeActiveWorkflows, "busy")
	if err := template.Refused(busy, nil); err != error(busy) {
		t.Errorf("got %v, want the error itself", err)
	}
}
