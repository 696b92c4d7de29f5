package llm_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// random is a text of n of these characters, the same in each run.
func random(of string, n int) string {
	letters, r := []rune(of), rand.New(rand.NewPCG(1, 2))
	out := make([]rune, n)
	for i := range out {
		out[i] = letters[r.IntN(len(letters))]
	}
	return string(out)
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// Estimates of texts against what tokenizers count: the least and the most of
// cl100k, o200k and Llama 3 for these texts, or for others of their kind.
func TestEstimates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		text        string
		least, most int     // as tokenizers count
		under       float64 // how far Most may be below the most
		over        float64 // and above it: what is set aside must not be silly
	}{
		{"English", "Thinking is stripped from answers, and nothing that was paid is lost. A client that leaves stops the model.", 21, 23, 1, 1.5},
		{"French", strings.Repeat("Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience.", 30), 810, 931, 1, 1.3},
		{"Russian", strings.Repeat("Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.", 30), 840, 1530, 1, 2},
		{"Chinese", strings.Repeat("人工智能是计算机科学的一个分支，它企图了解智能的实质，并生产出一种新的能以人类智能相似的方式做出反应的智能机器。", 40), 1520, 2440, 1.1, 1},
		{"Japanese", strings.Repeat("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは記憶している。", 30), 1620, 2340, 1.15, 1},
		{"Korean", strings.Repeat("모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.", 40), 960, 1640, 1.3, 1},
		{"Thai", strings.Repeat("มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ", 40), 1120, 2600, 1, 2},
		{"Armenian", strings.Repeat("Բոլոր մարդիկ ծնվում են ազատ ու հավասար", 40), 480, 2800, 1.2, 1},
		{"emoji", strings.Repeat("😀🦊🚀👩‍👩‍👧‍👦🏳️‍🌈", 200), 4600, 7000, 1, 1.6},
		{"cuneiform", strings.Repeat("𒀀𒁀𒂀𒃀", 250), 3800, 4000, 1, 1.1},
		{"digits", random("0123456789", 8000), 2667, 8000, 1, 1}, // one by one, with Qwen and Mistral
		{"base64", random(base64Letters, 8000), 5475, 5765, 1.5, 1},
		{"capitals", random("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 8000), 4579, 4784, 1, 1.2},
		{"punctuation", random("!@#$%^&*()[]{};:,.<>/?|~`", 8000), 5356, 5442, 1.05, 1},
		{"random letters", random("abcdefghijklmnopqrstuvwxyz", 8000), 4134, 4292, 2.2, 1},
	} {
		got := llm.Measure(c.text)
		if float64(got.Most)*c.under < float64(c.most) || float64(got.Most) > float64(c.most)*max(c.over, 1) {
			t.Errorf("%s: at most %d are estimated; tokenizers count %d to %d", c.name, got.Most, c.least, c.most)
		}
		if got.Likely > got.Most || got.Likely < len([]rune(c.text))/4 {
			t.Errorf("%s: %d are likely and %d the most, of %d characters", c.name, got.Likely, got.Most, len([]rune(c.text)))
		}
		var c2 llm.Counter
		for _, r := range c.text {
			c2.Add(string(r))
		}
		if c2.Estimate() != got {
			t.Errorf("%s: bit by bit it is %+v, at once %+v", c.name, c2.Estimate(), got)
		}
	}
}

// What fits into a context is decided as ever for ASCII: four characters are a
// token, whatever they are.
func TestLikelyOfASCII(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"abc def", base64Letters, "0123456789", "{}\":,\n\t"} {
		for n := range 50 {
			if got, want := llm.Tokens(random(of, n)), (n+3)/4; got != want {
				t.Errorf("%d of %q: got %d, want %d", n, of, got, want)
			}
		}
	}
}

// Everything that is sent is set aside for, also what a context has always been
// reckoned without.
func TestBudgetCountsAllThatIsSent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 1000)
	base := llm.Request{Messages: []llm.Message{llm.Text("user", "hi")}}
	for name, change := range map[string]func(*llm.Request){
		"a name": func(r *llm.Request) {
			r.Messages = []llm.Message{{Role: "user", Name: long, Content: r.Messages[0].Content}}
		},
		"the id of a call": func(r *llm.Request) {
			r.Messages = []llm.Message{{Role: "tool", ToolCallID: long, Content: r.Messages[0].Content}}
		},
		"arguments": func(r *llm.Request) {
			r.Messages = []llm.Message{{Role: "assistant", ToolCalls: []llm.ToolCall{{Function: llm.FunctionCall{Arguments: long}}}}}
		},
		"a schema":           func(r *llm.Request) { r.Tools = []llm.Tool{{Function: llm.Function{Parameters: []byte(long)}}} },
		"the form":           func(r *llm.Request) { r.Params = map[string]wire.Raw{"response_format": wire.Raw(long)} },
		"template arguments": func(r *llm.Request) { r.Params = map[string]wire.Raw{"chat_template_kwargs": wire.Raw(long)} },
	} {
		r := base
		change(&r)
		b, err := llm.NewBudget(llm.Model{ContextLength: 1 << 20}, &r)
		if err != nil || b.Most < 1200 {
			t.Errorf("%s: %d tokens are set aside for, %v", name, b.Most, err)
		}
	}
	shown := llm.Request{Messages: []llm.Message{{Role: "user", Content: []llm.Part{{Type: "image_url", Detail: "low"}}}}}
	if b, err := llm.NewBudget(llm.Model{ContextLength: 1 << 20}, &shown); err != nil || b.Most < 1337 { // 1024 by 1024 in patches of 28
		t.Errorf("an image: %d tokens are set aside for, %v", b.Most, err)
	}
	packed := llm.Request{Messages: []llm.Message{llm.Text("user", random("0123456789", 20_000))}}
	if b, err := llm.NewBudget(llm.Model{ContextLength: 8192}, &packed); err != nil || b.Most != 8192 {
		t.Errorf("more than the context is set aside for: %d, %v", b.Most, err)
	}
}

func BenchmarkMeasure(b *testing.B) {
	text := strings.Repeat("Nothing that was paid is lost, and 20 pictures are enough. ", 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		llm.Measure(text)
	}
}
