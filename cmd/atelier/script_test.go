package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// environment is the key under which a script keeps the variables that it
// began with.
const environment = "environment"

// servers holds the server of each script that runs one.
var servers sync.Map // *testscript.TestScript → *process

// refuse CODE TEXT ARG... runs atelier, which must end with the code and print one
// line with the text on stderr, and nothing else.
func scriptRefuse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: refuse CODE TEXT ARG...")
	}
	err := ts.Exec("atelier", args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Check(err)
	}
	stdout, stderr := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	line, more, _ := strings.Cut(stderr, "\n")
	text, prefixed := strings.CutPrefix(line, "atelier: ")
	switch {
	case strconv.Itoa(code) != args[0]:
		ts.Fatalf("got exit code %d, want %s", code, args[0])
	case stdout != "":
		ts.Fatalf("it was refused and wrote on stdout")
	case !prefixed || strings.Contains(text, "atelier: ") || more != "":
		ts.Fatalf("stderr is not one line that begins with atelier: once")
	case !strings.Contains(text, args[1]):
		ts.Fatalf("stderr does not say %q", args[1])
	}
}

// logged TEXT waits until the server has logged a text.
func scriptLogged(ts *testscript.TestScript, neg bool, args []string) {
	p, ok := servers.Load(ts)
	if neg || len(args) != 1 || !ok {
		ts.Fatalf("usage: logged TEXT, after serve")
	}
	server := p.(*process)
	ts.Check(server.await(&server.stderr, args[0]))
}

