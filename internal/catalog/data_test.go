package catalog_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// Load already refuses inconsistent data; this test checks it independently, with
// rules that apply only to the program's own data.
func TestDataIsConsistent(t *testing.T) {
	t.Parallel()
	sids := map[int]string{}
	for _, m := range shared.Models() {
		if other, ok := sids[m.SID]; ok {
			t.Errorf("%s has the sid %d of %s", m.ID, m.SID, other)
		}
		sids[m.SID] = m.ID
		if m.TierID == "" || len(m.Tags) == 0 {
			t.Errorf("%s: tierId %q, tags %v; want both", m.ID, m.TierID, m.Tags)
		}
		for _, tag := range m.Tags {
			if !slices.Contains([]string{"new", "standard", "premium", "fast", "popular", "free-tier", "spicy", "uncensored", "community"}, tag) {
				t.Errorf("%s has tag %q, which no reader knows", m.ID, tag)
			}
		}
		if !m.Price.Free && m.Price.USD <= 0 {
			t.Errorf("%s costs %v, want a positive price or the word free", m.ID, m.Price.USD)
		}
		for tool := range m.Selectors {
			if _, ok := shared.Tool(tool); !ok {
				t.Errorf("%s names tool %s, which does not exist", m.ID, tool)
			}
		}
		if d := m.Duration; d != nil && (d.Min <= 0 || d.Max < d.Min || d.Default < d.Min || d.Default > d.Max) {
			t.Errorf("%s: duration %+v is out of order", m.ID, *d)
		}
		if (m.Vendor != "") != m.Premium {
			t.Errorf("%s: vendor %q but premium %v", m.ID, m.Vendor, m.Premium)
		}
		if m.Premium && m.LoadsLoras() {
			t.Errorf("%s is a vendor model and cannot load LoRAs", m.ID)
		}
	}
	for _, f := range shared.Families() {
		if len(f.ModelIDs) == 0 {
			t.Errorf("family %s has no models", f.ID)
		}
		for _, id := range f.ModelIDs {
			if m, ok := shared.Model(id); !ok || m.LoraFamily != f.ID {
				t.Errorf("family %s has member %s, which is not its model", f.ID, id)
			}
		}
	}
	for _, tool := range shared.Tools() {
		for _, a := range tool.Arguments {
			if a.Text == "" {
				t.Errorf("%s.%s has no text for a language model", tool.Name, a.Name)
			}
		}
		if len(tool.Selectors()) > 0 && tool.Models.Argument != "" {
			if _, ok := tool.Argument(tool.Models.Argument); !ok {
				t.Errorf("%s has no argument %s", tool.Name, tool.Models.Argument)
			}
		}
	}
}

