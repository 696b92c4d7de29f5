package hostile_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest/hostile"
)

func TestMain(m *testing.M) {
	hostile.Main()
	os.Exit(m.Run())
}

// Twenty accounts without a cent attack for as long as ATELIER_TEST_HOSTILE says; the
// requests of an honest one all succeed, and the server stays small.
func TestHostileTenants(t *testing.T) {
	given := os.Getenv("ATELIER_TEST_HOSTILE")
	if given == "" {
		t.Skip("left out: make check runs it alone, with ATELIER_TEST_HOSTILE=1m")
	}
	last, err := time.ParseDuration(given)
	if err != nil {
		t.Fatalf("ATELIER_TEST_HOSTILE: %v", err)
	}
	program := os.Getenv("ATELIER_TEST_PROGRAM")
	if program == "" {
		program = filepath.Join(t.TempDir(), "atelier")
		build := exec.Command("go", "build", "-o", program, "github.com/atelier-project/atelier/cmd/atelier")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	}
	data := filepath.Join(t.TempDir(), "data")
	serve := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--data", data)
	serve.Env = append(os.Environ(), "ATELIER_LIMITS_ACCOUNT_READS_PER_MINUTE=6000", "ATELIER_LIMITS_MEDIA_URLS_PER_MINUTE=1200",
		"ATELIER_LIMITS_WORKFLOW_STARTS_PER_MINUTE=240")
	serve.Stderr = os.Stderr
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		if err := serve.Wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	o := hostile.Options{
		PID: serve.Process.Pid, Quiet: min(last/2, 2*time.Minute), Attack: last,
		Command: []string{os.Args[0]},
	}
	greeting := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	for lines := bufio.NewScanner(out); o.URL == "" && lines.Scan(); {
		o.URL = greeting.FindString(lines.Text())
	}
	go func() { _, _ = bufio.NewReader(out).WriteTo(os.Stderr) }()
	account := func(args ...string) string {
		out, err := exec.Command(program, append([]string{"account", "create", "--json", "--data", data}, args...)...).Output()
		var made struct{ APIKey string }
		if err == nil {
			err = json.Unmarshal(out, &made)
		}
		if err != nil {
			t.Fatalf("account create: %v", err)
		}
		return made.APIKey
	}
	o.Honest = account("--spark", "10000")
	for range 20 {
		o.Attackers = append(o.Attackers, account())
	}
	measure(t, o)
}

// measure runs the attack and looks at what the honest account saw. How much longer its
// requests take is printed: it depends on what else the machine does, and make bench
// records it.
func measure(t *testing.T, o hostile.Options) {
	t.Helper()
	report, err := hostile.Run(t.Context(), o)
	t.Logf("\n%s", report)
	if err != nil {
		t.Fatal(err)
	}
	for kind, s := range report.Kinds {
		if len(s.Failed) > 0 {
			t.Errorf("%s: %d honest requests failed, the first: %s", kind, len(s.Failed), s.Failed[0])
		}
	}
	if report.Server > hostile.MaxMemory {
		t.Errorf("the server grew to %d MB, want at most %d", report.Server>>20, hostile.MaxMemory>>20)
	}
}
