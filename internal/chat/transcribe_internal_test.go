package chat

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/llm"
)

// The header of a file may claim that it lasts two thousand years: its price would be larger than any number.
func TestLengthOfSound(t *testing.T) {
	t.Parallel()
	flac := func(rate, samples uint64) []byte {
		file := append([]byte("fLaC\x80\x00\x00\x22"), make([]byte, 34+1000)...)
		binary.BigEndian.PutUint64(file[18:], rate<<44|15<<36|samples)
		return file
	}
	for _, c := range []struct {
		file []byte
		want float64
	}{
		{flac(16_000, 160_000), 10},
		{flac(1, 1<<36-1), float64(len(flac(1, 0)))},
		{flac(16_000, 0), float64(len(flac(1, 0))) / leastBytes},
	} {
		if got, err := lengthOf(t.Context(), c.file); err != nil || got != c.want {
			t.Errorf("got %v, %v, want %v", got, err, c.want)
		}
	}
}

// What a server has counted is used if it can be right.
func TestCountedOnce(t *testing.T) {
	t.Parallel()
	o := once{most: llm.Usage{PromptTokens: 100, CompletionTokens: 10}}
	for u, want := range map[llm.Usage]bool{
		{PromptTokens: 1}:                             true,
		{PromptTokens: 400, CompletionTokens: 40}:     true,
		{PromptTokens: 401}:                           false,
		{PromptTokens: 100, CompletionTokens: 41}:     false,
		{PromptTokens: 100, CompletionTokens: -1_000}: false,
		{}: false,
	} {
		if got := o.isPossible(u); got != want {
			t.Errorf("%+v: got %v", u, got)
		}
	}
}

// A text that is too long for the time that a file claims counts as more time.
func TestSpoken(t *testing.T) {
	t.Parallel()
	honest, claimed := spoken(60, "A minute of silence."), spoken(0.001, strings.Repeat("word ", 6000))
	if honest.PromptTokens < 1000 || honest.PromptTokens > 1001 {
		t.Errorf("a minute counts as %+v", honest)
	}
	if claimed.PromptTokens < 4000 || claimed.CompletionTokens < 5000 {
		t.Errorf("an hour of words counts as %+v", claimed)
	}
}
