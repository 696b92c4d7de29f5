package srt

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxCaptions is as many subtitles as one clip may have.
const maxCaptions = 1000

var (
	srtTimes = regexp.MustCompile(`^(\d{1,3}):([0-5]\d):([0-5]\d)[,.](\d{1,3})\s*-->\s*(\d{1,3}):([0-5]\d):([0-5]\d)[,.](\d{1,3})(?:\s+[XY][12]:\S+)*\s*$`)
	srtTags  = regexp.MustCompile(`(?i)</?(?:b|i|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}`)
)

// Parse reads subtitles in the form of SubRip: blocks of a number, a line of
// times and lines of text, with an empty line between them. Tags of styling are
// left out.
func Parse(s string) ([]Caption, error) {
	s = strings.TrimPrefix(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\ufeff")
	lines := strings.Split(s, "\n")
	var out []Caption
	for i := 0; i < len(lines); {
		if strings.TrimSpace(lines[i]) == "" {
			i++
			continue
		}
		if _, err := strconv.Atoi(strings.TrimSpace(lines[i])); err == nil {
			i++ // the number
		}
		if i >= len(lines) {
			return nil, errors.New("the srt ends in the middle of a subtitle")
		}
		m := srtTimes.FindStringSubmatch(strings.TrimSpace(lines[i]))
		if m == nil {
			return nil, fmt.Errorf("line %d of the srt must be times such as 00:00:01,000 --> 00:00:03,500, not %q", i+1, brief(lines[i]))
		}
		c := Caption{Start: srtTime(m[1:5]), End: srtTime(m[5:9])}
		if c.End <= c.Start {
			return nil, fmt.Errorf("in line %d of the srt a subtitle ends before it begins", i+1)
		}
		at := i + 1
		var text []string
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != ""; i++ {
			if line := strings.TrimSpace(srtTags.ReplaceAllString(lines[i], "")); line != "" {
				text = append(text, line)
			}
		}
		if len(text) == 0 {
			return nil, fmt.Errorf("the subtitle of line %d of the srt has no text", at)
		}
		c.Text = strings.Join(text, "\n")
		if out = append(out, c); len(out) > maxCaptions {
			return nil, fmt.Errorf("the srt has more than %d subtitles", maxCaptions)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no subtitle in the srt")
	}
	return out, nil
}

// srtTime turns hours, minutes, seconds and a fraction into seconds.
func srtTime(m []string) float64 {
	h, _ := strconv.Atoi(m[0])
	min, _ := strconv.Atoi(m[1])
	sec, _ := strconv.Atoi(m[2])
	part, _ := strconv.ParseFloat("0."+m[3], 64)
	return float64(h*3600+min*60+sec) + part
}

// brief returns the beginning of a line, for a message.
func brief(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

// Caption is a subtitle with its time.
type Caption struct {
	Start, End float64
	Text       string
}
