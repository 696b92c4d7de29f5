package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// leaves are all commands, by their words.
func leaves(t *testing.T) map[string]*kong.Node {
	t.Helper()
	parser, err := kong.New(&cli{}, kong.Vars{"version": "", "statuses": ""})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*kong.Node{}
	for _, leaf := range parser.Model.Leaves(false) {
		out[leaf.Path()] = leaf
	}
	return out
}

func hasFlag(node *kong.Node, name string) bool {
	return slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == name })
}

// Every command that prints data prints JSON too.
func TestCommandsPrintJSON(t *testing.T) {
	t.Parallel()
	without := map[string]string{
		"serve": "runs a server", "worker": "runs a worker", "mcp": "speaks a protocol", "completion": "prints a script", "health": "answers with its exit code", "__complete": "speaks to the script",
		"fleet drain": "prints nothing", "fleet resolve": "prints nothing", "template withdraw": "prints nothing",
		"storage adopt": "prints no data", "config check": "prints no data", "logout": "prints no data",
	}
	all := leaves(t)
	for words, leaf := range all {
		_, left := without[words]
		if has := hasFlag(leaf, "json"); has == left {
			t.Errorf("%s: has --json %v, want %v", words, has, !left)
		}
	}
	for words := range without {
		if all[words] == nil {
			t.Errorf("there is no command %s", words)
		}
	}
}

// A wrong --data must not look like an empty installation: only two commands create a database.
func TestCommandsCreateNoDatabase(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(file, []byte("name: x\nstages: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(filepath.Dir(file), "settings.yaml")
	if err := os.WriteFile(settings, []byte("limits: { free_space_bytes: 1 }\n"), 0o600); err != nil { // any disk has that
		t.Fatal(err)
	}
	const noDatabase = "there is no database"
	all := map[string]struct {
		args string // besides the command
		code int
		text string // on stderr
	}{
		"account list": {"", 1, noDatabase}, "account show": {"ann", 1, noDatabase}, "account credit": {"ann --spark 1", 1, noDatabase},
		"account plan": {"ann --plan none", 1, noDatabase}, "account operator": {"ann", 1, noDatabase}, "account nft": {"ann", 1, noDatabase},
		"account suspend": {"ann", 1, noDatabase}, "account reinstate": {"ann", 1, noDatabase}, "actions": {"", 1, noDatabase},
		"account members": {"ann", 1, noDatabase}, "account add-member": {"ann --role viewer", 1, noDatabase},
		"account change-member": {"ann ben --role viewer", 1, noDatabase}, "account remove-member": {"ann ben", 1, noDatabase},
		"key create": {"ann", 1, noDatabase}, "key limit": {"ann 12345678 --none", 1, noDatabase}, "key list": {"ann", 1, noDatabase}, "key revoke": {"12345678", 1, noDatabase},
		"token create": {"ann", 1, noDatabase}, "connect list": {"", 1, noDatabase}, "connect llm": {"http://127.0.0.1:1", 1, noDatabase},
		"connect comfyui": {"http://127.0.0.1:1", 1, noDatabase}, "connect images": {"http://127.0.0.1:1 --models x", 1, noDatabase},
		"connect vendor": {"openai", 1, noDatabase}, "connect lora-source": {"huggingface.co --site huggingface", 1, noDatabase},
		"connect test": {"x", 1, noDatabase}, "connect remove": {"x", 1, noDatabase}, "connect discover": {"", 1, noDatabase},
		"ledger verify": {"", 1, noDatabase}, "ledger usage": {"", 1, noDatabase}, "usage": {"", 1, noDatabase},
		"earnings close": {"", 1, noDatabase}, "earnings claim": {"ann", 1, noDatabase}, "earnings claims": {"", 1, noDatabase},
		"earnings pay": {"x", 1, noDatabase}, "earnings refuse": {"x", 1, noDatabase},
		"fleet list": {"", 1, noDatabase}, "fleet show": {"x", 1, noDatabase}, "fleet drain": {"x", 1, noDatabase}, "fleet spot-checks": {"", 1, noDatabase},
		"fleet unresolved": {"", 1, noDatabase}, "fleet resolve": {"x", 1, noDatabase},
		"lora list": {"", 1, noDatabase}, "lora show": {"x", 1, noDatabase}, "lora review": {"x --reason y", 1, noDatabase}, "lora revoke": {"x", 1, noDatabase},
		"storage sweep": {"", 1, "there is no"}, "storage restore": {"", 1, "there is no"}, "storage adopt": {"", 1, "there is no"},
		"backup": {filepath.Join(filepath.Dir(file), "copy"), 1, "there is no"}, "restore": {filepath.Dir(file), 1, "there is no finished backup"}, "template publish": {file, 1, noDatabase}, "template withdraw": {"x", 1, noDatabase},
		"config check": {"", 0, ""}, "config print": {"", 0, ""}, "doctor": {"--config " + settings, 0, ""},
	}
	creates := []string{"serve", "account create"}
	for words, leaf := range leaves(t) {
		c, listed := all[words]
		switch {
		case !hasFlag(leaf, "data") || slices.Contains(creates, words):
			if listed {
				t.Errorf("%s is listed and works on no database, or creates one", words)
			}
			continue
		case !listed:
			t.Errorf("%s works on a database and is not listed here", words)
			continue
		}
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "nowhere")
			var out, errs strings.Builder
			code := run(slices.Concat(strings.Fields(words), strings.Fields(c.args), []string{"--data", data}), &out, &errs)
			if code != c.code || !strings.Contains(errs.String(), c.text) {
				t.Errorf("got exit code %d and %q, want %d and %q", code, &errs, c.code, c.text)
			}
			if _, err := os.Stat(data); err == nil {
				t.Error("something was created")
			}
		})
	}
}
