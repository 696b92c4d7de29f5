package paint_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
)

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct{ prompt, want string }{
		{"three yellow ducks on a blue lake, watercolor", "3 yellow duck; in: lake; style: watercolor"},
		{"a red fox in a snowy forest at dawn", "red fox; in: forest; time: dawn; weather: snow"},
		{"portrait of an astronaut, oil painting", "astronaut; style: oil; framing: bust"},
		{"abstract geometric mandala in gold and teal", "geometry and mandala; colour: gold; colour: teal"},
		{`a sign saying "OPEN"`, `sign; text: "OPEN"`},
		{"a tiny blue house on the left and a huge tree on the right", "small blue house at left and large tree at right"},
		{"a cat without clouds", "cat; without: clouds"},
		{"zorp flibber", "not understood: zorp, flibber"},
		{"2 wolves and mice", "2 wolf and 3 mouse"},
		{"ukiyo-e wave", "in: wave; style: ukiyo"},
		{"a woman with red hair", "woman"},
	}
	for _, tt := range tests {
		if got := paint.Describe(paint.Read(tt.prompt)); got != tt.want {
			t.Errorf("Read(%q)\n got %s\nwant %s", tt.prompt, got, tt.want)
		}
	}
}

func TestReadBindsColours(t *testing.T) {
	t.Parallel()
	s := paint.Read("a red and white lighthouse beside a blue boat, a woman with green eyes")
	if len(s.Subjects) != 3 {
		t.Fatalf("subjects: %+v", s.Subjects)
	}
	names := func(i int) (out []string) {
		for _, c := range s.Subjects[i].Colours {
			out = append(out, c.Name)
		}
		return out
	}
	if got := names(0); !slices.Equal(got, []string{"red", "white"}) {
		t.Errorf("lighthouse is %v", got)
	}
	if got := names(1); !slices.Equal(got, []string{"blue"}) {
		t.Errorf("boat is %v", got)
	}
	if got := s.Subjects[2].Parts["eye"].Name; got != "green" {
		t.Errorf("eyes are %q, want green", got)
	}
}

func TestReadRelations(t *testing.T) {
	t.Parallel()
	if s := paint.Read("robot playing guitar"); len(s.Subjects) != 2 || s.Subjects[1].HeldBy != 0 {
		t.Errorf("the robot does not hold the guitar: %+v", s.Subjects)
	}
	if s := paint.Read("steam train crossing a bridge"); len(s.Subjects) != 2 || s.Subjects[0].On != 1 {
		t.Errorf("the train is not on the bridge: %+v", s.Subjects)
	}
}

func TestExcludeKeepsLinks(t *testing.T) {
	t.Parallel()
	s := paint.Read("a dog, a cat on a chair")
	s.Exclude("dog")
	if len(s.Subjects) != 2 || s.Subjects[0].On != 1 {
		t.Errorf("after removing the dog: %+v", s.Subjects)
	}
	s.Exclude("chair")
	if len(s.Subjects) != 1 || s.Subjects[0].On != -1 {
		t.Errorf("after removing the chair: %+v", s.Subjects)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a red fox", `"quoted" text “more” «and»`, "3 cats, 99999999999999999999 dogs", "no clouds without sun", "\xff\xfe broken", strings.Repeat("red ", 4000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		s := paint.Read(prompt)
		for i, thing := range s.Subjects {
			if thing.Count < 1 || thing.Count > 12 || thing.On >= len(s.Subjects) || thing.HeldBy >= len(s.Subjects) || thing.On == i {
				t.Errorf("Read(%q): %+v", prompt, thing)
			}
		}
		if d := paint.Describe(s); utf8.ValidString(prompt) && !utf8.ValidString(d) {
			t.Errorf("Describe(%q) is not UTF-8", prompt)
		}
		if len(prompt) < 200 {
			if _, err := paint.PaintScene(t.Context(), s, paint.Look{}, 32, 24, 1, 0, nil); err != nil {
				t.Errorf("PaintScene(%q): %v", prompt, err)
			}
		}
	})
}
