package paint

import "testing"

// BenchmarkPaint is one picture of the usual size.
func BenchmarkPaint(b *testing.B) {
	for _, p := range []string{showcase[0], showcase[3], "a cat", "oil painting of a village by the sea"} {
		b.Run(p, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Paint(b.Context(), Request{Prompt: p, Width: 1024, Height: 1024, Seed: 1}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFrame is one frame of a clip.
func BenchmarkFrame(b *testing.B) {
	scene := Read("a boat on the sea at sunset")
	for i := 0; b.Loop(); i++ {
		if _, err := PaintScene(b.Context(), scene, LookOf("ltx25"), 768, 432, 1, float64(i)/24, nil); err != nil {
			b.Fatal(err)
		}
	}
}
