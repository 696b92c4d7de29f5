package template_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/enginetest"
)

func sorted(m map[string]any) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func ids(steps []atelier.StepInput) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.ID)
	}
	return strings.Join(out, " ")
}

// A batch is a step for each value of an input, or each artifact that a stage
// will make.
func TestBatch(t *testing.T) {
	t.Parallel()
	over := func(binding, args, more string) string {
		return fmt.Sprintf(`{"id":"b","type":"batch","overBinding":%q,"itemName":"scene","produces":["shots"],%s"itemStage":{"tool":"edit_image","args":%s}}`, binding, more, args)
	}
	three := `{"id":"a","tool":"generate_image","args":{"prompt":"p","numberOfVariations":3},"produces":["a"]},`
	for _, c := range []struct{ name, stages, inputs, want, last string }{
		{"over texts", over("$inputs.scenes", `{"prompt":"$item.scene, number $item.index of $inputs.who","sourceImageIndex":"$inputs.photo"}`, ""),
			`{"who":"x","photo":"https://x/p","scenes":["sea","sky"]}`, "b/0 b/1", ` | prompt=sky, number 1 of x sourceImageIndex=-1`},
		{"the item has many names", over("$inputs.scenes", `{"prompt":"$item.value $item.scene $item.url","sourceImageIndex":"$inputs.photo"}`, ""),
			`{"who":"x","photo":"https://x/p","scenes":["sea"]}`, "b/0", ` | prompt=sea sea sea sourceImageIndex=-1`},
		{"the whole item", over("$inputs.scenes", `{"prompt":"$item","sourceImageIndex":"$inputs.photo"}`, ""),
			`{"who":"x","photo":"https://x/p","scenes":["sea"]}`, "b/0", ` | prompt=sea sourceImageIndex=-1`},
		{"over files", over("$inputs.more", `{"prompt":"p","sourceImageIndex":"$item.url"}`, ""),
			`{"who":"x","photo":"https://x/p","more":["https://x/1","https://x/2"]}`, "b/0 b/1", ` | prompt=p sourceImageIndex=-3`},
		{"over artifacts", three + over("$artifacts.a.items", `{"prompt":"p","sourceImageIndex":"$item.url"}`, ""),
			`{"who":"x"}`, "a/main b/0 b/1 b/2", `a/main 2 sourceImageIndex image_index true | prompt=p`},
		{"over what a batch makes", over("$inputs.scenes", `{"prompt":"$item.value","sourceImageIndex":"$inputs.photo","numberOfVariations":2}`, "") +
			`,{"id":"c","type":"batch","overBinding":"$artifacts.shots","produces":["c"],"itemStage":{"tool":"upscale_image","args":{"sourceImageIndex":"$item.url"}}}`,
			`{"who":"x","photo":"https://x/p","scenes":["sea","sky"]}`, "b/0 b/1 c/0 c/1 c/2 c/3", `b/1 1 sourceImageIndex image_index true | `},
		{"side by side with another list", over("$inputs.scenes", `{"prompt":"$item.value","sourceImageIndex":"$inputs.photo"}`, "") +
			`,{"id":"c","type":"batch","overBinding":"$inputs.scenes","produces":["c"],"itemStage":{"tool":"animate_photo","args":{"prompt":"$inputs.scenes[$item.index]!","sourceImageIndex":"$artifacts.shots.items[$item.index].url"}}}`,
			`{"who":"x","photo":"https://x/p","scenes":["sea","sky"]}`, "b/0 b/1 c/0 c/1", `b/1 0 sourceImageIndex image_index true | prompt=sky!`},
		{"some items only", `{"id":"b","type":"batch","overBinding":"$inputs.scenes","produces":["p"],"itemStage":{"tool":"generate_image","condition":{"type":"expr","expression":"item.value != 'sky' && item.index != 0"},"args":{"prompt":"$item.value"}}}`,
			`{"who":"x","scenes":["sea","sky","sun","sand"]}`, "b/2 b/3", ` | prompt=sand`},
		{"all into one", over("$inputs.scenes", `{"prompt":"$item.value","sourceImageIndex":"$inputs.photo"}`, "") + `,{"id":"c","tool":"generate_video","args":{"prompt":"p","referenceImageIndices":"$artifacts.shots.items"}}`,
			`{"who":"x","photo":"https://x/p","scenes":["sea","sky"]}`, "b/0 b/1 c/main", `b/0 0 referenceImageIndices image_index true, b/1 0 referenceImageIndices image_index true | prompt=p`},
		{"those that came", over("$inputs.scenes", `{"prompt":"$item.value","sourceImageIndex":"$inputs.photo"}`, `"partialExecutionEnabled":true,`) + `,{"id":"c","tool":"generate_video","args":{"prompt":"p","referenceImageIndices":"$artifacts.shots.items"}}`,
			`{"who":"x","photo":"https://x/p","scenes":["sea","sky"]}`, "b/0 b/1 c/main", `b/0 0 referenceImageIndices image_index false, b/1 0 referenceImageIndices image_index false | prompt=p`},
		{"dependsOn one item", over("$inputs.scenes", `{"prompt":"$item.value","sourceImageIndex":"$inputs.photo"}`, "") + `,{"id":"c","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"b/1","targetArgument":"sourceImageIndex","transform":"image_index"}]}`,
			`{"who":"x","photo":"https://x/p","scenes":["sea","sky"]}`, "b/0 b/1 c/main", `b/1 0 sourceImageIndex image_index true | prompt=p`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := compiled(t, asked(c.stages), c.inputs)
			if got := ids(out.Steps); got != c.want {
				t.Errorf("steps %s, want %s", got, c.want)
			}
			if got := described(out.Steps[len(out.Steps)-1]); got != c.last {
				t.Errorf("the last step is\n%s, want\n%s", got, c.last)
			}
			if err := planned(enginetest.Catalog(), out); err != nil {
				t.Error(err)
			}
		})
	}
}

