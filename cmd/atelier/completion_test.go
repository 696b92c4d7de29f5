//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// candidates are what commands, flags and values complete to, in every shell.
var candidates = []struct {
	line string
	want []string
}{
	{"gener", []string{"generate"}},
	{"workflow re", []string{"resume", "reseed", "remake"}},
	{"generate ", []string{"image", "video", "music", "speech", "3d"}},
	{"generate image --inl", []string{"--inline"}},
	{"generate --inline al", []string{"always"}},
	{"generate --inline=al", []string{"--inline=always"}},
	{"workflow list --status can", []string{"cancelled"}},
	{"workflow list --api-key x --st", []string{"--status"}},
	{"completion ", []string{"bash", "zsh", "fish"}},
	{"models --type ", []string{"image", "video", "audio", "text", "model", "llm"}},
	{"account plan ann --pl", []string{"--plan"}},
	{"account plan --plan unlimited-", []string{"unlimited-pro"}},
	{"generate image -- --inl", nil},
	{"__comp", nil},
}

// bash asks the program for candidates, and gets the values alone where it takes words apart.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	for _, c := range candidates {
		out, err := inShell(t, "bash", c.line, `
source <(atelier completion bash)
read -ra COMP_WORDS <<< "$LINE"
[[ "$LINE" == *" " ]] && COMP_WORDS+=("")
if [[ "$LINE" == *=* ]]; then
    last="${COMP_WORDS[-1]}"
    unset "COMP_WORDS[-1]"
    COMP_WORDS+=("${last%%=*}" = "${last#*=}")
fi
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_atelier
[[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
complete -p atelier >&2
`)
		want := slices.Clone(c.want)
		for i := range want {
			want[i] = want[i][strings.Index(want[i], "=")+1:]
		}
		if got := strings.Fields(out); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q; %v", c.line, got, want, err)
		}
	}
}

// fish itself says what it completes a line to. It sorts, and offers files where there is nothing else.
func TestCompletionInFish(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("bash is enough for a short run")
	}
	needs(t, "fish")
	for _, c := range candidates {
		out, err := inShell(t, "fish", c.line, `
atelier completion fish | source
complete --do-complete "$LINE"
`)
		var got []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		want := slices.Sorted(slices.Values(c.want))
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q; %v", c.line, got, want, err)
		}
	}
}

// zsh completes what is typed at a terminal.
func TestCompletionInZsh(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("bash is enough for a short run")
	}
	needs(t, "zsh")
	out, err := inShell(t, "zsh", "", `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -D -u; source <(atelier completion zsh); echo rea''dy"
zpty -r shell seen "*ready*"
for typed in "atelier gener" "atelier workflow list --status can" "atelier generate --inline=al"; do
    zpty -w -n shell "$typed"$'\t'
    zpty -r shell seen "*$typed*(ate|celled|ways)*"
    print -r -- "completed: ${seen##*$'\n'}"
    zpty -w shell $'\x15'
done
zpty -d shell
`)
	if got := strings.Count(out, "completed:"); err != nil || got != 3 {
		t.Errorf("completed %d lines, want 3; %v\n%s", got, err, out)
	}
}

// inShell runs a script in a shell, with atelier on its PATH, in an empty directory.
func inShell(t *testing.T, shell, line, script string) (string, error) {
	t.Helper()
	program, err := exec.LookPath("atelier")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), shell, "-c", script)
	cmd.Dir = dir
	cmd.Env = append(clean(), "LINE=atelier "+line, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "TERM=dumb",
		"PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.Output()
	return string(out), err
}
