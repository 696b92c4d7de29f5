package main

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long anything awaited may take: far longer than it does.
const patience = 2 * time.Minute

// process is a running atelier serve.
type process struct {
	*exec.Cmd
	stdout, stderr output
	exited         chan struct{} // closed when it has ended
	URL            string        // from the greeting
	Key, Wallet    string        // from the greeting; empty when it shows none
	Link           string        // that signs in to the console, from the greeting
}

// launch starts atelier with some arguments and does not wait for anything.
func launch(dir string, env []string, args ...string) (*process, error) {
	return launchCommand(exec.Command("atelier", args...), dir, env)
}

func launchCommand(cmd *exec.Cmd, dir string, env []string) (*process, error) {
	p := &process{Cmd: cmd, exited: make(chan struct{})}
	p.stdout.changed, p.stderr.changed = make(chan struct{}), make(chan struct{})
	p.Dir, p.Env, p.Stdout, p.Stderr = dir, env, &p.stdout, &p.stderr
	if err := p.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.Wait() // ProcessState has the result
		close(p.exited)
	}()
	return p, nil
}

var (
	greetedURL  = regexp.MustCompile(`(?m)^  console  (https?://\S+)/$`)
	greetedLink = regexp.MustCompile(`(?m)^Open the console: (\S+)$`)
	greetedKey  = regexp.MustCompile(`(?ms)^  API key  (\S+)$.*^This key of the new account "local" \((0x[0-9a-f]{40})\)`)
)

// launchServer starts atelier serve on a free port and waits until it is ready.
func launchServer(dir string, env []string, args ...string) (*process, error) {
	return launchServerAs("atelier", dir, env, args...)
}

// launchServerAs starts a server by the path of its program.
func launchServerAs(program, dir string, env []string, args ...string) (*process, error) {
	p, err := launchCommand(exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...), dir, env)
	if err != nil {
		return nil, err
	}
	if err := p.await(&p.stdout, "atelier is ready."); err != nil {
		p.kill()
		return nil, err
	}
	greeting := p.stdout.String()
	if m := greetedURL.FindStringSubmatch(greeting); m != nil {
		p.URL = m[1]
	}
	if m := greetedKey.FindStringSubmatch(greeting); m != nil {
		p.Key, p.Wallet = m[1], m[2]
	}
	if m := greetedLink.FindStringSubmatch(greeting); m != nil {
		p.Link = m[1]
	}
	return p, nil
}

// await waits until an output contains some text.
func (p *process) await(o *output, text string) error {
	late := time.After(patience)
	for {
		output, changed := o.state()
		if strings.Contains(output, text) {
			return nil
		}
		select {
		case <-changed:
		case <-p.exited:
			if strings.Contains(o.String(), text) {
				return nil
			}
			return fmt.Errorf("it ended (%v) and never printed %q; stderr:\n%s", p.ProcessState, text, &p.stderr)
		case <-late:
			return fmt.Errorf("it does not say %q; stdout:\n%s\nstderr:\n%s", text, &p.stdout, &p.stderr)
		}
	}
}

// end waits until the process has ended by itself.
func (p *process) end() error {
	select {
	case <-p.exited:
		return nil
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("it does not end; stderr:\n%s", &p.stderr)
	}
}

// stop asks the process to end, and fails unless it ends with code 0.
func (p *process) stop() error {
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := p.end(); err != nil {
		return err
	}
	if !p.ProcessState.Success() {
		return fmt.Errorf("after SIGTERM: %v; stderr:\n%s", p.ProcessState, &p.stderr)
	}
	return nil
}

// kill ends the process at once. It may have ended before.
func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.exited
}

// get reads a path with a credential.
func get(url, credential string) (status int, body string, err error) {
	return ask(http.MethodGet, url, credential, nil)
}

// post sends a JSON body to a path with a credential.
func post(url, credential, body string) (status int, answer string, err error) {
	return ask(http.MethodPost, url, credential, strings.NewReader(body))
}

func ask(method, url, credential string, body io.Reader) (status int, answer string, err error) {
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		return 0, "", err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if credential != "" {
		req.Header.Set("Authorization", "Bearer "+credential)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// output collects what a process writes, and signals when there is more.
type output struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(b)
}

func (o *output) state() (text string, changed <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.changed
}

func (o *output) String() string {
	text, _ := o.state()
	return text
}
