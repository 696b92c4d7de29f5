//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/apitype"
)

// start runs a server that ends with the test.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p, err := launchServer(t.TempDir(), append(clean(), env...), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// wants checks the status of an answer.
func (p *process) wants(t *testing.T, path, credential string, want int) (body string) {
	t.Helper()
	status, body, err := get(p.URL+path, credential)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	if status != want {
		t.Fatalf("GET %s: got %d, want %d: %s", path, status, want, body)
	}
	return body
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// drains waits until the server has begun to shut down.
func (p *process) drains(t *testing.T) {
	t.Helper()
	if err := p.await(&p.stderr, "shutting down"); err != nil {
		t.Fatal(err)
	}
}

// exits waits for the end, which must come with the given code.
func (p *process) exits(t *testing.T, code int) {
	t.Helper()
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	if got := p.ProcessState.ExitCode(); got != code {
		t.Fatalf("got %v, want exit code %d; stderr:\n%s", p.ProcessState, code, &p.stderr)
	}
}

// slowChain is a chain's node that answers when the test lets it. A request that
// reads a wallet waits for it.
type slowChain struct {
	*httptest.Server
	asked  chan struct{} // gets one for each request
	answer chan struct{} // closed to answer
}

func newSlowChain(t *testing.T) *slowChain {
	t.Helper()
	c := &slowChain{asked: make(chan struct{}, 10), answer: make(chan struct{})}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var batch []struct {
			ID int `json:"id"`
		}
		if err := json.NewDecoder(r.Body).Decode(&batch); err != nil {
			t.Errorf("the chain's node got an invalid request: %v", err)
		}
		c.asked <- struct{}{}
		select {
		case <-c.answer:
		case <-r.Context().Done():
			return
		}
		var answers []string
		for _, call := range batch {
			answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"0x%064d"}`, call.ID, 0))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(answers, ","))
	}))
	t.Cleanup(c.Close)
	return c
}

// read begins to read the wallet of the first account, and returns when the
// request is under way.
func (c *slowChain) read(t *testing.T, p *process) <-chan string {
	t.Helper()
	outcome := make(chan string, 1)
	go func() {
		status, body, err := get(p.URL+"/v2/wallet/balance", p.Key)
		outcome <- fmt.Sprint(status, " ", body, " ", err)
	}()
	select {
	case <-c.asked:
	case got := <-outcome:
		t.Fatalf("the request did not wait for the chain: %s", got)
	case <-time.After(patience):
		t.Fatal("the chain was never asked")
	}
	return outcome
}

func TestRequestsFinishAfterSIGTERM(t *testing.T) {
	t.Parallel()
	chain := newSlowChain(t)
	p := start(t, []string{"ATELIER_CHAINS_BASE_RPC_URL=" + chain.URL, "ATELIER_SHUTDOWN_DELAY=50ms"}, "--data", "d")
	outcome := chain.read(t, p)
	p.signal(t, syscall.SIGTERM)
	p.drains(t)
	close(chain.answer)
	if got := <-outcome; !strings.HasPrefix(got, "200 ") {
		t.Errorf("the request under way: got %s, want 200", got)
	}
	p.exits(t, 0)
}

func TestUnfinishedRequestsAreAborted(t *testing.T) {
	t.Parallel()
	chain := newSlowChain(t)
	p := start(t, []string{
		"ATELIER_CHAINS_BASE_RPC_URL=" + chain.URL, "ATELIER_SHUTDOWN_GRACE=200ms", "ATELIER_LOG_FORMAT=json",
	}, "--data", "d")
	outcome := chain.read(t, p)
	asked := time.Now()
	p.signal(t, syscall.SIGINT)
	p.exits(t, 0)
	if took := time.Since(asked); took < 200*time.Millisecond {
		t.Errorf("it ended after %v, before the grace period was over", took)
	}
	if got := <-outcome; strings.HasPrefix(got, "200 ") {
		t.Errorf("the aborted request: got %s", got)
	}
	for line := range strings.Lines(p.stderr.String()) {
		var entry struct{ Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Msg == "" {
			t.Errorf("not a line of a JSON log: %q", line)
		}
	}
	if !strings.Contains(p.stderr.String(), "unfinished requests aborted") {
		t.Errorf("the log does not mention it:\n%s", &p.stderr)
	}
}

// After the first signal the server is not ready, so that load balancers send no
// more requests, but requests that arrive are served. The second signal ends the
// process.
func TestReadinessAndTheSecondSignal(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"ATELIER_SHUTDOWN_DELAY=10m", "ATELIER_SHUTDOWN_GRACE=20m"}, "--data", "d")
	p.wants(t, "/readyz", "", http.StatusOK)
	p.signal(t, syscall.SIGTERM)
	p.drains(t)
	if body := p.wants(t, "/readyz", "", http.StatusServiceUnavailable); !strings.Contains(body, "shutting down") {
		t.Errorf("/readyz does not say why: %s", body)
	}
	p.wants(t, "/healthz", "", http.StatusOK)
	p.wants(t, "/v2/account/me", p.Key, http.StatusOK)
	p.signal(t, syscall.SIGTERM)
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	if status := p.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("got %v, want the end by SIGTERM", p.ProcessState)
	}
}

// A trace collector that does not answer does not make the command fail.
func TestEndWithAnUnavailableCollector(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p := start(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + silent.Addr().String()}, "--data", "d")
	p.wants(t, "/v2/account/me", p.Key, http.StatusOK)
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(p.stderr.String(), "trace export failed at shutdown") {
		t.Errorf("the log does not mention it:\n%s", &p.stderr)
	}
}

func TestAccountsSurviveSIGKILL(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, nil, "--data", data)
	var out, errs strings.Builder
	if code := run([]string{"account", "create", "--wallet", "0xann", "--data", data}, &out, &errs); code != 0 {
		t.Fatalf("account create: exit code %d: %s", code, &errs)
	}
	out.Reset()
	if code := run([]string{"key", "create", "0xann", "--data", data}, &out, &errs); code != 0 {
		t.Fatalf("key create: exit code %d: %s", code, &errs)
	}
	p.kill()
	again := start(t, nil, "--data", data)
	if again.Key != "" {
		t.Error("a key was shown again")
	}
	again.wants(t, "/v2/account/me", p.Key, http.StatusOK)
	again.wants(t, "/v2/account/me", strings.TrimSpace(out.String()), http.StatusOK)
}

// The sign-in page has the command that the start has printed, and only a browser on this machine gets its paths.
func TestKeyCommandOfTheSignInPage(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "--data", filepath.Join(t.TempDir(), "my data"))
	for _, tc := range []struct {
		host, forwarded string
		isHere          bool
	}{{"", "", true}, {"", "192.0.2.1", false}, {"atelier.example", "", false}} {
		r, err := http.NewRequest(http.MethodGet, p.URL+"/console/key-command.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tc.host
		if tc.forwarded != "" {
			r.Header.Set("X-Forwarded-For", tc.forwarded)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		isPrinted := strings.Contains(p.stdout.String(), "create another one:\n\n  "+string(got)+"\n")
		if err != nil || isPrinted != tc.isHere || !tc.isHere && string(got) != "atelier key create local" {
			t.Errorf("%+v: %q, %v", tc, got, err)
		}
	}
}

func TestDataIsPrivate(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "a", "data")
	start(t, nil, "--data", data)
	for name, want := range map[string]os.FileMode{"": 0o700, "media": 0o700, "session.key": 0o600} {
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("data directory, %q: got %v, want %v", name, got, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(data, "session.key.*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestStartsThatFail(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "short")
	if err := os.MkdirAll(short, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(short, "session.key"), []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := "ATELIER_SESSION_SECRET=0123456789abcdef"
	for _, c := range []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"port in use", nil, []string{"--listen", taken.Addr().String()}, "listen: listen tcp " + taken.Addr().String()},
		{"data in a file", nil, []string{"--data", file}, "data_dir: mkdir " + file},
		{"data below a file", []string{secret}, []string{"--data", filepath.Join(file, "data")}, "data_dir: mkdir " + file},
		{"broken secret", nil, []string{"--data", short}, "session.key holds no secret: remove the file"},
		{"no database", []string{"ATELIER_DATABASE_URL=postgres://ann:hunter2@localhost:1/atelier"}, nil, "database_url: cannot reach the database: "},
		{"malformed NATS", []string{secret, "ATELIER_NATS_URL=nats://ann:hunter2@[broken"}, nil, "nats_url: "},
		{"NATS without a secret", []string{"ATELIER_NATS_URL=nats://127.0.0.1:1"}, nil, "session_secret: must be set"},
		{"no catalog", nil, []string{"--catalog", file + "-none"}, "catalog"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := launch(t.TempDir(), append(clean(), c.env...), append([]string{"serve", "--listen", "127.0.0.1:0"}, c.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.kill)
			p.exits(t, 1)
			stderr := p.stderr.String()
			if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "atelier: ") || !strings.Contains(stderr, c.want) {
				t.Errorf("got %q, want one line with %q", stderr, c.want)
			}
			if strings.Contains(stderr, "hunter2") {
				t.Errorf("it prints the password: %s", stderr)
			}
			if p.stdout.String() != "" {
				t.Errorf("a start that failed greets: %s", &p.stdout)
			}
		})
	}
}

// A second server on one SQLite file ends at once and says why, whatever the first has done
// with it so far; commands work beside the first. When that is killed, another can start.
func TestOneServerPerFile(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	first := start(t, nil, "--data", data)
	second, err := launch(t.TempDir(), clean(), "serve", "--listen", "127.0.0.1:0", "--data", data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.kill)
	second.exits(t, 1)
	want := "atelier: data_dir: another server uses " + filepath.Join(data, "atelier.db") +
		": stop it, or give this one its own data_dir; several servers can share a PostgreSQL (database_url)\n"
	if got := second.stderr.String(); got != want {
		t.Errorf("the second server says %q, want %q", got, want)
	}
	var out, errs strings.Builder
	if code := run([]string{"account", "create", "--username", "ann", "--data", data}, &out, &errs); code != 0 {
		t.Errorf("account create beside the server: %s", &errs)
	}
	first.wants(t, "/readyz", "", http.StatusOK)
	first.kill()
	third := start(t, nil, "--data", data)
	third.wants(t, "/readyz", "", http.StatusOK)
}

// The link that a start prints signs in to the console, once; so does that of the next
// start.
func TestConsoleLink(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for range 2 {
		p := start(t, nil, "--data", data)
		address, code, _ := strings.Cut(p.Link, "#code=")
		if address != p.URL+"/" || len(code) < 20 {
			t.Fatalf("the link is %q, want one at %s", p.Link, p.URL)
		}
		for _, want := range []int{http.StatusCreated, http.StatusUnauthorized} {
			resp, err := http.Post(p.URL+"/v1/console/sessions", "application/json", strings.NewReader(`{"code": "`+code+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != want || want == http.StatusCreated && !strings.Contains(string(body), `"username":"local"`) {
				t.Errorf("got %d %s, want %d", resp.StatusCode, body, want)
			}
		}
		if strings.Contains(p.stderr.String(), code) {
			t.Errorf("the log has the code:\n%s", &p.stderr)
		}
		if err := p.stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// A start that cannot listen has not used up the greeting with the key.
func TestFirstKeyWaitsForTheFirstStart(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	data := filepath.Join(t.TempDir(), "data")
	p, err := launch(t.TempDir(), clean(), "serve", "--data", data, "--listen", taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.exits(t, 1)
	again := start(t, nil, "--data", data)
	again.wants(t, "/v2/account/me", again.Key, http.StatusOK)
}

// A signal ends a process that waits for its database, and that is not a failure.
func TestStartIsInterrupted(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p, err := launch(t.TempDir(), append(clean(), "ATELIER_DATABASE_URL=postgres://ann@"+silent.Addr().String()+"/atelier?sslmode=disable"), "serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p.signal(t, syscall.SIGTERM)
	p.exits(t, 0)
	if got := p.stderr.String() + p.stdout.String(); got != "" {
		t.Errorf("it says %q", got)
	}
}

// The data directory belongs to another user and cannot be written.
func TestUnwritableDataDirectory(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.Chmod(filepath.Dir(data), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(data, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(data, 0o755) })
	for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"account", "create"}} {
		for _, env := range [][]string{nil, {"ATELIER_SESSION_SECRET=0123456789abcdef"}} {
			p, err := launchAsNobody(data, append(clean(), env...), append(args, "--data", data)...)
			if err != nil {
				t.Skipf("left out: cannot run as another user: %v", err)
			}
			t.Cleanup(p.kill)
			p.exits(t, 1)
			if stderr := p.stderr.String(); !strings.HasPrefix(stderr, "atelier: data_dir: ") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%v: got %q, want one line about data_dir", args, stderr)
			}
		}
	}
}