func TestToolsMatchTheSpecification(t *testing.T) {
	t.Parallel()
	durable := strings.Fields(`generate_image generate_video generate_music generate_speech edit_image apply_style restore_photo
		upscale_image image_to_3d remove_background segment_image upscale_video refine_result animate_photo change_angle video_to_video
		stitch_video orbit_video dance_montage sound_to_video extend_video replace_video_segment overlay_video add_subtitles
		analyze_image analyze_video extract_metadata ask_clarifying_question finalize_response create_asset_manifest inspect_asset
		label_asset map_assets_for_model validate_asset_references`)
	sync := strings.Fields("enhance_prompt compose_script compose_lyrics compose_instrumental compose_workflow compose_workflow_template")
	agentOnly := strings.Fields(`ask_clarifying_question finalize_response create_asset_manifest inspect_asset label_asset
		map_assets_for_model validate_asset_references compose_workflow compose_workflow_template`)
	free := strings.Fields(`analyze_image analyze_video extract_metadata ask_clarifying_question finalize_response create_asset_manifest
		inspect_asset label_asset map_assets_for_model validate_asset_references`)
	if len(durable) != 34 || len(sync) != 6 {
		t.Fatalf("lists have %d and %d names, want 34 and 6", len(durable), len(sync))
	}
	var gotDurable, gotSync, gotFree []string
	for _, tool := range shared.Tools() {
		if tool.Durable() {
			gotDurable = append(gotDurable, tool.Name)
		}
		if tool.Synchronous() {
			gotSync = append(gotSync, tool.Name)
		}
		if tool.Free() {
			gotFree = append(gotFree, tool.Name)
		}
		if tool.Pure() && !tool.Free() {
			t.Errorf("%s only touches the session but is not free", tool.Name)
		}
	}
	sameSet(t, "durable tools", gotDurable, durable)
	sameSet(t, "synchronous tools", gotSync, sync)
	sameSet(t, "free tools", gotFree, free)

	all := slices.Concat(durable, sync)
	sameSet(t, "creative-agent", toolNames(shared.ToolFamily(catalog.CreativeAgent)), all)
	sameSet(t, "creative-tools", toolNames(shared.ToolFamily(catalog.CreativeTools)),
		slices.DeleteFunc(slices.Clone(all), func(n string) bool { return slices.Contains(agentOnly, n) }))
	if got := shared.ToolFamily("none"); len(got) != 0 {
		t.Errorf("family none has %v, want no tools", toolNames(got))
	}
}

func TestSelectorsMatchTheSpecification(t *testing.T) {
	t.Parallel()
	h3a := ""
	for _, mode := range []string{"ia2v", "flfa2v", "a2v"} {
		h3a += " minimax-h3-fasth3-" + mode + "-turbo minimax-h3-fasth3-" + mode + "-turbo-2stage"
	}
	want := map[string]string{
		"generate_image": `z-turbo z-image krea-2-turbo dark-beast-krea2 dark-beast-z-turbo chroma-v46-flash chroma1-hd chroma-detail qwen-2512
			qwen-2512-lightning gpt-image-2 gpt-image-2.5-sunburst gpt-image-2.5-flare pony-v7 albedo-xl animagine-xl one-obsession-v22 anima-pencil-xl
			art-universe-xl hyphoria-real analog-madness-xl cyberrealistic-xl real-dream-xl faetastic-xl zavychroma-xl pony-faetality dreamshaper-xl`,
		"edit_image": `gpt-image-2 gpt-image-2.5-sunburst gpt-image-2.5-flare qwen-lightning qwen krea-identity-edit dark-beast-krea2-identity-edit`,
		"generate_video": `ltx25 ltx23 wan22 seedance2 seedance2-mini seedance2-5 minimax-h3-t2v minimax-h3-t2v-turbo minimax-h3-t2v-balanced
			minimax-h3-fasth3-t2v-turbo minimax-h3-fasth3-t2v-turbo-2stage happyhorse-1.1-t2v happyhorse-1.1-i2v happyhorse-1.1-r2v minimax-h3-r2v
			minimax-h3-r2v-turbo minimax-h3-r2v-balanced minimax-h3-r2v-2stage minimax-h3-r2v-balanced-2stage wan3.0-video wan3.0-spicy-video`,
		"animate_photo": `ltx25 ltx23 wan22 happyhorse-1.1-i2v happyhorse-1.1-r2v minimax-h3-i2v minimax-h3-i2v-turbo minimax-h3-i2v-balanced
			minimax-h3-fasth3-i2v-turbo minimax-h3-fasth3-i2v-turbo-2stage minimax-h3-flf2v minimax-h3-flf2v-turbo minimax-h3-flf2v-balanced
			minimax-h3-fasth3-flf2v-turbo minimax-h3-fasth3-flf2v-turbo-2stage wan3.0-video wan3.0-spicy-video`,
		"sound_to_video":        `wan-s2v seedance2 seedance2-mini seedance2-5 ltx25-ia2v ltx25-a2v ltx23-ia2v ltx23-a2v wan3.0-video wan3.0-spicy-video` + h3a,
		"video_to_video":        "ltx25-v2v ltx23-v2v wan22-animate seedance2 seedance2-mini seedance2-5",
		"extend_video":          "auto ltx25 ltx23 seedance2 seedance2-mini seedance2-5",
		"replace_video_segment": "auto ltx25 ltx23 wan22 seedance2 seedance2-mini seedance2-5",
		"generate_music":        "turbo sft music3",
		"generate_speech":       "voice clone design",
	}
	for name, list := range want {
		tool, _ := shared.Tool(name)
		sameSet(t, name, tool.Selectors(), strings.Fields(list))
	}
}

