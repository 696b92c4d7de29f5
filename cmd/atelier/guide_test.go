//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// inBin makes a directory with this program as bin/atelier, as a checkout has
// it after make run.
func inBin(t *testing.T) (dir string) {
	t.Helper()
	program, err := exec.LookPath("atelier")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "bin", "atelier")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startInBin runs ./bin/atelier serve on a free port, in its directory. The clips that
// it makes are small.
func startInBin(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	catalog, err := filepath.Abs("../../internal/ateliertest/small")
	if err != nil {
		t.Fatal(err)
	}
	p, err := launchServerAs("./bin/atelier", dir, append(clean(), "ATELIER_CATALOG_DIR="+catalog), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// shell runs commands in a directory, with no atelier on the PATH.
func shell(t *testing.T, dir string, env []string, commands string) (out string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", "set -euo pipefail\n"+commands)
	cmd.Dir, cmd.Env = dir, append(clean(), env...)
	var path []string
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(d, "atelier")); err != nil {
			path = append(path, d)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+strings.Join(path, string(filepath.ListSeparator)))
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// needs skips a test where programs are missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI=true: %s is not on the PATH", p)
		}
		t.Skipf("left out: %s is not on the PATH", p)
	}
}

var (
	shellBlock   = regexp.MustCompile("(?s)```sh\n(.*?)```")
	programBlock = regexp.MustCompile("(?s)```python\n(# (\\w+\\.py)\n.*?)```") // it begins with its name
)