// No template compiles to more than a workflow allows.
func TestLimits(t *testing.T) {
	t.Parallel()
	texts := func(n int) string {
		return `"scenes":[` + strings.TrimSuffix(strings.Repeat(`"sea",`, n), ",") + `]`
	}
	one := batch(`"overBinding":"$inputs.scenes","produces":["p"]`)
	if got := len(compiled(t, asked(one), `{"who":"x",`+texts(12)+`}`).Steps); got != 12 {
		t.Errorf("got %d steps, want 12", got)
	}
	mentions(t, uncompiled(t, asked(one), `{"who":"x",`+texts(13)+`}`), "error too_many_steps stages[0]")
	mentions(t, uncompiled(t, asked(one+","+picture), `{"who":"x",`+texts(12)+`}`), "error too_many_steps stages")
	mentions(t, uncompiled(t, asked(`{"id":"v","tool":"generate_image","args":{"prompt":"p","numberOfVariations":16},"produces":["v"]},`+
		`{"id":"b","type":"batch","overBinding":"$artifacts.v.items","produces":["p"],"itemStage":{"tool":"upscale_image","args":{"sourceImageIndex":"$item.url"}}}`), `{"who":"x"}`),
		"error too_many_steps stages[1]")
	long := strings.Repeat("$inputs.who", 1000)
	mentions(t, uncompiled(t, asked(`{"id":"a","tool":"generate_image","args":{"prompt":"`+long+`"}}`), `{"who":"`+strings.Repeat("x", 30000)+`"}`), "error too_large stages[0].args.prompt")
	all := strings.TrimSuffix(strings.Repeat(`"$artifacts.v.items",`, 40), ",")
	mentions(t, uncompiled(t, asked(`{"id":"v","tool":"generate_image","args":{"prompt":"p","numberOfVariations":2},"produces":["v"]},{"id":"b","tool":"generate_video","args":{"prompt":"p","referenceImageIndices":[`+all+`]}}`), `{"who":"x"}`),
		"error too_many_bindings stages[1]")
}

// An empty batch is no mistake while the template has other steps.
func TestEmptyBatch(t *testing.T) {
	t.Parallel()
	out := compiled(t, asked(batch(`"overBinding":"$inputs.scenes","produces":["p"]`)+","+picture), `{"who":"x"}`)
	if ids(out.Steps) != "pic/main" {
		t.Errorf("steps %s, want the picture alone", ids(out.Steps))
	}
	mentions(t, out.Warnings, "warning empty_batch stages[0]")
	mentions(t, uncompiled(t, asked(batch(`"overBinding":"$inputs.scenes","produces":["p"]`)), `{"who":"x"}`), "error no_steps stages")
}