// modelserver KEY MODEL... runs a server of language models that wants an API key, and sets MODELS
// to its address.
func scriptModelServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: modelserver KEY MODEL...")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/any/"):
			fmt.Fprint(w, `{"status":"ok"}`)
		case r.Header.Get("Authorization") != "Bearer "+args[0]:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			var list []map[string]any
			for _, id := range args[1:] {
				list = append(list, map[string]any{"id": id, "max_model_len": 8192})
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"data": list})
		case r.URL.Path == "/odd/models":
			fmt.Fprint(w, `{"data": "none"}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("MODELS", server.URL)
}

// comfyserver FILE runs what an import and a worker's survey ask of a ComfyUI, with the list of nodes
// in the file, and sets COMFY to its address.
func scriptComfyServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: comfyserver FILE")
	}
	info := ts.ReadFile(args[0])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		folder, isFolder := strings.CutPrefix(r.URL.Path, "/models/")
		switch {
		case r.URL.Path == "/object_info":
			fmt.Fprint(w, info)
		case r.URL.Path == "/system_stats":
			fmt.Fprint(w, `{"system": {"comfyui_version": "0.7.0"}, "devices": [{"name": "cuda:0 Stand-in"}]}`)
		case isFolder:
			_ = json.NewEncoder(w).Encode(map[string][]string{"checkpoints": {"base.safetensors"}, "loras": {"ink.safetensors"}}[folder])
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("COMFY", server.URL)
}

// mode FILE MODE checks the permissions of a file.
func scriptMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode FILE MODE")
	}
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%#o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("got mode %s, want %s", got, args[1])
	}
}

// begins FILE TEXT checks the first bytes of a file. The text may have escapes as
// in Go.
func scriptBegins(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: begins FILE TEXT")
	}
	want, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	if got := ts.ReadFile(args[0]); !strings.HasPrefix(got, want) {
		ts.Fatalf("%s begins with %q, want %q", args[0], got[:min(len(got), 12)], want)
	}
}

// capture NAME [FIELD] sets a variable to the last output, or to a field of it
// when the output is a JSON object.
func scriptCapture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: capture NAME [FIELD]")
	}
	text, terminated := strings.CutSuffix(ts.ReadFile("stdout"), "\n")
	if !terminated {
		ts.Fatalf("the output does not end its last line")
	}
	if len(args) == 2 {
		var object map[string]any
		ts.Check(json.Unmarshal([]byte(text), &object))
		field, ok := object[args[1]].(string)
		if !ok {
			ts.Fatalf("there is no text %q in the output", args[1])
		}
		text = field
	}
	if strings.ContainsAny(text, " \n") {
		ts.Fatalf("there is more than one word in %q", text)
	}
	ts.Setenv(args[0], text)
}

// capture-json NAME PATH sets a variable to a text of the last output, which is JSON. The path has
// names and numbers between dots.
func scriptCaptureJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture-json NAME PATH")
	}
	var at any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &at))
	for part := range strings.SplitSeq(args[1], ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				ts.Fatalf("there is no %s in a list of %d", part, len(v))
			}
			at = v[i]
		}
	}
	text, ok := at.(string)
	if !ok {
		ts.Fatalf("there is no text %q in the output", args[1])
	}
	ts.Setenv(args[0], text)
}

// hint NAME KEY sets a variable to what is shown of a key.
func scriptHint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || len(args[1]) < 8 {
		ts.Fatalf("usage: hint NAME KEY")
	}
	ts.Setenv(args[0], args[1][:8])
}

// serve ARG... runs atelier serve on a free port, beside the script, with the
// variables that the script began with. It sets URL, ADDRESS to the
// same without http://, KEY, WALLET and LINK to what was shown or to nothing, and
// writes the greeting to the file greeting.
func scriptServe(ts *testscript.TestScript, neg bool, args []string) {
	if _, ok := servers.Load(ts); neg || ok {
		ts.Fatalf("usage: serve ARG..., once before stop")
	}
	p, err := launchServer(ts.MkAbs("."), ts.Value(environment).([]string), args...)
	ts.Check(err)
	ts.Defer(p.kill)
	servers.Store(ts, p)
	ts.Setenv("URL", p.URL)
	ts.Setenv("ADDRESS", strings.TrimPrefix(p.URL, "http://"))
	ts.Setenv("KEY", p.Key)
	ts.Setenv("WALLET", p.Wallet)
	ts.Setenv("LINK", p.Link)
	ts.Check(os.WriteFile(ts.MkAbs("greeting"), []byte(p.stdout.String()), 0o600))
}

// halt asks the server to end, which it must do with exit code 0, and writes its
// output to the files serve.out and serve.err.
func scriptHalt(ts *testscript.TestScript, neg bool, args []string) {
	p, ok := servers.LoadAndDelete(ts)
	if neg || len(args) > 0 || !ok {
		ts.Fatalf("usage: stop, after serve")
	}
	server := p.(*process)
	ts.Check(server.stop())
	ts.Check(os.WriteFile(ts.MkAbs("serve.out"), []byte(server.stdout.String()), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("serve.err"), []byte(server.stderr.String()), 0o600))
}

// get PATH CREDENTIAL STATUS reads a path of the server, which must answer
// with the status, and writes the body to the file body.
func scriptGet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: get PATH CREDENTIAL STATUS")
	}
	status, body, err := get(ts.Getenv("URL")+args[0], args[1])
	ts.Check(err)
	if strconv.Itoa(status) != args[2] {
		ts.Fatalf("got %d, want %s: %s", status, args[2], body)
	}
	ts.Check(os.WriteFile(ts.MkAbs("body"), []byte(body), 0o600))
}

// post PATH CREDENTIAL STATUS FILE sends a file to a path of the server, which
// must answer with the status, and writes the body to the file body.
func scriptPost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: post PATH CREDENTIAL STATUS FILE")
	}
	status, body, err := post(ts.Getenv("URL")+args[0], args[1], ts.ReadFile(args[3]))
	ts.Check(err)
	if strconv.Itoa(status) != args[2] {
		ts.Fatalf("got %d, want %s: %s", status, args[2], body)
	}
	ts.Check(os.WriteFile(ts.MkAbs("body"), []byte(body), 0o600))
}

// waitfor TEXT COMMAND ARG... runs a command until its output has the text. The
// server connects its own workers a moment after it has greeted.
func scriptWaitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: waitfor TEXT COMMAND ARG...")
	}
	for deadline := time.Now().Add(patience); ; {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if strings.Count(ts.ReadFile("stdout"), args[0]) >= 2 {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("the output never printed %q", args[0])
		}
	}
}

// variable is what differs between two runs of a command: names, keys, hints, tokens and
// times.
var variable = regexp.MustCompile(`0x[0-9a-f]{40}|0[xX]first|0[xX]again|ufirst|uagain|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{8}…|"?20\d\d-[0-9T:.-]+Z"?|[\w-]{20,}\.[\w-]+\.[\w-]+`)

// same KEY FILE runs each line of the file as a command of atelier, once on the database d
// and once through the API of the server with the key. The output, the errors and the exit
// code must be the same. $N stands for a name that differs; a command after ! must fail.
func scriptSame(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same KEY FILE")
	}
	run := func(line, name string, where ...string) string {
		words := append(strings.Fields(strings.ReplaceAll(line, "$N", name)), where...)
		err := ts.Exec("atelier", words...)
		text := fmt.Sprintf("%v\n%s%s", err, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
		return variable.ReplaceAllString(text, "*")
	}
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		line = strings.TrimSpace(line)
		command, fails := strings.CutPrefix(line, "! ")
		local := run(command, "first", "--data", "d")
		remote := run(command, "again", "--url", ts.Getenv("URL"), "--api-key", args[0])
		if local != remote {
			ts.Fatalf("%s: on the database:\n%s\nthrough the API:\n%s", line, local, remote)
		}
		if fails == strings.HasPrefix(local, "<nil>") {
			ts.Fatalf("%s: got %s", line, local)
		}
	}
}

// capture-worker NAME NETWORK sets a variable to the id of the worker of a
// network, from a JSON list.
func scriptCaptureWorker(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture-worker NAME NETWORK")
	}
	var list []listedWorker
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	for _, w := range list {
		if w.Network == args[1] {
			ts.Setenv(args[0], w.WorkerID)
			return
		}
	}
	ts.Fatalf("no worker of the network %s", args[1])
}