// Every command of the README and of the first steps works as described, in their
// order, in a directory with bin/atelier and a new server.
//
//atelier:norace
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	worktest.NeedExhaustive(t)
	needs(t, "bash", "curl", "jq", "python3")
	for _, c := range []struct {
		file    string
		files   []string // what they make
		refused int      // how many answers must be errors
		sites   bool     // they import LoRAs, by links to the hosting sites, and upload one
	}{
		{"README.md", []string{"fox.png", "boat.mp4", "piano.wav"}, 0, false},
		{"docs/guides/first-steps.md", []string{"fox.png", "boat.mp4", "piano.wav", "lighthouse.jpg", "morning.flac", "apple.glb", "fox.mp4", "paper.png", "fox-8.png",
			"image.png", "image-2.png", "fox-again.png", "evening.mp4", "song.wav"}, 1, false},
		{"docs/guides/command-line.md", []string{"fox.png", "fox-2.png", "image.png", "image-2.png"}, 0, false},
		{"docs/guides/runs.md", []string{"lighthouse.mp4"}, 0, false},
		{"docs/guides/keys.md", nil, 0, false},
		{"docs/guides/people.md", nil, 0, false},
		{"docs/guides/operator.md", nil, 0, false},
		{"docs/guides/library.md", []string{"fox.png", "owl.png"}, 0, false},
		{"docs/guides/webhooks.md", nil, 0, false},
		{"docs/guides/own-model.md", nil, 0, false},
		{"docs/guides/grow.md", nil, 0, false},
		{"docs/guides/secure.md", nil, 0, false},
		{"docs/guides/write-a-client.md", []string{"fox.png", "poster.png"}, 0, false},
		{"docs/guides/loras.md", []string{"fox.png", "civet.png"}, 0, true},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(c.file)))
			if err != nil {
				t.Fatal(err)
			}
			dir := inBin(t)
			var args []string
			if c.sites {
				_, config, stop := startSites()
				t.Cleanup(stop)
				args = []string{"--config", filepath.Join(dir, "sites.yaml")}
				for name, content := range map[string][]byte{args[1]: []byte(config), filepath.Join(dir, "hen.safetensors"): loratest.LoRA{Family: "krea-2", Seed: 2}.File()} {
					if err := os.WriteFile(name, content, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, program := range programBlock.FindAllStringSubmatch(string(text), -1) {
				if err := os.WriteFile(filepath.Join(dir, program[2]), []byte(program[1]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := startInBin(t, dir, args...)
			var commands strings.Builder
			for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
				if strings.Contains(block[1], "make ") || strings.HasPrefix(block[1], "git ") {
					continue // the server runs already
				}
				commands.WriteString(block[1])
			}
			script := regexp.MustCompile(`<the key[^>]*>`).ReplaceAllString(commands.String(), p.Key)
			script = strings.ReplaceAll(script, "http://127.0.0.1:8080", p.URL)
			script = strings.ReplaceAll(script, "http://127.0.0.1:11434", startOllama(t))
			script = strings.ReplaceAll(script, "sleep 10", "sleep 0.1") // the stand-in of the sites is near
			out, err := shell(t, dir, []string{"ATELIER_URL=" + p.URL, "HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, script)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, name := range c.files {
				if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
					t.Errorf("%s: got %v, %v", name, info, err)
				}
			}
			if got := strings.Count(out, `"status":"error"`); got != c.refused {
				t.Errorf("%d answers are errors, want %d", got, c.refused)
			}
			if regexp.MustCompile(`(?m)^null$`).MatchString(out) {
				t.Error("an answer lacks what is read from it")
			}
			for _, m := range regexp.MustCompile(`(?m)http_code.*# (\d+)$`).FindAllStringSubmatch(script, -1) {
				if !regexp.MustCompile(`(?m)^` + m[1] + `$`).MatchString(out) {
					t.Errorf("no answer has the status %s", m[1])
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// Every command for a worker in the guide, the systemd unit and the container file is
// one that the program accepts.
func TestWorkerCommandsOfTheGuide(t *testing.T) {
	t.Parallel()
	words := regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	for file, want := range map[string]int{"docs/guides/own-gpu.md": 11, "deploy/atelier-worker.service": 1, "deploy/worker.Containerfile": 1} {
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "\\\n", " ")
		// The container runs its ENTRYPOINT with the arguments of CMD, or others.
		text = strings.NewReplacer("\"]\nCMD [", " ", "\", \"", " ", "ENTRYPOINT [\"", "", "\"]\n", "\n", "docker run", "atelier worker").Replace(text)
		found := 0
		for _, m := range regexp.MustCompile(`(?m)^(?:ExecStart=)?(?:/usr/local/bin/)?atelier worker (.*)$`).FindAllStringSubmatch(text, -1) {
			found++
			line := strings.TrimSuffix(strings.TrimSpace(m[1]), "…")
			line = regexp.MustCompile(`-e \S+|atelier-worker`).ReplaceAllString(line, "")
			args := []string{"worker", "--api-key", "k"}
			for _, w := range words.FindAllString(line, -1) {
				args = append(args, strings.Trim(w, `'"`))
			}
			var commands cli
			parser, err := kong.New(&commands, kong.Vars{"version": "", "statuses": ""})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(args); err != nil {
				t.Errorf("%s: %s: %v", file, m[1], err)
			}
		}
		if found != want {
			t.Errorf("%s has %d commands, want %d", file, found, want)
		}
	}
}

// The commands that the first start shows can be pasted: they reach this server and
// this database, by the path with which the program was started.
func TestGreetingCanBePasted(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "curl")
	dir := inBin(t)
	p := startInBin(t, dir, "--data", "my data")
	var commands []string
	for line := range strings.Lines(strings.ReplaceAll(p.stdout.String(), "\\\n", "")) {
		if command, ok := strings.CutPrefix(line, "  "); ok && (strings.Contains(command, "curl ") || strings.Contains(command, "bin/atelier ")) {
			commands = append(commands, command)
		}
	}
	if len(commands) != 4 {
		t.Fatalf("got %d commands, want 4:\n%s", len(commands), &p.stdout)
	}
	for _, c := range commands {
		out, err := shell(t, dir, nil, c)
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", c, err, out)
		case strings.Contains(c, "curl") && !strings.Contains(out, `"status":"success"`):
			t.Errorf("%s: got %s", c, out)
		case strings.Contains(c, "key create"):
			p.wants(t, "/v2/account/me", strings.TrimSpace(out), 200)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "fox.png")); err != nil || info.Size() < 1000 {
		t.Errorf("fox.png: got %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "atelier-data")); err == nil {
		t.Error("a second database was made")
	}
}

// A version of Go that is too old is named in the error, and the documents name the
// version that go.mod requires.
func TestGoVersion(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "make")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "docs/guides/first-steps.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`Go\S* ` + regexp.QuoteMeta(want) + ` or newer`).Match(text) {
			t.Errorf("%s does not say that it takes Go %s or newer", name, want)
		}
	}
	for _, c := range []struct{ name, program, want string }{
		{"old", "echo go1.19.8", "atelier needs Go " + want},
		{"local", "echo 'go: go.mod requires go >= 1.26' >&2; exit 1", "atelier needs Go " + want},
		{"enough", "[ $1 = env ] && echo go" + want + ".1 || echo built", "The first time this takes"},
		{"newer", "[ $1 = env ] && echo go9.0 || echo built", "The first time this takes"},
		{"from its repository", "[ $1 = env ] && echo 'devel go9.0-abcdef' || echo built", "The first time this takes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fake := t.TempDir()
			if err := os.WriteFile(filepath.Join(fake, "go"), []byte("#!/bin/sh\n"+c.program+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			out, err := shell(t, root, nil, "export PATH="+fake+":$PATH; make --no-print-directory build")
			lines := strings.Split(strings.TrimSpace(out), "\n")
			if isTooOld := strings.HasPrefix(c.want, "atelier needs"); (err != nil) != isTooOld || !strings.Contains(out, c.want) {
				t.Errorf("got %v and %q, want %q", err, out, c.want)
			} else if !isTooOld && lines[len(lines)-1] != "built" {
				t.Errorf("it says %q after it has compiled", out)
			}
		})
	}
}