func TestSelectorsResolve(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"generate_image z-turbo":                            "z_image_turbo_bf16",
		"generate_image z-image":                            "z_image_bf16",
		"generate_image krea-2-turbo":                       "krea2_turbo_fp8_scaled",
		"generate_image dark-beast-krea2":                   "dark_beast_krea2_fp8",
		"generate_image dark-beast-z-turbo":                 "dark_beast_z_image_turbo_v9_bf16",
		"generate_image chroma-v46-flash":                   "chroma-v.46-flash_fp8",
		"generate_image chroma1-hd":                         "chroma1-hd_fp8_scaled",
		"generate_image chroma-detail":                      "chroma-v48-detail-svd_fp8",
		"generate_image qwen-2512":                          "qwen_image_2512_fp8",
		"generate_image qwen-2512-lightning":                "qwen_image_2512_fp8_lightning",
		"generate_image gpt-image-2":                        "gpt-image-2",
		"edit_image qwen-lightning":                         "qwen_image_edit_2511_fp8_lightning",
		"edit_image qwen":                                   "qwen_image_edit_2511_fp8",
		"edit_image krea-identity-edit":                     "krea2_identity_edit_v1_2",
		"edit_image gpt-image-2.5-flare":                    "gpt-image-2.5-flare",
		"generate_video ltx25":                              "ltx25-22b-int8_t2v_distilled",
		"animate_photo ltx23":                               "ltx23-22b-fp8_i2v_distilled",
		"sound_to_video ltx25-a2v":                          "ltx25-22b-int8_a2v_distilled",
		"video_to_video ltx25-v2v":                          "ltx25-22b-int8_v2v_distilled",
		"generate_video wan22":                              "wan_v2.2-14b-fp8_t2v_lightx2v",
		"animate_photo wan22":                               "wan_v2.2-14b-fp8_i2v_lightx2v",
		"generate_video seedance2":                          "seedance-2-0",
		"generate_video seedance2-mini":                     "seedance-2-0-mini",
		"generate_video seedance2-fast":                     "seedance-2-0-mini",
		"generate_video seedance2-5":                        "seedance-2-5",
		"generate_video minimax-h3-t2v-turbo":               "minimax-h3-fl2va-fp8_t2v_turbo",
		"animate_photo minimax-h3-i2v":                      "minimax-h3-fl2va-fp8_i2v",
		"animate_photo minimax-h3-i2v-balanced":             "minimax-h3-fl2va-fp8_i2v_balanced",
		"generate_video minimax-h3-fasth3-t2v-turbo-2stage": "minimax-h3-fastvideo-int8_t2v_turbo_2stage",
		"generate_music music3":                             "minimax_music3",
		"generate_music turbo":                              "ace_step_1.5_turbo",
		"generate_music sft":                                "ace_step_1.5_sft",
	}
	for call, id := range want {
		name, selector, _ := strings.Cut(call, " ")
		tool, _ := shared.Tool(name)
		args := map[string]any{"prompt": "a", tool.Models.Argument: selector}
		s, err := shared.Step(name, args, up(1, 1, 1))
		if err != nil {
			t.Errorf("%s: %v", call, err)
			continue
		}
		if s.ModelID() != id {
			t.Errorf("%s resolves to %s, want %s", call, s.ModelID(), id)
		}
	}
}

