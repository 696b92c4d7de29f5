package catalog_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

func TestPublicLoras(t *testing.T) {
	t.Parallel()
	image, video := 0, 0
	for _, row := range shared.Loras() {
		kinds := map[string]bool{}
		for _, id := range row.ModelIDs {
			m, ok := shared.Model(id)
			if !ok || !m.LoadsLoras() {
				t.Errorf("%s lists %s, which loads no LoRAs", row.LoraID, id)
				continue
			}
			kinds[m.MediaType] = true
		}
		switch {
		case kinds["image"] && !kinds["video"]:
			image++
		case kinds["video"] && !kinds["image"]:
			video++
		default:
			t.Errorf("%s is for %v, want images or video", row.LoraID, kinds)
		}
		if len(row.CompatibleModels) != len(row.ModelIDs) {
			t.Errorf("%s has %d compatible models and %d model ids", row.LoraID, len(row.CompatibleModels), len(row.ModelIDs))
		}
		if row.Slug == "" || row.Name == "" || row.Description == "" || row.UI.Label == "" || row.UI.Category == "" || row.UI.Step <= 0 {
			t.Errorf("%s lacks a field: %+v", row.LoraID, row)
		}
		for _, id := range row.RestrictedModelIDs {
			if slices.Contains(row.ModelIDs, id) {
				t.Errorf("%s both lists and withholds %s", row.LoraID, id)
			}
		}
	}
	if image != 25 || video != 7 {
		t.Errorf("%d image and %d video LoRAs, want 25 and 7", image, video)
	}
}

func TestLoraRowOnTheWire(t *testing.T) {
	t.Parallel()
	row, ok := shared.Lora("relight")
	if !ok {
		t.Fatal("no such LoRA")
	}
	got, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"loraId":"relight","slug":"relight","name":"Relight","description":"Changes where the light of a photo comes from.","relatedLoraIds":["product-table"],` +
		`"ui":{"category":"popular-community-fine-tunes","label":"Relight","min":0,"max":1.5,"default":0.8,"step":0.05,"recommendedMin":0.4,"recommendedMax":1.2,"nsfw":false,"sexual":false,` +
		`"creator":"Atelier","sourceUrl":"","rangeLabels":{"min":"Subtle","max":"Strong"},"section":{"id":"popular-community-fine-tunes","label":"Popular fine-tunes","order":5},` +
		`"license":null,"licenseUrl":null,"examples":[],"exampleGroups":[],"examplePrompt":"light from the left, late afternoon","exampleNegativePrompt":""},` +
		`"compatibleModels":[{"modelId":"qwen_image_edit_2511_fp8","name":"Qwen Image Edit 2511"}],"modelIds":["qwen_image_edit_2511_fp8"]}`
	if string(got) != want {
		t.Errorf("row\n got %s\nwant %s", got, want)
	}
}

func TestLorasFor(t *testing.T) {
	t.Parallel()
	for _, row := range shared.LorasFor("minimax-h3-ref2va-fp8_r2v_turbo") {
		if !slices.Contains(row.ModelIDs, "minimax-h3-ref2va-fp8_r2v_turbo") {
			t.Errorf("LorasFor lists %s", row.LoraID)
		}
	}
	if got := shared.LorasFor("nope"); len(got) != 0 {
		t.Errorf("LorasFor(nope) has %d rows, want none", len(got))
	}
	models := shared.LoraModels()
	for _, id := range shared.ImportableModels() {
		if !slices.Contains(models, id) {
			t.Errorf("%s is importable but not among the models that load LoRAs", id)
		}
	}
	if f, ok := shared.FamilyOf("krea2_identity_edit_v1_2"); !ok || f.ID != "krea-2" {
		t.Errorf("FamilyOf(krea2_identity_edit_v1_2) = %v, want krea-2", f)
	}
	for _, id := range []string{"qwen_image_edit_2511_fp8_lightning", "z_image_turbo_bf16", "nope"} {
		if f, ok := shared.FamilyOf(id); ok {
			t.Errorf("FamilyOf(%s) = %s, want none", id, f.ID)
		}
	}
}

func TestPlanLoras(t *testing.T) {
	t.Parallel()
	krea, _ := shared.Model("krea2_turbo_fp8_scaled")
	identity, _ := shared.Model("dark_beast_krea2_identity_edit_v1_2")
	const personal = "personal-5f2c8d1e-7c52-4c1c-9d0e-1d3a5b7c9e11"
	nine := make([]string, 9)
	for i := range nine {
		nine[i] = fmt.Sprint("x", i)
	}
	tests := []struct {
		name      string
		model     *catalog.Model
		ids       []string
		strengths []float64
		want      catalog.LoraPlan
		err       string
	}{
		{"none", krea, nil, nil, catalog.LoraPlan{}, ""},
		{"default strength", krea, []string{"rim-light"}, nil, catalog.LoraPlan{Public: []catalog.LoraUse{{ID: "rim-light", Strength: 0.8}}}, ""},
		{"given strength", krea, []string{"age-slider"}, []float64{-2}, catalog.LoraPlan{Public: []catalog.LoraUse{{ID: "age-slider", Strength: -2}}}, ""},
		{"other model", krea, []string{"camera-orbit", "rim-light"}, []float64{1, 0.5}, catalog.LoraPlan{Public: []catalog.LoraUse{{ID: "rim-light", Strength: 0.5}}, Dropped: []string{"camera-orbit"}}, ""},
		{"unknown", krea, []string{"rim-light", "rim-lihgt"}, nil, catalog.LoraPlan{}, `arguments.loras[1] is "rim-lihgt", which no LoRA has as its id; GET /v1/loras/comfy lists the public ones`},
		{"twice", krea, []string{"rim-light", "rim-light"}, nil, catalog.LoraPlan{}, `arguments.loras[1] names "rim-light" a second time`},
		{"personal at zero", krea, []string{"rim-light", personal}, []float64{-1, 0}, catalog.LoraPlan{}, "arguments.loraStrengths[1] must be above 0 and at most 1 for a personal LoRA"},
		{"personal above one", krea, []string{personal}, []float64{1.01}, catalog.LoraPlan{}, "arguments.loraStrengths[0] must be above 0 and at most 1 for a personal LoRA"},
		{"restricted", identity, []string{"rim-light"}, nil, catalog.LoraPlan{Dropped: []string{"rim-light"}}, ""},
		{"no model", nil, []string{"rim-light"}, nil, catalog.LoraPlan{Dropped: []string{"rim-light"}}, ""},
		{"personal", krea, []string{personal}, nil, catalog.LoraPlan{Personal: []catalog.LoraUse{{ID: personal, Strength: 1}}}, ""},
		{"too many", krea, nine, nil, catalog.LoraPlan{}, "arguments.loras must have at most 8 items, not 9"},
		{"other length", krea, []string{"rim-light"}, []float64{1, 2}, catalog.LoraPlan{}, "arguments.loraStrengths must have one entry for each of loras"},
		{"too strong", krea, []string{"rim-light", "age-slider"}, []float64{1, 100.5}, catalog.LoraPlan{}, "arguments.loraStrengths[1] must be between -100 and 100"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := shared.PlanLoras(tt.model, tt.ids, tt.strengths)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("error = %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("plan = %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}
