package template_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Every broken rule is reported with its code and its path. Errors keep a template
// from being saved, warnings do not.
func TestValidate(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	stage := func(s string) string {
		return `{"name":"n","inputs":[{"name":"mood","type":"text"},{"name":"photo","type":"image"},{"name":"scenes","type":"text","multiple":{"min":1,"max":4}}],"stages":[` + s + `]}`
	}
	image := `{"id":"a","tool":"generate_image","args":{"prompt":"p"},"produces":["pic"]}`
	input := func(s string) string { return `{"name":"n","inputs":[` + s + `]}` }
	typed := func(kind, options string) string {
		return `{"name":"n","inputs":[{"name":"x","type":"` + kind + `","options":[` + options + `]}],"stages":[{"id":"a","tool":"generate_image","args":{"prompt":"p","width":"$inputs.x"}}]}`
	}
	for _, c := range []struct{ name, text, want string }{
		{"only a name", `{"name":"n"}`, ""},
		{"no name", `{}`, "error missing_name name"},
		{"an empty name", `{"name":"  "}`, "error missing_name name"},
		{"null for a name", `{"name":null}`, "error missing_name name"},
		{"a number for a name", `{"name":1}`, "error invalid_type name"},
		{"a long name", `{"name":"` + strings.Repeat("x", 201) + `"}`, "error too_long name"},
		{"a bad id", `{"name":"n","id":"a/b"}`, "error invalid_id id"},
		{"an unknown category", `{"name":"n","category":"food"}`, "error invalid_value category"},
		{"an unknown stability", `{"name":"n","stability":"done"}`, "error invalid_value stability"},
		{"an unknown visibility", `{"name":"n","visibility":"friends"}`, "error invalid_value visibility"},
		{"an unknown field", `{"name":"n","colour":"red"}`, "warning unknown_field colour"},
		{"metadata that is no object", `{"name":"n","metadata":[1]}`, "error invalid_type metadata"},
		{"a graph that is no object", `{"name":"n","graph":"x"}`, "error invalid_type graph"},
		{"tags that are no texts", `{"name":"n","tags":["a",1]}`, "error invalid_type tags[1]"},
		{"an estimate upside down", `{"name":"n","estimatedCapacityUnits":{"min":2,"max":1}}`, "error invalid_value estimatedCapacityUnits"},
		{"half an estimate", `{"name":"n","estimatedCredits":{"min":2}}`, "error invalid_value estimatedCredits"},
		{"a thumbnail inside", `{"name":"n","thumbnailUrl":"data:image/png;base64,AA"}`, "error invalid_value thumbnailUrl"},
		{"a preview without a URL", `{"name":"n","previewArtifacts":[{"stageId":"a","mediaType":"image"}]}`, "error invalid_value previewArtifacts[0].url"},
		{"a preview of sound", `{"name":"n","previewArtifacts":[{"mediaType":"audio","url":"https://x/y"}]}`, "error invalid_value previewArtifacts[0].mediaType"},
		{"an invalid time", `{"name":"n","createdAt":"yesterday"}`, "error invalid_value createdAt"},
		{"nesting without end", `{"name":"n","metadata":` + strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60) + `}`, "error too_deep metadata"},

		{"a text for a number", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p","width":"$inputs.mood"}}`), "warning input_type stages[0].args.width"},
		{"a text for each of several numbers", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p","loras":["l"],"loraStrengths":"$inputs.mood"}}`), "warning input_type stages[0].args.loraStrengths"},
		{"a text for a text", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"$inputs.mood","loras":"$inputs.mood"}}`), ""},
		{"a flag for a number", typed("boolean", ""), "error input_type stages[0].args.width"},
		{"a number for a number", typed("number", ""), ""},
		{"choices of which one is a number", typed("select", `"512","wide"`), ""},
		{"choices of which none is a number", typed("select", `"tall","wide"`), "error input_type stages[0].args.width"},

		{"an input", input(`{"name":"x","type":"text","required":true,"description":"d","default":"v"}`), ""},
		{"an input without a name", input(`{"type":"text"}`), "error invalid_name inputs[0].name"},
		{"an input with an odd name", input(`{"name":"a b","type":"text"}`), "error invalid_name inputs[0].name"},
		{"two inputs of one name", input(`{"name":"a","type":"text"},{"name":"a","type":"text"}`), "error duplicate_input inputs[1].name"},
		{"an input of no type", input(`{"name":"a"}`), "error invalid_input_type inputs[0].type"},
		{"an input of an unknown type", input(`{"name":"a","type":"smell"}`), "error invalid_value inputs[0].type"},
		{"a select without options", input(`{"name":"a","type":"select"}`), "error missing_options inputs[0].options"},
		{"options of an image", input(`{"name":"a","type":"image","options":["x"]}`), "error invalid_value inputs[0].options"},
		{"an option that is a list", input(`{"name":"a","type":"select","options":[[1]]}`), "error invalid_type inputs[0].options[0]"},
		{"a default of the wrong type", input(`{"name":"a","type":"number","default":"5"}`), "error invalid_default inputs[0].default"},
		{"a default that is no option", input(`{"name":"a","type":"select","options":["x"],"default":"y"}`), "error invalid_default inputs[0].default"},
		{"a default against its schema", input(`{"name":"a","type":"number","default":5,"jsonSchema":{"maximum":4}}`), "error invalid_default inputs[0].default"},
		{"a default within its schema", input(`{"name":"a","type":"number","default":5,"jsonSchema":{"minimum":5,"exclusiveMaximum":6,"enum":[4,5]}}`), ""},
		{"a default at an excluded bound", input(`{"name":"a","type":"number","default":5,"jsonSchema":{"exclusiveMinimum":5}}`), "error invalid_default inputs[0].default"},
		{"a default that its schema does not list", input(`{"name":"a","type":"text","default":"x","jsonSchema":{"enum":["y",["x"]]}}`), "error invalid_default inputs[0].default"},
		{"a default that is not the constant", input(`{"name":"a","type":"boolean","default":true,"jsonSchema":{"const":false}}`), "error invalid_default inputs[0].default"},
		{"a default that is too long", input(`{"name":"a","type":"text","default":"äöü","jsonSchema":{"maxLength":2}}`), "error invalid_default inputs[0].default"},
		{"a default of three characters", input(`{"name":"a","type":"text","default":"äöü","jsonSchema":{"minLength":3,"maxLength":3}}`), ""},
		{"a default of another form", input(`{"name":"a","type":"text","default":"x1","jsonSchema":{"pattern":"^[a-z]+$"}}`), "error invalid_default inputs[0].default"},
		{"one of several against its schema", input(`{"name":"a","type":"text","multiple":{"min":1,"max":3},"default":["a","bb"],"jsonSchema":{"maxLength":1}}`), "error invalid_default inputs[0].default[1]"},
		{"too few defaults", input(`{"name":"a","type":"text","multiple":{"min":2,"max":3},"default":["x"]}`), "error invalid_default inputs[0].default"},
		{"multiple upside down", input(`{"name":"a","type":"text","multiple":{"min":3,"max":2}}`), "error invalid_value inputs[0].multiple.max"},
		{"an internal input that must be given", input(`{"name":"a","type":"text","internal":true,"required":true}`), "error invalid_default inputs[0].default"},
		{"a schema that goes further", input(`{"name":"a","type":"text","jsonSchema":{"contentEncoding":"x"}}`), "warning schema_not_checked inputs[0].jsonSchema.contentEncoding"},
		{"a schema with a broken pattern", input(`{"name":"a","type":"text","jsonSchema":{"pattern":"("}}`), "error invalid_value inputs[0].jsonSchema.pattern"},
		{"too many inputs", input(strings.TrimSuffix(strings.Repeat(`{"name":"a","type":"text"},`, 17), ",")), "error too_many_inputs inputs"},

		{"a stage", stage(image), ""},
		{"a stage by its other names", stage(`{"id":"a","toolName":"generate_image","arguments":{"prompt":"p"}}`), ""},
		{"a tool by two names", stage(`{"id":"a","tool":"generate_image","toolName":"edit_image","args":{"prompt":"p"}}`), "error conflicting_fields stages[0].toolName"},
		{"a stage without an id", stage(`{"tool":"generate_image","args":{"prompt":"p"}}`), "error invalid_id stages[0].id"},
		{"two stages of one id", stage(image + `,{"id":"a","tool":"generate_image","args":{"prompt":"p"}}`), "error duplicate_stage_id stages[1].id"},
		{"a stage that is no object", stage(`"a"`), "error invalid_type stages[0]"},
		{"no tool", stage(`{"id":"a"}`), "error unknown_tool stages[0].tool"},
		{"an unknown tool", stage(`{"id":"a","tool":"bake_bread"}`), "error unknown_tool stages[0].tool"},
		{"a tool that answers at once", stage(`{"id":"a","tool":"compose_lyrics","args":{"prompt":"p"}}`), "error unknown_tool stages[0].tool"},
		{"an interactive stage", stage(`{"id":"a","type":"interactive","systemPrompt":"s","allowedTools":[]}`), "error unsupported_stage_type stages[0].type"},
		{"a type that is no text", stage(`{"id":"a","type":7}`), "error unsupported_stage_type stages[0].type"},
		{"an unknown argument", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p","colour":1}}`), "error unknown_argument stages[0].args.colour"},
		{"an argument of the past", stage(`{"id":"a","tool":"generate_video","args":{"prompt":"p","outputScale":2}}`), "error unknown_argument stages[0].args.outputScale"},
		{"a wrong argument", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p","numberOfVariations":99}}`), "error invalid_argument stages[0].args.numberOfVariations"},
		{"a wrong argument beside a bound one", stage(`{"id":"a","tool":"generate_music","arguments":{"prompt":"$inputs.mood","duration":1}}`), "error invalid_argument stages[0].arguments.duration"},
		{"a missing argument", stage(`{"id":"a","tool":"generate_image","args":{}}`), "error invalid_argument stages[0].args.prompt"},
		{"an unknown input", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"in $inputs.moood"}}`), "error unknown_input stages[0].args.prompt"},
		{"an unknown artifact", stage(`{"id":"a","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.x.items[0].url"}}`), "error unknown_artifact stages[0].args.sourceImageIndex"},
		{"an artifact in a text", stage(image + `,{"id":"b","tool":"edit_image","args":{"prompt":"like $artifacts.pic.items[0].url"}}`), "error artifact_in_text stages[1].args.prompt"},
		{"an item outside a batch", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"$item.value"}}`), "error item_outside_batch stages[0].args.prompt"},
		{"one of several of one", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"$inputs.mood[1]"}}`), "error batch_not_array stages[0].args.prompt"},
		{"almost a binding", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"$input.mood"}}`), "warning unknown_binding stages[0].args.prompt"},
		{"a binding to nowhere", stage(`{"id":"a","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"x","targetArgument":"sourceImageIndex","transform":"image_index"}]}`), "error unknown_stage stages[0].dependsOn[0].sourceStepId"},
		{"a binding to an unknown argument", stage(image + `,{"id":"b","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"a","targetArgument":"x","transform":"image_index"}]}`), "error unknown_argument stages[1].dependsOn[0].targetArgument"},
		{"an unknown transform", stage(image + `,{"id":"b","tool":"edit_image","args":{"prompt":"p"},"dependsOn":[{"sourceStepId":"a","targetArgument":"sourceImageIndex","transform":"magic"}]}`), "error invalid_value stages[1].dependsOn[0].transform"},
		{"a stage that takes from itself", stage(`{"id":"a","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.a.items[0].url"}}`), "error circular_stages stages[0]"},
		{"stages in a circle", stage(`{"id":"a","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.b.items[0].url"}},{"id":"b","tool":"edit_image","args":{"prompt":"p","sourceImageIndex":"$artifacts.a.items[0].url"}}`), "error circular_stages stages[0]"},
		{"one artifact of two stages", stage(image + `,{"id":"b","tool":"generate_image","args":{"prompt":"p"},"produces":["pic"]}`), "error duplicate_artifact stages[1].produces"},
		{"a checkpoint", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"checkpointRequired":true}`), "warning unsupported_checkpoint stages[0].checkpointRequired"},
		{"another try", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"onError":"retry_once"}`), "warning retry_once stages[0].onError"},
		{"an unknown way to fail", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"onError":"panic"}`), "error invalid_value stages[0].onError"},
		{"a required artifact that no stage makes", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"requiredArtifactsIn":["x"]}`), "error unknown_artifact stages[0]"},
		{"a group of stages", stage(`{"id":"g","subStages":[` + image + `]}`), ""},
		{"stages too deep", stage(`{"id":"1","subStages":[{"id":"2","subStages":[{"id":"3","subStages":[{"id":"4","subStages":[{"id":"5","subStages":[{"id":"6"}]}]}]}]}]}`), "error too_deep stages[0].subStages[0].subStages[0].subStages[0].subStages[0].subStages[0]"},
		{"too many stages", stage(strings.TrimSuffix(strings.Repeat(image+",", 65), ",")), "error too_many_stages stages"},
		{"too many certain steps", stage(strings.Join(many(13), ",")), "error too_many_steps stages"},

		{"a condition", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"expr","expression":"inputs.mood == 'x'"}}`), ""},
		{"an unknown condition", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"sometimes"}}`), "error invalid_value stages[0].condition.type"},
		{"a broken expression", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"expr","expression":"inputs.mood =="}}`), "error invalid_expression stages[0].condition.expression"},
		{"an expression about nothing", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"expr","expression":"inputs.x"}}`), "error unknown_input stages[0].condition.expression"},
		{"an expression about artifacts", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"expr","expression":"artifacts.x.count == 1"}}`), "warning unsupported_condition stages[0].condition.expression"},
		{"a condition on a failure", stage(image + `,{"id":"b","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"if_error_in","stageId":"a"}}`), "warning unsupported_condition stages[1].condition"},
		{"a condition on no stage", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"if_success_of","stageId":"x"}}`), "error unknown_stage stages[0].condition.stageId"},
		{"a condition on no artifact", stage(`{"id":"a","tool":"generate_image","args":{"prompt":"p"},"condition":{"type":"if_artifact_exists","artifactName":"x"}}`), "error unknown_artifact stages[0].condition.artifactName"},

		{"a batch", stage(batch(`"overBinding":"$inputs.scenes","produces":["p"]`)), ""},
		{"a batch without produces", stage(batch(`"overBinding":"$inputs.scenes"`)), "error batch_needs_produces stages[0].produces"},
		{"a batch over one value", stage(batch(`"overBinding":"$inputs.mood","produces":["p"]`)), "error batch_not_array stages[0].overBinding"},
		{"a batch over a text", stage(batch(`"overBinding":"a, b","produces":["p"]`)), "error batch_not_array stages[0].overBinding"},
		{"a batch over one artifact", stage(image + `,` + batch(`"overBinding":"$artifacts.pic.items[0].url","produces":["p"]`)), "error batch_not_array stages[1].overBinding"},
		{"a batch over no input", stage(batch(`"overBinding":"$inputs.x","produces":["p"]`)), "error unknown_input stages[0].overBinding"},
		{"a batch over no artifact", stage(batch(`"overBinding":"$artifacts.x.items","produces":["p"]`)), "error unknown_artifact stages[0].overBinding"},
		{"a batch of nothing", stage(`{"id":"a","type":"batch","overBinding":"$inputs.scenes","produces":["p"]}`), "error missing_item_stage stages[0].itemStage"},
		{"a batch of batches", stage(`{"id":"a","type":"batch","overBinding":"$inputs.scenes","produces":["p"],"itemStage":{"type":"batch"}}`), "error unsupported_stage_type stages[0].itemStage.type"},
		{"a batch that does not say so", stage(`{"id":"a","overBinding":"$inputs.scenes","tool":"generate_image","args":{"prompt":"p"}}`), "error invalid_value stages[0].type"},
		{"a batch one at a time", stage(batch(`"overBinding":"$inputs.scenes","produces":["p"],"concurrency":1`)), "warning concurrency_not_kept stages[0].concurrency"},
		{"a batch with patience", stage(batch(`"overBinding":"$inputs.scenes","produces":["p"],"maxAttemptsPerItem":5`)), "warning unsupported_attempts stages[0].maxAttemptsPerItem"},
		{"an item without that field", stage(`{"id":"a","type":"batch","overBinding":"$inputs.scenes","produces":["p"],"itemStage":{"tool":"generate_image","args":{"prompt":"$item.smell"}}}`), "error unknown_item_field stages[0].itemStage.args.prompt"},
		{"an item by its name", stage(`{"id":"a","type":"batch","itemName":"smell","overBinding":"$inputs.scenes","produces":["p"],"itemStage":{"tool":"generate_image","args":{"prompt":"$item.smell"}}}`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			issues := env.Validate(fields(t, c.text))
			if c.want == "" {
				if len(issues) > 0 {
					t.Errorf("got %+v, want none", issues)
				}
				return
			}
			mentions(t, issues, c.want)
			broken := slices.ContainsFunc(summarize(issues), func(s string) bool { return strings.HasPrefix(s, "error") })
			if want := strings.HasPrefix(c.want, "error"); broken != want {
				t.Errorf("got %+v, errors among them %v, want %v", issues, broken, want)
			}
		})
	}
}

func many(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(`{"id":"s%d","tool":"generate_image","args":{"prompt":"p"}}`, i))
	}
	return out
}

func batch(more string) string {
	return `{"id":"b","type":"batch",` + more + `,"itemStage":{"tool":"generate_image","args":{"prompt":"$item.value"}}}`
}

// All mistakes are reported at once, up to a limit.
func TestIssuesTogether(t *testing.T) {
	t.Parallel()
	env := newFixture(t, storetest.SQLite(t))
	issues := env.Validate(fields(t, `{"category":"x","stability":"y","inputs":[{}],"stages":[{"tool":"z"}]}`))
	for _, want := range []string{"error missing_name name", "error invalid_value category", "error invalid_value stability", "error invalid_name inputs[0].name", "error unknown_tool stages[0].tool"} {
		mentions(t, issues, want)
	}
	bad := strings.TrimSuffix(strings.Repeat(`1,`, 5000), ",")
	if issues := env.Validate(fields(t, `{"name":"n","tags":[`+bad+`]}`)); len(issues) != 50 {
		t.Errorf("got %d issues, want 50", len(issues))
	}
}
