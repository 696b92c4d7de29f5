package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/atelier-project/atelier/internal/config"
)

// answerAll is a server that gives every request the same answer.
func answerAll(t *testing.T, status int, body string) (url string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

// Answers of another form are said to be that. The types of this program mean nothing to its user.
func TestAnswersOfAnotherForm(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"data": {"workflows": "none", "workers": 7, "workflow": []}}`, `{"data": "none"}`, `[]`} {
		url, _ := answerAll(t, 200, body)
		for _, args := range [][]string{{"workflow", "list"}, {"workflow", "show", "wf_1"}, {"fleet", "list"}} {
			var out, errs strings.Builder
			code := run(append(args, "--url", url, "--api-key", "key"), &out, &errs)
			if want := "atelier: the server at " + url + " is not this service, or one of another version: "; code != 1 || !strings.HasPrefix(errs.String(), want) {
				t.Errorf("%s, %s: got exit code %d and %q, want 1 and %q", args, body, code, &errs, want)
			}
		}
	}
}

// A server that names the same page again and again does not keep a list from ending.
func TestListsEnd(t *testing.T) {
	t.Parallel()
	url, requests := answerAll(t, 200, `{"data": {"nextCursor": "again", "workflows": [], "workers": [], "accounts": [], "jobs": []}}`)
	for _, args := range [][]string{{"workflow", "list", "--all"}, {"workflow", "list"}, {"fleet", "list"}, {"account", "list"}} {
		requests.Store(0)
		var out, errs strings.Builder
		code := run(append(args, "--url", url, "--api-key", "key"), &out, &errs)
		if want := "the list does not end: the service names the page again twice"; code != 1 || !strings.Contains(errs.String(), want) || requests.Load() != 2 {
			t.Errorf("%s: got exit code %d and %q after %d requests", args, code, &errs, requests.Load())
		}
	}
}

// What servers and workers write cannot control the terminal.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	const evil = `\u001b]0;title\u0007\u001b[2Jname\u009b31m\r\u0000\u007f`
	list, _ := answerAll(t, 200, `{"data": {"workers": [{"name": "`+evil+`", "gpu": "`+evil+`", "version": "`+evil+`", "unavailable": "`+evil+`"}]}}`)
	refusal, _ := answerAll(t, 400, `{"errorCode": 104, "message": "bad `+evil+`"}`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fleet", "list", "--url", list}, "]0;title[2Jname31m"},
		{[]string{"workflow", "list", "--url", refusal}, "bad ]0;title[2Jname31m"},
	} {
		var out, errs strings.Builder
		run(append(c.args, "--api-key", "key"), &out, &errs)
		text := out.String() + errs.String()
		if !strings.Contains(text, c.want) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%v printed %q", c.args, text)
		}
	}
}

// The variables that commands read do not stop a server as keys that do not exist.
func TestVariablesOfCommands(t *testing.T) {
	t.Parallel()
	var commands cli
	parser, err := kong.New(&commands, kong.Vars{"version": "", "statuses": ""})
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{"ATELIER_API_KEY=k", "ATELIER_PROFILE=p", "ATELIER_PORT=tcp://10.0.0.1:8080", "ATELIER_PORT_8080_TCP_ADDR=10.0.0.1", "ATELIER_SERVICE_HOST=10.0.0.1", "ATELIER_SERVICE_PORT_HTTP=8080"}
	var collect func(*kong.Node)
	collect = func(n *kong.Node) {
		for _, f := range n.Flags {
			for _, name := range f.Envs {
				environ = append(environ, name+"=/x")
			}
		}
		for _, child := range n.Children {
			collect(child)
		}
	}
	collect(parser.Model.Node)
	if !strings.Contains(strings.Join(environ, " "), "ATELIER_IMAGE_API_KEY") {
		t.Errorf("the flags have the variables %q", environ)
	}
	for _, entry := range environ {
		if _, err := config.Load("", []string{entry}); err != nil {
			t.Error(err)
		}
	}
}

// A typed key does not show on the terminal, which is as before afterwards.
func TestLoginHidesTheKey(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("script"); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs the script command of Linux")
	}
	url, _ := answerAll(t, 200, `{"data": {"walletAddress": "0xann", "username": "ann"}}`)
	cmd := exec.Command("script", "-qec", "atelier login --url "+url+" && stty -a", "/dev/null")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := launchCommand(cmd, t.TempDir(), append(clean(), "XDG_CONFIG_HOME="+filepath.Join(t.TempDir(), "config")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	if err := p.await(&p.stdout, "API key for "+url); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, "sesame-sesame")
	if err := p.await(&p.stdout, "profile default: ann"); err != nil {
		t.Fatal(err)
	}
	if err := p.await(&p.stdout, "echoctl"); err != nil { // the terminal has been asked for its settings
		t.Fatal(err)
	}
	in.Close()
	if text := p.stdout.String(); strings.Contains(text, "sesame") || !strings.Contains(text, " echo ") {
		t.Errorf("the terminal shows %q", text)
	}
}
