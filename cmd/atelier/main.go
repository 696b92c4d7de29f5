// Command atelier is the whole service in one binary: the server, and the
// commands with which an operator runs it.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/worker/child"
)

// version is set by the release build; other builds report their commit.
var version = ""

func main() {
	if child.IsChild(os.Args) {
		os.Exit(child.Main(node.ChildRenderer{}))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// cli is every command.
type cli struct {
	Serve    serveCommand    `cmd:"" help:"Run the whole service."`
	Health   healthCommand   `cmd:"" help:"Ask whether a node is ready: exit code 0 if so, 1 with the reason if not."`
	Account  accountCommand  `cmd:"" help:"Accounts: create, list, show, credit, plan, operator, suspend, reinstate."`
	Key      keyCommand      `cmd:"" help:"API keys: create, list, revoke."`
	Token    tokenCommand    `cmd:"" help:"Session tokens: create."`
	Connect  connectCommand  `cmd:"" help:"Language models, ComfyUI, vendors: connect, list, test, remove, discover."`
	Ledger   ledgerCommand   `cmd:"" help:"The ledger: verify, usage."`
	Actions  actionsCommand  `cmd:"" help:"What operators did, and accounts with their keys and sessions, newest first."`
	Usage    usageCommand    `cmd:"" help:"What accounts used, by day, model, application or account."`
	Earnings earningsCommand `cmd:"" help:"What workers earn: close, claim."`
	Fleet    fleetCommand    `cmd:"" help:"Workers, spot checks and unresolved jobs: list, drain, spot-checks, unresolved, resolve."`
	Lora     loraCommand     `cmd:"" help:"Personal LoRAs of all accounts: list, show, review, revoke."`
	Storage  storageCommand  `cmd:"" help:"The media storage: sweep, restore, adopt."`
	Backup   backupCommand   `cmd:"" help:"Save database, media and secret into a directory, also while servers are running."`
	Restore  restoreCommand  `cmd:"" help:"Copy a backup into an empty installation, on any database and storage."`
	Copy     copyCommand     `cmd:"" help:"Move an installation to another database, another storage or both."`
	Workflow workflowCommand `cmd:"" help:"Workflows: start, list, show, watch, cancel, resume, reseed, remake, approve."`
	Template templateCommand `cmd:"" help:"Templates: list, show, run; publish and withdraw public ones."`
	Models   modelsCommand   `cmd:"" help:"Models: list, pull the files of their weights."`
	Tools    toolsCommand    `cmd:"" help:"List the tools of workflow steps, or show one with its arguments, models and prices."`
	Config   configCommand   `cmd:"" help:"The configuration: check, print."`
	Doctor   doctorCommand   `cmd:"" help:"Examine an installation: database, storage, NATS, model servers, ComfyUI, vendors, clock, disk."`
	Chat     chatCommand     `cmd:"" help:"Talk to a language model that makes media: one message, or a conversation."`
	Graph    graphCommand    `cmd:"" help:"Graphs of ComfyUI: import a workflow as a model."`
	Generate generateCommand `cmd:"" help:"Make one piece of media: an image, a video, music, speech or a 3D model."`
	MCP      mcpCommand      `cmd:"" name:"mcp" help:"Serve the Model Context Protocol on standard input and output, for a service."`
	Worker   workerCommand   `cmd:"" help:"Run a worker for a service on another machine."`
	Login    loginCommand    `cmd:"" help:"Store the address of a service and an API key, so that other commands need not be told."`
	Logout   logoutCommand   `cmd:"" help:"Forget a stored address and API key."`

	Completion completionCommand `cmd:"" help:"Print a script that completes commands, flags and their values: for bash, zsh or fish."`
	Complete   completeCommand   `cmd:"" name:"__complete" hidden:""`

	Version kong.VersionFlag `help:"Print the version and quit."`
}

// terminal is where a command reads and writes.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// run runs one command line and returns the exit code: 0 for success, 1 for a failure, 2
// for a wrong command line, 130 after Ctrl-C.
func run(args []string, out, errs io.Writer) int {
	code := -1
	var commands cli
	parser, err := kong.New(&commands, kong.Name("atelier"),
		kong.Description("A self-hosted creative generation service: one API over your own GPUs and language models."),
		kong.Vars{"version": versionText(), "statuses": strings.Join(atelier.SubscriptionNone.Values(), ", ")}, kong.Writers(out, errs),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Exit(func(c int) { code = c }))
	if err != nil {
		fmt.Fprintln(errs, "atelier:", err)
		return 2
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if code >= 0 { // --help and --version are done
		return code
	}
	if err != nil {
		text := oneLine(err)
		if !strings.HasSuffix(text, "...") { // a list that is cut short keeps its dots
			text = strings.TrimSuffix(text, ".")
		}
		fmt.Fprintf(errs, "atelier: %s%s (see %s --help)\n", text, hint(text, misread(err)), misread(err))
		return 2
	}
	parsed.BindTo(context.Background(), (*context.Context)(nil))
	parsed.Bind(terminal{os.Stdin, out, errs})
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(errs, "atelier:", oneLine(err))
		var exit exitError
		if errors.As(err, &exit) {
			return exit.code
		}
		return 1
	}
	return 0
}

// hint says how to correct common mistakes.
func hint(text, command string) string {
	switch {
	case strings.HasPrefix(text, "unexpected argument") && (command == "atelier generate" || command == "atelier chat"):
		return ": put the prompt in quotes"
	}
	return ""
}

// misread names the command whose arguments were wrong.
func misread(err error) string {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if command := parse.Context.Selected(); command != nil {
			return command.FullPath()
		}
	}
	return "atelier"
}

// noValue is the parser's message for a command line that ends after a flag.
var noValue = regexp.MustCompile(`expected \w+ value but got "EOL" \(<EOL>\)`)

// oneLine is an error on one line. Some have several: a database with several addresses
// has a line for each.
func oneLine(err error) string {
	var out strings.Builder
	for line := range strings.Lines(noValue.ReplaceAllString(err.Error(), "needs a value")) {
		line = strings.TrimSpace(line)
		switch {
		case out.Len() == 0 || line == "":
		case strings.HasSuffix(out.String(), ":"):
			out.WriteString(" ")
		default:
			out.WriteString("; ")
		}
		out.WriteString(line)
	}
	return printable(out.String()) // servers have written parts of it
}

func versionText() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(version, info)
}

// versionOf is the version of a release, or the commit that the program was built from, as
// far as Go recorded it.
func versionOf(release string, info *debug.BuildInfo) string {
	if release != "" {
		return release
	}
	if info == nil {
		return "(devel)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	switch {
	case len(commit) < 12: // an installed module, or sources without their repository
		return cmp.Or(info.Main.Version, "(devel)")
	case settings["vcs.modified"] == "true":
		return "dev-" + commit[:12] + "+dirty"
	}
	return "dev-" + commit[:12]
}
