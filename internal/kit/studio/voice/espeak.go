package voice

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// espeakTime bounds one run. The longest text takes espeak-ng about a second.
const espeakTime = 60 * time.Second

// espeakSeconds bounds what is read from it: the longest text spoken slowly.
const espeakSeconds = 1800

// runEspeak lets espeak-ng say a text with a timbre. The text goes in through
// its standard input, never through a shell or an argument, so nothing in it is
// a command.
func runEspeak(ctx context.Context, path, text, language string, t Timbre) ([]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, espeakTime)
	defer cancel()
	variant, pitch := espeakVoice(t)
	cmd := exec.CommandContext(ctx, path, "-b", "1", "-v", espeakNames[language]+variant,
		"-p", strconv.Itoa(pitch), "-s", strconv.Itoa(int(math.Round(162*t.Pace))), "--stdin", "--stdout")
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(plain(text)), &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("espeak-ng: %w: %.200s", err, strings.TrimSpace(complaint.String()))
	}
	c, err := sound.ReadWAV(&out, espeakSeconds*48000)
	if err != nil {
		return nil, fmt.Errorf("espeak-ng: %w", err)
	}
	x := sound.Resample(c.Mono(), c.Rate, SpeechRate)
	// espeak-ng has no setting for warmth; a shelf filter adds it.
	sound.HighShelf(SpeechRate, 2500, 0.5*(7-t.Tilt)).Process(x)
	if t.Machine {
		robotEcho(x)
	}
	return x, nil
}

// plain removes what espeak-ng could take for markup or phonemes, and whatever
// cannot be printed.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r == '<' || r == '>' || r == '[' || r == ']' || r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// espeakVariants are voices of espeak-ng by size, and the pitch in Hz that they
// have at the settings 10, 50 and 90, as measured.
var espeakVariants = []struct {
	name  string
	size  float64
	pitch [3]float64
}{
	{"+m1", 0.95, [3]float64{64, 93, 141}},
	{"+m3", 1.00, [3]float64{75, 104, 154}},
	{"+m7", 1.04, [3]float64{81, 105, 152}},
	{"+f4", 1.09, [3]float64{121, 176, 274}},
	{"+f2", 1.12, [3]float64{139, 191, 288}},
	{"+f3", 1.17, [3]float64{160, 206, 301}},
}

// espeakVoice picks the variant and the pitch setting for a timbre.
func espeakVoice(t Timbre) (string, int) {
	best := espeakVariants[0]
	for _, v := range espeakVariants {
		if math.Abs(v.size-t.Size) < math.Abs(best.size-t.Size) {
			best = v
		}
	}
	// The pitch doubles over about as many steps everywhere, so both halves are
	// straight lines in the logarithm.
	low, mid, high := math.Log2(best.pitch[0]), math.Log2(best.pitch[1]), math.Log2(best.pitch[2])
	want := math.Log2(t.Pitch)
	setting := 50 + 40*(want-mid)/(high-mid)
	if want < mid {
		setting = 50 + 40*(want-mid)/(mid-low)
	}
	if t.Breath > 0.8 {
		return "+whisper", 50
	}
	return best.name, int(math.Round(min(max(setting, 0), 99)))
}
