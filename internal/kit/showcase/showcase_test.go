package main

import (
	"os"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// Every tool that a step can use is shown, and nothing else.
func TestEveryToolIsShown(t *testing.T) {
	t.Parallel()
	offer, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, tool := range offer.Tools() {
		if tool.Durable() {
			want = append(want, tool.Name)
		}
	}
	for _, s := range allSheets {
		for _, e := range s.exhibits {
			got = append(got, e.tool)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("shown are %q, want %q", got, want)
	}
}

// The page in the repository is the one that is written, and it is not too heavy
// to look at.
func TestThePageIsTheLatest(t *testing.T) {
	t.Parallel()
	const folder, most = "../../../docs/showcase/", 3 << 20
	text, err := os.ReadFile(folder + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != page() {
		t.Error("docs/showcase/README.md is not what make showcase writes now")
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files, size := []string{"README.md"}, int64(0)
	for _, s := range allSheets {
		files = append(files, s.file)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if size += info.Size(); !slices.Contains(files, e.Name()) {
			t.Errorf("%s is no part of the page", e.Name())
		}
	}
	if len(entries) != len(files) || size > most {
		t.Errorf("there are %d files of %d bytes, want %d of at most %d", len(entries), size, len(files), most)
	}
}

// What is drawn again is the same, byte for byte: documents and a wave are drawn
// twice.
func TestSheetsAreTheSameAgain(t *testing.T) {
	t.Parallel()
	offer, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []sheet{
		manifestSheet,
		{file: "a.jpg", columns: 2, exhibits: []exhibit{{"generate_speech", "said", drawSpeech(args{"voice": "ryan"})}}},
	} {
		var files [2][]byte
		for i := range files {
			w := &toolRunner{catalog: offer, folder: t.TempDir(), kept: map[string]result{}}
			img, err := s.draw(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			path := t.TempDir() + "/" + s.file
			if err := saveJPEG(path, img); err != nil {
				t.Fatal(err)
			}
			if files[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(files[0], files[1]) {
			t.Errorf("%s differs the second time", s.file)
		}
	}
}
