package draft

import (
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/prose"
)

// Setting is the tempo, key and players of a piece.
type Setting struct {
	Genre   string
	Feel    string
	Mood    string
	BPM     int
	Key     string
	Timesig int
	Players []string
	Solo    bool // one player alone
}

// Describe is the music in the words that music models read.
func (s Setting) Describe() string {
	name, players := s.Genre, prose.List(s.Players[:min(4, len(s.Players))])
	if name == s.Players[0] {
		name = ""
	}
	if s.Solo {
		players = "solo " + players
	}
	parts := []string{name, players, s.Feel, strconv.Itoa(s.BPM) + " BPM", s.Key}
	if s.Timesig != 4 {
		parts = append(parts, map[int]string{2: "2/4", 3: "3/4", 6: "6/8"}[s.Timesig]+" time")
	}
	return strings.TrimPrefix(strings.Join(parts, ", "), ", ")
}

// Song is a draft of compose_lyrics.
type Song struct {
	Setting
	Lyrics   string
	Language string
	Seconds  float64
	Refusal  *Refusal // there are no lyrics then
}

// Piece is a draft of compose_instrumental.
type Piece struct {
	Setting
	Topic    string
	Sections []Section
	Seconds  float64
}

// Section is a part of a piece, timed.
type Section struct {
	Name        string   `json:"name"`
	Start       float64  `json:"start_seconds"`
	End         float64  `json:"end_seconds"`
	Bars        int      `json:"bars"`
	Dynamics    string   `json:"dynamics"`
	Instruments []string `json:"instruments"`
	Text        string   `json:"description"`
}
