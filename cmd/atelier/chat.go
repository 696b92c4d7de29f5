package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/mint"
)

// chatCommand is atelier chat.
type chatCommand struct {
	service
	Message    prompt   `arg:"" optional:"" help:"What to ask for. Without it, each line of standard input is a message of one conversation."`
	Output     text     `help:"Directory for the media that is made. Default: the current one." short:"o" placeholder:"DIR" xor:"save,json"`
	NoSave     bool     `help:"Print the URLs of media and save nothing." xor:"save"`
	Model      string   `help:"The language model; default: the service's." placeholder:"NAME"`
	Tier       *string  `help:"Quality of media for which no model is named: ${enum}." enum:"fast,hq,pro" placeholder:"TIER"`
	System     text     `help:"Instructions for the model." placeholder:"TEXT" xor:"begin"`
	Image      []string `help:"A picture to work with: a URL or a file. Can be repeated." placeholder:"URL" sep:"none"`
	Token      *string  `help:"The token that pays: ${enum}." enum:"auto,spark,svc" placeholder:"TOKEN"`
	Unfiltered bool     `help:"Turn the content filter off. The account must be allowed to."`
	Confirm    bool     `help:"Show what media would cost, and ask before it is made."`
	Yes        bool     `help:"Approve every cost without asking."`
	Resume     text     `help:"Follow this run first, from its beginning: one that was left, or that waits for an answer." placeholder:"RUN" xor:"begin"`
	JSON       bool     `help:"Print events as JSON, one on each line, and save nothing." name:"json" xor:"json"`
}

// Run holds a conversation: each message is a chat run, which lives on in the service when
// this command ends.
func (q *chatCommand) Run(ctx context.Context, t terminal) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	service, err := q.connect()
	if err != nil {
		return err
	}
	talk := newConversation(q, service, t)
	if err := talk.checkDirectory(); err != nil {
		return err
	}
	if err := talk.addImages(ctx); err != nil {
		return err
	}
	if q.Resume != "" {
		err := talk.resume(ctx, string(q.Resume))
		if err != nil || q.Message == "" && !talk.isTerminal {
			return err
		}
	}
	if q.Message != "" {
		return talk.say(ctx, string(q.Message))
	}
	return talk.readMessages(ctx)
}

// conversation is a sequence of chat runs. Each one is started with the messages and the
// media of the one before.
type conversation struct {
	*chatCommand
	terminal
	client     *client.Client
	bar        *bar
	isTerminal bool   // a user can be asked
	directory  string // where media is saved
	lines      *lineReader
	next       client.RunStart // the next run, without its message
}

func newConversation(q *chatCommand, service *client.Client, t terminal) *conversation {
	c := &conversation{chatCommand: q, terminal: t, client: service, bar: newBar(t.err), lines: &lineReader{in: t.in}}
	c.isTerminal = !q.JSON && isTerminal(t.in)
	c.next = client.RunStart{SessionID: mint.UUID()}
	if q.System != "" {
		c.next.Messages = []apitype.RunMessage{{Role: "system", Content: string(q.System)}}
	}
	c.applyFlags()
	return c
}

// applyFlags lets the flags that were given decide about the next run.
func (t *conversation) applyFlags() {
	t.next.Model = cmp.Or(t.Model, t.next.Model)
	if t.Token != nil {
		t.next.TokenType = atelier.TokenChoice(*t.Token)
	}
	if t.Tier != nil {
		t.next.Config.QualityTier = *t.Tier
	}
	t.next.Config.RequireJobConfirmation = t.Confirm || t.next.Config.RequireJobConfirmation
	if t.Unfiltered {
		t.next.Config.SafeContentFilter = new(bool)
	}
}

// checkDirectory finds the directory for media, and fails when nothing can be saved there: it
// is called before anything is paid for.
func (t *conversation) checkDirectory() error {
	if !t.saves() {
		return nil
	}
	given := string(t.Output)
	if given != "" {
		given += string(filepath.Separator)
	}
	example, err := newTarget(given, "image", []string{"png"})
	t.directory = filepath.Dir(example.name)
	return err
}

// addImages adds the pictures of the command line to the first message. Files are uploaded.
func (t *conversation) addImages(ctx context.Context) error {
	for _, image := range t.Image {
		if !strings.Contains(image, "://") {
			link, err := uploadPicture(ctx, t.client, image)
			switch {
			case ctx.Err() != nil:
				return interrupted(ctx, "no run was started")
			case err != nil:
				return t.URL.explainFlags(err)
			}
			image = link
		}
		t.next.Media = append(t.next.Media, client.Media{Kind: "image", URL: image})
	}
	return nil
}

