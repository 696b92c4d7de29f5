package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/atelier-project/atelier/internal/worktest"
)

// The tests run the real command: the test binary, under the name atelier.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"atelier": main}) }

// The scripts start the program hundreds of times, which takes six times as long under the
// race detector. What runs concurrently in a server is watched in the tests of internal/node
// and internal/api, and in the other tests of this package.
//
//atelier:norace
func TestScripts(t *testing.T) {
	t.Parallel()
	if worktest.Racing {
		t.Skip("left out: make check runs these without the race detector")
	}
	if runtime.GOOS == "windows" {
		t.Skip("left out: the scripts stop servers with signals")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			program, err := exec.LookPath("atelier")
			if err != nil {
				return err
			}
			e.Vars = append(e.Vars, quickEnd(), "PROGRAM="+program)
			e.Values[environment] = e.Vars
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"refuse": scriptRefuse, "capture": scriptCapture, "capture-json": scriptCaptureJSON, "mode": scriptMode, "begins": scriptBegins,
			"serve": scriptServe, "halt": scriptHalt, "get": scriptGet, "post": scriptPost, "waitfor": scriptWaitFor, "capture-worker": scriptCaptureWorker, "lapse": scriptLapse, "hint": scriptHint,
			"sites": scriptSites, "import": scriptImport, "lorafile": scriptLoraFile, "same": scriptSame, "modelserver": scriptModelServer, "comfyserver": scriptComfyServer, "logged": scriptLogged,
		},
		RequireExplicitExec: true,
	})
}

// A command fails when it could not print what is shown only once.
func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	var out, errs strings.Builder
	if code := run([]string{"account", "create", "--wallet", "0xann", "--data", data}, &out, &errs); code != 0 {
		t.Fatalf("account create: exit code %d: %s", code, &errs)
	}
	for _, args := range [][]string{
		{"account", "create"}, {"account", "create", "--json"}, {"account", "show", "0xann"}, {"account", "credit", "0xann", "--spark", "1"},
		{"account", "plan", "0xann", "--plan", "none"}, {"key", "create", "0xann"}, {"key", "list", "0xann"}, {"token", "create", "0xann"},
		{"ledger", "usage"}, {"ledger", "usage", "--json"}, {"lora", "list"}, {"lora", "list", "--json"},
	} {
		errs.Reset()
		code := run(append(args, "--data", data), fullDisk{}, &errs)
		if want := "atelier: " + errFull.Error() + "\n"; code != 1 || errs.String() != want {
			t.Errorf("%v: got exit code %d and %q, want 1 and %q", args, code, &errs, want)
		}
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestOneLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{"plain", "plain"},
		{"cannot reach:\n\ta: refused\n\tb: refused\n", "cannot reach: a: refused; b: refused"},
		{`--ttl: expected value value but got "EOL" (<EOL>)`, "--ttl: needs a value"},
	} {
		if got := oneLine(errors.New(c.got)); got != c.want {
			t.Errorf("%q: got %q, want %q", c.got, got, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "69bf629123456789abcdef0123456789abcdef01"}
	for _, c := range []struct {
		release string
		info    *debug.BuildInfo
		want    string
	}{
		{"v1.2.3", &debug.BuildInfo{Settings: []debug.BuildSetting{commit}}, "v1.2.3"},
		{"", &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-1-69bf62912345"}, Settings: []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "false"}}}, "dev-69bf62912345"},
		{"", &debug.BuildInfo{Settings: []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "true"}}}, "dev-69bf62912345+dirty"},
		{"", &debug.BuildInfo{Main: debug.Module{Version: "v0.3.1"}}, "v0.3.1"}, // go install …@v0.3.1
		{"", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "(devel)"},
		{"", &debug.BuildInfo{}, "(devel)"},
		{"", nil, "(devel)"},
	} {
		if got := versionOf(c.release, c.info); got != c.want {
			t.Errorf("%q, %v: got %s, want %s", c.release, c.info, got, c.want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("left out: its shells quote otherwise")
	}
	for _, c := range []struct{ word, want string }{
		{"./bin/atelier", "./bin/atelier"}, {"http://[::1]:8080", "'http://[::1]:8080'"}, {"http://a:80/x?limit=1", "'http://a:80/x?limit=1'"},
		{"my data", "'my data'"}, {"it's", `'it'\''s'`}, {"$HOME", "'$HOME'"}, {"~/x", "'~/x'"}, {"", "''"},
	} {
		if got := quote(c.word); got != c.want {
			t.Errorf("%q: got %s, want %s", c.word, got, c.want)
		}
	}
}

// clean is the environment without the variables that the command reads.
func clean() []string {
	out := []string{quickEnd()}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "ATELIER_") && !strings.HasPrefix(entry, "OTEL_") && !strings.HasPrefix(entry, "GORACE=") {
			out = append(out, entry)
		}
	}
	return out
}

// quickEnd keeps the race detector from delaying the end of every command by a
// second.
func quickEnd() string { return "GORACE=" + os.Getenv("GORACE") + " atexit_sleep_ms=0" }