// launchAsNobody runs atelier as an ordinary user. Under root that is the user
// "nobody", who cannot reach the program by its path.
func launchAsNobody(dir string, env []string, args ...string) (*process, error) {
	cmd := exec.Command("atelier", args...)
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.Path = "/proc/self/exe"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return launchCommand(cmd, dir, env)
}

// What is found on the machine at the first start is offered with the command that connects it.
func TestOffers(t *testing.T) {
	t.Parallel()
	text := offers([]apitype.FoundServer{
		{Kind: apitype.ConnectionLLM, Program: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []apitype.FoundModel{{ID: "a"}, {ID: "b"}}},
		{Kind: apitype.ConnectionComfyUI, Program: "ComfyUI", BaseURL: "http://127.0.0.1:8188", Models: []apitype.FoundModel{{ID: "a"}}},
		{Kind: apitype.ConnectionLLM, Program: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Connected: true},
	}, " --data d")
	for _, want := range []string{
		"  Ollama at http://127.0.0.1:11434/v1, with 2 models\n", " connect llm http://127.0.0.1:11434/v1 --data d\n",
		"  ComfyUI at http://127.0.0.1:8188, with 1 model\n", " connect comfyui http://127.0.0.1:8188 --data d\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "vLLM") {
		t.Errorf("it offers what is connected:\n%s", text)
	}
	if text := offers(nil, ""); text != "" {
		t.Errorf("nothing was found, and it says %q", text)
	}
}