// readMessages makes each line of the input a message. At a terminal the conversation
// continues after a run that failed; elsewhere the lines that follow may depend on it.
func (t *conversation) readMessages(ctx context.Context) error {
	for {
		line, err := t.ask(ctx, "> ")
		switch {
		case ctx.Err() != nil:
			return interrupted(ctx, "no run is under way")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read standard input: %w", err)
		case strings.TrimSpace(line) == "":
			continue
		}
		err = t.say(ctx, line)
		var exit exitError
		if err != nil && (!t.isTerminal || errors.As(err, &exit)) {
			return err
		}
		if err != nil {
			fmt.Fprintln(t.err, "atelier:", oneLine(err))
		}
	}
}

// ask reads a line of the input, after a question where a user can read it.
func (t *conversation) ask(ctx context.Context, question string) (string, error) {
	if t.isTerminal {
		t.bar.clear()
		fmt.Fprint(t.err, question)
	}
	line, err := t.lines.read(ctx)
	if err != nil && t.isTerminal {
		fmt.Fprintln(t.err) // the line of the question has not ended
	}
	return line, err
}

// agrees asks the user a question. The error says that the user has not answered.
func (t *conversation) agrees(ctx context.Context, question string) (bool, error) {
	line, err := t.ask(ctx, question+" [y/N] ")
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line))), err
}

// say starts a run with a message, and follows it. A signal does not interrupt the start: it
// would be unknown whether there is a run.
func (t *conversation) say(ctx context.Context, message string) error {
	start := t.next
	start.Messages = append(slices.Clip(start.Messages), apitype.RunMessage{Role: "user", Content: message})
	last, cancel := lastMoment(ctx)
	defer cancel()
	started, err := t.client.StartRun(last, start)
	switch {
	case err != nil && ctx.Err() != nil:
		return interrupted(ctx, "the service did not confirm that the run started")
	case err != nil:
		return t.URL.explainFlags(err)
	}
	t.next.Media = nil // from now on in the media context
	return t.follow(ctx, started.RunID)
}

// resume follows a run that was started earlier. The conversation continues from it, with its
// settings where no flag says otherwise.
func (t *conversation) resume(ctx context.Context, id string) error {
	found, err := t.client.Run(ctx, id)
	switch {
	case client.Is(err, http.StatusNotFound):
		return fmt.Errorf("--resume: this account has no chat run %s", id)
	case err != nil:
		return t.URL.explainFlags(err)
	}
	before := found.Request.Messages
	t.next.Messages = before[:max(0, len(before)-1)]
	t.next.Model, t.next.TokenType = found.Request.Model, found.Scope.TokenType
	t.next.SessionID = cmp.Or(found.Request.SessionID, t.next.SessionID)
	settings, err := json.Marshal(found.Request.RuntimeConfig)
	if err == nil {
		err = json.Unmarshal(settings, &t.next.Config)
	}
	if err != nil {
		return err
	}
	t.applyFlags()
	return t.follow(ctx, found.RunID)
}

// remember lets the conversation go on from a run that is over. A message without an answer is
// left out: the model would answer it later.
func (t *conversation) remember(r apitype.Run) {
	if r.Status == atelier.StatusCompleted || r.Status == atelier.StatusPartialFailure && r.Error == nil {
		t.next.Messages = r.Messages
	}
	t.next.MediaContext = r.MediaContext
}

// lineReader reads lines in the background, so that a signal can interrupt the wait for one.
type lineReader struct {
	in    io.Reader
	lines chan string // nil until the first read
	err   error       // set before lines is closed
}

// maxLine is the longest line in bytes.
const maxLine = 1 << 20

func (r *lineReader) read(ctx context.Context) (string, error) {
	if r.lines == nil {
		r.lines = make(chan string)
		go func() {
			defer close(r.lines)
			scan := bufio.NewScanner(r.in)
			scan.Buffer(nil, maxLine)
			for scan.Scan() {
				r.lines <- scan.Text()
			}
			r.err = cmp.Or(scan.Err(), io.EOF)
		}()
	}
	select {
	case line, ok := <-r.lines:
		if !ok {
			return "", r.err
		}
		return line, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
