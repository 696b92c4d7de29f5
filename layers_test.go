package atelier_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"sort"
	"strings"
	"testing"
)

const module = "github.com/atelier-project/atelier"

// floors is the house: a room imports only from floors below its own. Rooms of
// tests may import anything and nothing but tests imports them.
var floors = map[string]int{
	"": 0, // the vocabulary

	"internal/wire": 1, "internal/yamldoc": 1, "internal/filetype": 1, "internal/schema": 1, "internal/clock": 1,

	"internal/catalog": 2, // reads YAML

	"internal/store": 3, "internal/bus": 3, "internal/blob": 3, "internal/telemetry": 3, "internal/chain": 3, "internal/llm": 3, "internal/config": 3,

	"internal/fetch": 3,

	// The codecs read and write formats of media, and know neither the service nor the studio.
	"internal/codec/pcm": 1, "internal/codec/h264": 1, "internal/codec/mp4": 2, "internal/codec/flac": 2, "internal/codec/wav": 2, "internal/codec/srt": 1,
	"internal/probe": 3, // of a file, what it says of itself

	// The studio makes media without a GPU and knows nothing of the service.
	"internal/studio/chance": 1, "internal/studio/lexicon": 1, "internal/studio/pixel": 2, "internal/studio/vector": 3, "internal/studio/selection": 3,
	"internal/studio/paint": 4, "internal/studio/edit": 5, "internal/studio/sound": 3,
	"internal/studio/voice": 4, "internal/studio/mesh": 2, "internal/studio/song": 5,
	"internal/studio/film": 4, "internal/studio/footage": 5, "internal/studio/motion": 6,

	"internal/filter": 3, "internal/manifest": 3,

	"internal/account": 4, "internal/billing": 4, "internal/media": 4, "internal/journal": 4,

	"internal/template": 5,

	"internal/compose": 5,

	// The offline language model, from text to calls.
	"internal/llm/offline/token": 1, "internal/llm/offline/phrase": 1, "internal/llm/offline/schema": 2, "internal/llm/offline/slot": 3,
	"internal/llm/offline/intent": 4, "internal/llm/offline/answer": 5, "internal/llm/offline/plan": 6, "internal/llm/offline": 7,

	"internal/fleet": 5, // holds money for the jobs it queues

	"internal/workflow": 6, // the only door to rendering
	"internal/chat":     7,
	"internal/openai":   8, // the shapes of OpenAI's API around chat

	"internal/api": 9, "console": 9, "client": 9,

	"internal/worker": 10, "internal/worker/cpu/task": 11, "internal/worker/cpu/picture": 12, "internal/worker/cpu/clip": 12,
	"internal/worker/cpu/audio": 12, "internal/worker/cpu/analysis": 12, "internal/worker/cpu": 13, "internal/worker/comfyui": 11, "internal/worker/remote": 11, "internal/worker/child": 11,

	"internal/node": 14,

	"cmd/atelier": 15, "internal/docgen": 15, "internal/showcase": 15,
}

// forTests are the rooms that only tests enter.
var forTests = []string{
	"internal/ateliertest", "internal/ateliertest/hostile", "internal/store/storetest", "internal/blob/blobtest", "internal/codec/mp4/mp4test", "internal/studio/studiotest",
	"internal/worktest", "bench",
}

// doors are the imports that a floor forbids and a decision allows.
var doors = map[string][]string{}

// neverFrom keeps the edge away from the adapters.
var neverFrom = map[string][]string{"internal/api": {"internal/store", "internal/bus", "internal/blob"}}

type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Standard     bool
}

func listPackages(t *testing.T) (out []listed) {
	t.Helper()
	text, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(text))); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func room(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// Calls go down the floors.
func TestRoomsImportOnlyFromBelow(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		from, _ := room(p.ImportPath)
		if slices.Contains(forTests, from) || strings.HasPrefix(from, "bench/") {
			continue
		}
		floor, known := floors[from]
		if !known {
			t.Errorf("%s has no floor: give it one in layers_test.go", from)
			continue
		}
		for _, path := range p.Imports {
			to, ours := room(path)
			switch {
			case !ours || slices.Contains(doors[from], to):
			case slices.Contains(forTests, to):
				t.Errorf("%s imports %s, which is for tests", from, to)
			case floors[to] >= floor:
				t.Errorf("%s (floor %d) imports %s (floor %d)", from, floor, to, floors[to])
			case slices.Contains(neverFrom[from], to):
				t.Errorf("%s must not import %s", from, to)
			}
		}
	}
}

// shared are the modules that more than one room may import, and why.
var shared = map[string]string{
	"github.com/nats-io/nats-server/v2": "a real server in the tests of several rooms",
	"github.com/jackc/pgx/v5":           "store, and the test databases beside it",
	"zombiezen.com/go":                  "store, and the test databases beside it",
	"golang.org/x/image":                "decoders in media and the workers, decoders in studio/pixel, letters in studio/paint",
}

// A third-party library is imported by one room only.
func TestEachLibraryHasOneRoom(t *testing.T) {
	t.Parallel()
	users := map[string]map[string]bool{}
	for _, p := range listPackages(t) {
		from, _ := room(p.ImportPath)
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if _, ours := room(path); ours || !strings.Contains(strings.Split(path, "/")[0], ".") {
				continue
			}
			lib := library(path)
			if users[lib] == nil {
				users[lib] = map[string]bool{}
			}
			users[lib][from] = true
		}
	}
	for lib, rooms := range users {
		if _, ok := shared[lib]; ok || len(rooms) == 1 {
			continue
		}
		var names []string
		for name := range rooms {
			names = append(names, name)
		}
		sort.Strings(names)
		t.Errorf("%s is imported by %s", lib, strings.Join(names, " and "))
	}
}

// library is the module of an import path, near enough: host, owner, name, and
// a version.
func library(path string) string {
	parts := strings.Split(path, "/")
	n := 3
	if parts[0] != "github.com" && parts[0] != "golang.org" {
		n = 2
	}
	if len(parts) > n && strings.HasPrefix(parts[n], "v") && len(parts[n]) == 2 {
		n++
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}
