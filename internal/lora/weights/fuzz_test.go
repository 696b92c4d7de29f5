package weights_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/safetensors"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/weights"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Each line of an input is a tensor: type, shape, name.
func FuzzCheck(f *testing.F) {
	for _, family := range loratest.Families {
		for _, naming := range loratest.Namings {
			var lines strings.Builder
			for _, t := range (loratest.LoRA{Family: family, Naming: naming, Layers: 1}).Tensors() {
				fmt.Fprintf(&lines, "%s %s %s\n", t.DType, strings.Trim(strings.ReplaceAll(fmt.Sprint(t.Shape), " ", "x"), "[]"), t.Name)
			}
			f.Add(lines.String(), "ohwx")
		}
	}
	for _, name := range []string{"a.lokr_w1", "a.diff", "lora_te_a.alpha", "double_blocks.0.img_attn.qkv.lora_A.weight", "transformer_ref.a.alpha", "unet.unet."} {
		f.Add("F16 4x8 "+name, "a\u202eb")
	}
	f.Fuzz(func(t *testing.T, lines, trigger string) {
		h := &safetensors.Header{Metadata: map[string]string{"trigger_word": trigger}}
		for line := range strings.Lines(lines) {
			var tensor safetensors.Tensor
			dtype, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			shape, name, _ := strings.Cut(rest, " ")
			tensor.Name = name
			for _, known := range []string{"F16", "BF16", "F32", "I64"} {
				if dtype == known {
					tensor.DType = dtype
				}
			}
			for _, d := range strings.Split(shape, "x") {
				var n int64
				if _, err := fmt.Sscan(d, &n); err == nil && n >= 0 {
					tensor.Shape = append(tensor.Shape, n)
				}
			}
			h.Tensors = append(h.Tensors, tensor)
		}
		for _, family := range append([]string{"other"}, loratest.Families...) {
			if _, err := weights.Check(&safetensors.Header{}, family); err == nil { // reads its table
				t.Fatal("a file without tensors was accepted")
			}
			var report weights.Report
			var err error
			worktest.Limit(t, len(lines), worktest.Bound{Base: 1 << 20, PerByte: 256}, func() { report, err = weights.Check(h, family) })
			var rejection *weights.Rejection
			switch {
			case err != nil && (!errors.As(err, &rejection) || len(rejection.Reason) > 1500 || !strings.HasSuffix(rejection.Reason, ".")):
				t.Fatalf("%s: got the error %v", family, err)
			case err == nil && (report.Rank < 1 || report.Rank > weights.MaxRank || report.Layers < 1 || report.Layout == "" || report.DType == ""):
				t.Fatalf("%s: got %+v", family, report)
			}
			for _, text := range weights.Requirements(family, h) {
				if strings.ContainsAny(text, "\n\x00\u202e<>/") || len(text) > 600 {
					t.Fatalf("%s: got the requirement %q", family, text)
				}
			}
		}
	})
}