// Every published selector must be usable with some media.
func TestEverySelectorCanBeUsed(t *testing.T) {
	t.Parallel()
	for _, tool := range shared.Tools() {
		if tool.Models.Argument == "" {
			continue
		}
		for _, selector := range tool.Selectors() {
			if !usable(tool, selector) {
				t.Errorf("%s %s cannot be used with any media", tool.Name, selector)
			}
		}
	}
}

func usable(tool *catalog.Tool, selector string) bool {
	bindable := []string{"sourceImageIndex", "endImageIndex", "referenceImageIndices", "voiceSourceIndex"}
	for mask := range 1 << len(bindable) {
		f := up(4, 4, 4)
		for i, name := range bindable {
			if _, ok := tool.Argument(name); ok && mask&(1<<i) != 0 {
				f.Bound = append(f.Bound, name)
			}
		}
		args := map[string]any{tool.Models.Argument: selector}
		for name, v := range map[string]any{"prompt": "a", "duration": 15.0, "startSeconds": 0.0, "endSeconds": 5.0, "voiceDescription": "deep"} {
			if _, ok := tool.Argument(name); ok {
				args[name] = v
			}
		}
		if tool.Name == "generate_video" || tool.Name == "animate_photo" || tool.Name == "sound_to_video" {
			args["duration"] = 5.0
		}
		if selector == "voice" {
			delete(args, "voiceDescription")
		}
		if tool.Name == "replace_video_segment" {
			delete(args, "duration")
		}
		if s, err := shared.Step(tool.Name, args, f); err == nil && s.Model != nil {
			return true
		}
	}
	return false
}

func TestFamiliesMatchTheSpecification(t *testing.T) {
	t.Parallel()
	h3 := []string{}
	for _, mode := range []string{"t2v", "i2v", "flf2v"} {
		p := "minimax-h3-fl2va-fp8_" + mode
		f := "minimax-h3-fastvideo-int8_" + mode + "_turbo"
		h3 = append(h3, p, p+"_turbo", p+"_balanced", f, f+"_2stage")
	}
	r2v := "minimax-h3-ref2va-fp8_r2v"
	want := map[string][]string{
		"krea-2":         {"krea2_turbo_fp8_scaled", "dark_beast_krea2_fp8", "krea2_identity_edit_v1_2", "dark_beast_krea2_identity_edit_v1_2"},
		"qwen-edit-2511": {"qwen_image_edit_2511_fp8"},
		"h3":             h3,
		"h3-r2v":         {r2v, r2v + "_turbo", r2v + "_balanced", r2v + "_2stage", r2v + "_balanced_2stage"},
	}
	got := map[string][]string{}
	for _, f := range shared.Families() {
		got[f.ID] = f.ModelIDs
	}
	sameSet(t, "families", slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(want)))
	for id, list := range want {
		sameSet(t, "family "+id, got[id], list)
	}
	sameSet(t, "importable models", shared.ImportableModels(), slices.Concat(slices.Collect(maps.Values(want))...))
	for _, m := range shared.Models() {
		audio := regexp.MustCompile(`^minimax-h3-fastvideo-int8_(ia2v|flfa2v|a2v)`)
		if audio.MatchString(m.ID) && m.LoadsLoras() {
			t.Errorf("%s is audio-guided and must load no LoRAs", m.ID)
		}
	}
}

func toolNames(list []*catalog.Tool) []string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return names
}

func sameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	g, w := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(g, w) {
		t.Errorf("%s\n got %v\nwant %v", what, g, w)
	}
}

// Every tier of quality names a model that exists.
func TestTiers(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"generate_image": 3, "edit_image": 3, "generate_music": 3}
	for name, n := range want {
		tool, _ := c.Tool(name)
		if got := len(tool.Models.Tiers); got != n {
			t.Errorf("%s has %d tiers of models that exist, want %d", name, got, n)
		}
	}
}
