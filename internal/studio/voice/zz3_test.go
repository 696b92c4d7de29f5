package voice

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestXX(t *testing.T) {
	fox := "The quick brown fox jumps over the lazy dog, and nobody knows why it always does."
	show := func() {
		tot := 0.0
		for _, c := range clauses(fox) {
			for _, w := range c.words {
				fmt.Print(say(w), "|")
			}
			segs := utter(c)
			timing(segs, 1)
			for _, p := range pieces(segs) {
				tot += p.seconds
			}
		}
		x, _, _ := builtin(context.Background(), fox, cast.Voices["ryan"], .9, 0, func(float64) {})
		var m float32
		for _, v := range x {
			m = max(m, v)
		}
		fmt.Println(tot, len(x), m)
		c := polish(x, SpeechRate)
		fmt.Println(c.Duration(), c.LUFS())
	}
	show()
	for n := 1; n < 50; n += 16 {
		Speak(context.Background(), Request{Text: strings.Repeat(fox+" ", n), BuiltIn: true}, nil)
		show()
	}
}
