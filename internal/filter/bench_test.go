package filter_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/filter"
)

// BenchmarkCheck measures the check of a long prompt, of two kilobytes.
func BenchmarkCheck(b *testing.B) {
	repeat := func(s string) string { return strings.Repeat(s, 2048/len(s)+1)[:2048] }
	for name, text := range map[string]string{
		"prompt": repeat("A lighthouse on a cliff at dusk, oil painting in the style of the old masters, waves breaking below, " +
			"gulls wheeling, warm light in the window, highly detailed, no text, no watermark, 35mm, cinematic composition. "),
		"denied":   repeat("no nudity, no gore, nude lipstick, the naked eye, chicken breast, "),
		"russian":  repeat("маяк на скале в сумерках, картина маслом, волны внизу, тёплый свет в окне, чайки "),
		"japanese": repeat("夕暮れの崖の上の灯台、油絵、下では波が砕け、窓には暖かい光、カモメが舞う"),
		"hostile":  repeat("n*u*d*e s3x p.o.r.n n u d e "),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := builtIn.Check(context.Background(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad measures what the lexicon adds to the start of the service.
func BenchmarkLoad(b *testing.B) {
	files, err := fs.Sub(filter.Data, "data")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := filter.ReadLexicon(files); err != nil {
			b.Fatal(err)
		}
	}
}
