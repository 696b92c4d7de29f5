package template_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/template"
)

// Expressions depend only on the inputs.
func TestExpressions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expression string
		want       bool
	}{
		{`inputs.fast`, true}, {`!inputs.fast`, false}, {`inputs.fast == true`, true}, {`inputs.fast != true`, false},
		{`$inputs.who == "Ann"`, true}, {`inputs.who == 'Ann'`, true}, {`inputs.who === 'Bob'`, false}, {`inputs.who !== 'Bob'`, true},
		{`inputs.count == 2`, true}, {`inputs.count == "2"`, false}, {`inputs.count == 2.0`, true}, {`-1 == -1.0`, true},
		{`inputs.mood == null`, true}, {`inputs.mood`, false}, {`inputs.photo != null`, true}, {`inputs.photo == 'https://x/p'`, true},
		{`inputs.scenes.length == 2`, true}, {`inputs.more.length == 0`, true}, {`inputs.who.length == 3`, true},
		{`inputs.fast && inputs.count == 3`, false}, {`inputs.fast || inputs.count == 3`, true},
		{`inputs.mood || inputs.fast && inputs.mood`, false}, {`(inputs.mood || inputs.fast) && !inputs.mood`, true},
		{`true`, true}, {`false || false`, false}, {`null`, false}, {`0`, false}, {`'a\'b' == "a'b"`, true}, {`inputs.long-name == 'dashed'`, true},
	} {
		t.Run(c.expression, func(t *testing.T) {
			t.Parallel()
			quoted := strings.ReplaceAll(strings.ReplaceAll(c.expression, `\`, `\\`), `"`, `\"`)
			text := asked(picture + `,{"id":"b","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"expr","expression":"` + quoted + `"}}`)
			out := compiled(t, text, `{"who":"Ann","photo":"https://x/p","scenes":["a","b"]}`)
			if got := len(out.Steps) == 2; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// An invalid expression is refused quickly.
func TestBrokenExpressions(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		``, ` `, `==`, `1 ==`, `(1`, `1)`, `1 2`, `'a`, `a.`, `inputs.a ? 1 : 2`, `inputs.a + 1`, `f(1)`, `a[0]`, `1 == 2 == 3`, `&&`, `1e`, `--1`, `$`,
		strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100), strings.Repeat("!", 200) + "1", strings.Repeat("1 || ", 400) + "1",
	} {
		if _, err := template.ParseExpression(s); err == nil && s != "a." {
			t.Errorf("%q was read as an expression", s)
		}
	}
}

// When a stage is left out, and what happens to stages that need it.
func TestConditions(t *testing.T) {
	t.Parallel()
	never := `"condition":{"type":"expr","expression":"false"},`
	pic := func(more string) string {
		return `{"id":"pic",` + more + `"tool":"generate_image","args":{"prompt":"p"},"produces":["pic"]},`
	}
	edit := func(more string) string {
		return `{"id":"b",` + more + `"tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.pic.items[0].url"}}`
	}
	film := func(more string) string {
		return `{"id":"b",` + more + `"tool":"generate_video","args":{"prompt":"p","referenceImageIndices":["$artifacts.pic.items[0].url"]}}`
	}
	alone := func(more string) string {
		return `{"id":"b",` + more + `"tool":"generate_image","args":{"prompt":"p"}}`
	}
	for _, c := range []struct{ name, stages, want, last string }{
		{"always", pic("") + edit(`"condition":{"type":"always"},`), "pic/main b/main", "pic/main 0 sourceImageIndex image_index true | prompt=p"},
		{"taken from a stage that continues", pic(`"onError":"continue",`) + film(""), "pic/main b/main", "pic/main 0 referenceImageIndices image_index false | prompt=p"},
		{"taken from a stage that is skipped", pic(`"onError":"skip",`) + film(""), "pic/main b/main", "pic/main 0 referenceImageIndices image_index false | prompt=p"},
		{"what a tool cannot do without", pic(`"onError":"continue",`) + edit(""), "pic/main b/main", "pic/main 0 sourceImageIndex image_index true | prompt=p"},
		{"optional to the one who takes it", pic("") + film(`"optionalArtifactsIn":["pic"],`), "pic/main b/main", "pic/main 0 referenceImageIndices image_index false | prompt=p"},
		{"required all the same", pic(`"onError":"continue",`) + film(`"requiredArtifactsIn":["pic"],`), "pic/main b/main", "pic/main 0 referenceImageIndices image_index true | prompt=p"},
		{"if success", pic(`"onError":"continue",`) + film(`"condition":{"type":"if_success_of","stageId":"pic"},`), "pic/main b/main", "pic/main 0 referenceImageIndices image_index true | prompt=p"},
		{"if it exists", pic(`"onError":"continue",`) + film(`"condition":{"type":"if_artifact_exists","artifactName":"pic"},`), "pic/main b/main", "pic/main 0 referenceImageIndices image_index true | prompt=p"},
		{"left out, and optional", pic(never) + film(`"optionalArtifactsIn":["pic"],`), "b/main", " | prompt=p"},
		{"no success of what is left out", pic(never) + film(`"condition":{"type":"if_success_of","stageId":"pic"},`) + `,{"id":"c","tool":"generate_image","args":{"prompt":"p"}}`, "c/main", " | prompt=p"},
		{"nothing exists of what is left out", pic(never) + film(`"condition":{"type":"if_artifact_exists","artifactName":"pic"},`) + `,{"id":"c","tool":"generate_image","args":{"prompt":"p"}}`, "c/main", " | prompt=p"},
		{"no error in what is left out", pic(never) + alone(`"condition":{"type":"if_error_in","stageId":"pic"},`) + `,{"id":"c","tool":"generate_image","args":{"prompt":"p"}}`, "c/main", " | prompt=p"},
		{"one of two that make the same", pic(never) + `{"id":"other","condition":{"type":"expr","expression":"true"},"tool":"generate_image","args":{"prompt":"p"},"produces":["pic"]},` + edit(""), "other/main b/main", "other/main 0 sourceImageIndex image_index true | prompt=p"},
		{"a group that is left out", `{"id":"g",` + never + `"subStages":[{"id":"x","tool":"generate_image","args":{"prompt":"p"}}]},` + alone(""), "b/main", " | prompt=p"},
		{"a group that is not", `{"id":"g","subStages":[{"id":"x","tool":"generate_image","args":{"prompt":"p"}}]},` + alone(""), "x/main b/main", " | prompt=p"},
		{"a stage with others in it", `{"id":"g","tool":"generate_image","args":{"prompt":"p"},"subStages":[{"id":"x","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.g.items[0].url"}}]}`, "g/main x/main", "g/main 0 sourceImageIndex image_index true | prompt=p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := compiled(t, asked(c.stages), `{"who":"x"}`)
			if got := ids(out.Steps); got != c.want {
				t.Fatalf("steps %s, want %s", got, c.want)
			}
			if got := described(out.Steps[len(out.Steps)-1]); got != c.last {
				t.Errorf("the last step is\n%s, want\n%s", got, c.last)
			}
		})
	}
	for _, c := range []struct{ name, stages, want string }{
		{"if another failed", pic("") + alone(`"condition":{"type":"if_error_in","stageId":"pic"},`), "error unsupported_condition stages[1].condition"},
		{"if another succeeded of which nothing is taken", pic("") + alone(`"condition":{"type":"if_success_of","stageId":"pic"},`), "error unsupported_condition stages[1].condition"},
		{"if something exists that is not taken", pic("") + alone(`"condition":{"type":"if_artifact_exists","artifactName":"pic"},`), "error unsupported_condition stages[1].condition"},
		{"if artifacts are so and so", alone(`"condition":{"type":"expr","expression":"artifacts.pic.width == 4"},`), "error unsupported_condition stages[0].condition.expression"},
		{"needed and left out", pic(never) + edit(""), "error artifact_missing stages[1].args.sourceImageIndex"},
		{"needed by dependsOn and left out", pic(never) + `{"id":"b","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"pic","targetArgument":"sourceImageIndex","transform":"image_index"}]}`, "error artifact_missing stages[1].dependsOn[0]"},
		{"a batch over what is left out", pic(never) + `{"id":"b","type":"batch","overBinding":"$artifacts.pic.items","produces":["b"],"itemStage":{"tool":"upscale_image","args":{"sourceImageIndex":"$item.url"}}}`, "error artifact_missing stages[1].overBinding"},
		{"two at once that make the same", pic(`"condition":{"type":"expr","expression":"true"},`) + `{"id":"other","condition":{"type":"expr","expression":"inputs.fast"},"tool":"generate_image","args":{"prompt":"p"},"produces":["pic"]}`, "error duplicate_artifact stages[1]"},
		{"uncertain, deep inside", pic(`"onError":"continue",`) + `{"id":"v","tool":"generate_video","args":{"prompt":"p"}},{"id":"b","tool":"overlay_video","args":{"sourceVideoIndex":"$artifacts.v.items[0].url","overlays":[{"kind":"image","sourceImageIndex":"$artifacts.pic.items[0].url"}]}}`, "error unsupported_condition stages[2].args.overlays[0].sourceImageIndex"},
		{"everything left out", `{"id":"b","condition":{"type":"expr","expression":"false"},"tool":"generate_image","args":{"prompt":"p"}}`, "error no_steps stages"},
		{"an item by the luck of others", `{"id":"b","type":"batch","overBinding":"$inputs.scenes","produces":["p"],"itemStage":{"tool":"generate_image","condition":{"type":"if_error_in","stageId":"b"},"args":{"prompt":"$item.value"}}}`, "error unsupported_condition stages[0].itemStage.condition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			mentions(t, uncompiled(t, asked(c.stages), `{"who":"x"}`), c.want)
		})
	}
}
