package chat_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A vendor's model that the caller cannot pay for is replaced by one of ours.
func TestVendorModels(t *testing.T) {
	t.Parallel()
	picture := atelier.MediaReference{Kind: "image", URL: "https://media.example/a.png", Original: map[string]any{}}
	for _, c := range []struct {
		name, tool, args string
		premium          bool
		model            string // of the step that is run
	}{
		{"an image", "generate_image", `{"prompt":"a fox","model":"gpt-image-2"}`, false, "z_image_turbo_bf16"},
		{"with what the vendor alone takes", "generate_image", `{"prompt":"a fox","model":"gpt-image-2","width":3840,"height":2160,"gptImageQuality":"high"}`, false, "z_image_turbo_bf16"},
		{"a video", "generate_video", `{"prompt":"a fox","videoModel":"seedance2-5","duration":5}`, false, "ltx25-22b-int8_t2v_distilled"},
		{"a long video", "generate_video", `{"prompt":"a fox","videoModel":"seedance2-5","duration":30,"returnLastFrame":true}`, false, "ltx25-22b-int8_t2v_distilled"},
		{"an animation", "animate_photo", `{"prompt":"run","videoModel":"happyhorse-1.1-i2v","sourceImageIndex":-1}`, false, "ltx25-22b-int8_i2v_distilled"},
		{"an edit", "edit_image", `{"prompt":"a hat","model":"gpt-image-2.5-flare","sourceImageIndex":-1}`, false, ""},
		{"one of ours", "generate_image", `{"prompt":"a fox","model":"krea-2-turbo"}`, false, "krea2_turbo_fp8_scaled"},
		{"no model", "generate_image", `{"prompt":"a fox"}`, false, "z_image_turbo_bf16"},
		{"one that can be paid", "generate_image", `{"prompt":"a fox","model":"gpt-image-2"}`, true, "gpt-image-2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := newFixture(t, storetest.SQLite(t), call(c.tool, c.args), text("There."))
			if c.premium {
				if err := env.Billing.Credit(t.Context(), ann, billing.Credits{PremiumSpark: 20 * atelier.MoneyUnit}); err != nil {
					t.Fatal(err)
				}
			}
			q := env.ask("go")
			q.Media = []chat.Media{{MediaReference: picture}}
			w, _ := env.plan(q)
			if w == nil {
				t.Fatal("nothing was started")
			}
			if got := w.Steps[0].Generation; c.model != "" && (got == nil || got.SelectedModel != c.model) {
				t.Errorf("the model is %+v, want %s", got, c.model)
			}
		})
	}
}

// The answer says that a model was replaced, and what was left out with it.
func TestVendorNote(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t), call("generate_video", `{"prompt":"a fox","videoModel":"seedance2-5","duration":30,"returnLastFrame":true}`), text("There."))
	env.runWorker()
	done, _ := env.complete(env.ask("go"))
	want := "(seedance2-5 needs Premium Spark; another model was used instead; it ignores: "
	if !strings.HasPrefix(done.Content, want) || !strings.Contains(done.Content, "duration") || !strings.Contains(done.Content, "\n\n[Video 1](http") {
		t.Errorf("the answer is %q", done.Content)
	}
	if warnings, _ := done.Results[0]["warnings"].([]string); len(warnings) != 1 {
		t.Errorf("the result is %v", done.Results[0])
	}
}

// What a tool makes is linked in the answer: images are embedded.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t),
		piece("Here: "), call("generate_image", `{"prompt":"a fox","numberOfVariations":2}`, "generate_video", `{"prompt":"a fox"}`, "generate_music", `{"prompt":"piano"}`, "generate_speech", `{"prompt":"hello"}`),
		text("Done."))
	env.runWorker()
	q := env.ask("go")
	q.Stream = true
	done, events := env.complete(q)
	for _, want := range []string{"Here: \n\n![generate image 1](http", "\n\n![generate image 2](http", "\n\n[Video 1](http", "\n\n[Audio 1](http", "\n\nDone."} {
		if !strings.Contains(done.Content, want) {
			t.Errorf("%q is not in %q", want, done.Content)
		}
	}
	if len(done.Workflows) != 4 || len(done.Results) != 4 {
		t.Errorf("%d workflows and %d results, want 4 each", len(done.Workflows), len(done.Results))
	}
	tools := map[string]bool{}
	refs := 0
	for _, ev := range events {
		if ev.Progress != nil && ev.Progress.Status == "completed" && ev.Progress.Progress == 1 {
			tools[ev.Progress.Tool] = true
		}
		if ev.Workflow != nil {
			refs++
		}
	}
	if len(tools) != 4 || refs != 8 {
		t.Errorf("progress of %v and %d references, want four tools and eight", tools, refs)
	}
	heard := env.model.request(1).Messages
	if last := heard[len(heard)-4].Text(); !strings.Contains(last, `"output_assets":[{"index":0,"kind":"image"},{"index":1,"kind":"image"}]`) || strings.Contains(last, "http") {
		t.Errorf("the model heard %s", last)
	}
}
