package catalog_test

import (
	"math"
	"testing"
)

// The specification: 24 frames a second, 124 + 17n frames up to 362, clamped
// rather than refused, billed as rendered.
func TestH3FrameGrid(t *testing.T) {
	t.Parallel()
	m, _ := shared.Model("minimax-h3-fastvideo-int8_t2v_turbo")
	for tenths := 20; tenths <= 300; tenths++ {
		asked := float64(tenths) / 10
		l, err := m.Duration.Render("arguments.duration", asked, "h3")
		if err != nil {
			t.Fatalf("%gs: %v", asked, err)
		}
		if l.Frames < 124 || l.Frames > 362 || (l.Frames-124)%17 != 0 {
			t.Errorf("%gs renders %d frames, which is not on the grid", asked, l.Frames)
		}
		clamped := min(max(asked*24, 124), 362)
		if d := math.Abs(float64(l.Frames) - clamped); d > 8.5 {
			t.Errorf("%gs renders %d frames, %g away from what was asked", asked, l.Frames, d)
		}
		if math.Abs(l.Seconds-float64(l.Frames)/24) > 0.0005 {
			t.Errorf("%gs says %gs for %d frames", asked, l.Seconds, l.Frames)
		}
	}
	tests := []struct {
		seconds float64
		frames  int
		spark   string
	}{
		{1, 124, "20.666667"}, {0, 124, "20.666667"}, {-7, 124, "20.666667"}, {31, 362, "60.333334"}, {1e300, 362, "60.333334"}, {-1e300, 124, "20.666667"},
		{2, 124, "20.666667"}, {5, 124, "20.666667"}, {5.5, 124, "20.666667"}, {5.6, 141, "23.500000"},
		{10, 243, "40.500000"}, {15, 362, "60.333334"}, {15.1, 362, "60.333334"}, {30, 362, "60.333334"},
	}
	for _, tt := range tests {
		s, err := shared.Step("generate_video", map[string]any{"prompt": "a", "videoModel": "minimax-h3-fasth3-t2v-turbo", "duration": tt.seconds}, none())
		if err != nil {
			t.Errorf("%gs: %v", tt.seconds, err)
			continue
		}
		if s.Length.Frames != tt.frames || s.Cost.Spark.String() != tt.spark {
			t.Errorf("%gs renders %d frames for %s Spark, want %d for %s", tt.seconds, s.Length.Frames, s.Cost.Spark, tt.frames, tt.spark)
		}
	}
}

// The prices that are public, in Spark for the shortest H3 clip or as noted.
func TestPublicPrices(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool  string
		args  map[string]any
		spark string
		usd   string
	}{
		{"generate_image", map[string]any{"prompt": "a", "model": "z-turbo"}, "1.600000", "0.008000"},
		{"generate_image", map[string]any{"prompt": "a", "model": "krea-2-turbo"}, "2.440000", "0.012200"},
		{"generate_image", map[string]any{"prompt": "a", "model": "qwen-2512-lightning"}, "2.080000", "0.010400"},
		{"generate_image", map[string]any{"prompt": "a", "model": "chroma1-hd"}, "2.840000", "0.014200"},
		{"generate_image", map[string]any{"prompt": "a", "model": "dark-beast-krea2"}, "5.880000", "0.029400"},
		{"edit_image", map[string]any{"prompt": "a", "model": "krea-identity-edit"}, "6.480000", "0.032400"},
		{"remove_background", map[string]any{}, "1.000000", "0.005000"},
		{"generate_video", map[string]any{"prompt": "a", "videoModel": "seedance2-5", "duration": 5}, "300.456000", "1.502280"},
		// 15.0833 s at 16, 10, 6 and 16 (two-stage) Spark a second.
		{"generate_video", map[string]any{"prompt": "a", "videoModel": "minimax-h3-t2v", "duration": 16}, "241.333334", "1.206667"},
		{"generate_video", map[string]any{"prompt": "a", "videoModel": "minimax-h3-t2v-balanced", "duration": 16}, "150.833334", "0.754167"},
		{"generate_video", map[string]any{"prompt": "a", "videoModel": "minimax-h3-t2v-turbo", "duration": 16}, "90.500000", "0.452500"},
		{"generate_video", map[string]any{"prompt": "a", "videoModel": "minimax-h3-fasth3-t2v-turbo-2stage", "duration": 16}, "241.333334", "1.206667"},
	}
	for _, tt := range tests {
		s, err := shared.Step(tt.tool, tt.args, up(1, 1, 1))
		if err != nil {
			t.Errorf("%s %v: %v", tt.tool, tt.args, err)
			continue
		}
		if s.Cost.Spark.String() != tt.spark || s.Cost.USD.String() != tt.usd {
			t.Errorf("%s %v costs %s Spark, %s USD; want %s and %s", tt.tool, tt.args, s.Cost.Spark, s.Cost.USD, tt.spark, tt.usd)
		}
	}
}
