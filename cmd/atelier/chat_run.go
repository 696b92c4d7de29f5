package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// followed is a run that the command shows.
type followed struct {
	*conversation
	id    atelier.RunID
	texts []string // what the model has written, by round
	live  string   // what is printed of the round that it is writing
	spent spending
	why   string // why this command ended the run
	lost  error  // what could not be saved
}

// follow shows a run until it is over. When the user interrupts, the run continues.
func (t *conversation) follow(ctx context.Context, id atelier.RunID) error {
	r := &followed{conversation: t, id: id}
	reader := *t.client
	reader.Retries = 5 // a node that restarts is back soon
	for n, err := range reader.FollowRun(ctx, string(id), -1) {
		switch {
		case ctx.Err() != nil:
			return r.leave(ctx)
		case err != nil:
			return fmt.Errorf("%w; the run was left as it is: continue with %s", t.URL.explainFlags(err), r.resumeCommand())
		}
		err := r.show(ctx, n)
		if err == nil && n.Status != nil && n.Status.Status == atelier.StatusWaitingForUser {
			err = r.answer(ctx)
		}
		if ctx.Err() != nil {
			return r.leave(ctx)
		}
		if err != nil {
			return err
		}
	}
	ended, err := t.client.Run(ctx, string(id))
	switch {
	case ctx.Err() != nil:
		return r.leave(ctx)
	case err != nil:
		return fmt.Errorf("%w; the run is over: see it with %s", t.URL.explainFlags(err), r.resumeCommand())
	}
	t.remember(ended)
	return errors.Join(r.end(ended), r.lost)
}

// leave is the error of an interrupted command.
func (r *followed) leave(ctx context.Context) error {
	_ = r.endLine()
	r.bar.clear()
	return interrupted(ctx, "the run was left as it is: continue with %s", r.resumeCommand())
}

// resumeCommand is the command that follows the run. It does not contain the key, because
// users copy terminal output into reports.
func (r *followed) resumeCommand() string {
	command := fmt.Sprintf("%s chat --url %s --resume %s", program(), quote(string(r.URL)), r.id)
	if r.Output != "" {
		command += " -o " + quote(string(r.Output))
	}
	return command
}

// show prints one item of the stream.
func (r *followed) show(ctx context.Context, n client.RunUpdate) error {
	if r.JSON {
		return r.printJSON(n)
	}
	switch {
	case n.Text != nil:
		return r.printPiece(n.Text)
	case n.Trimmed != nil:
		r.bar.say("The first events of this run are no longer kept.")
		return nil
	case n.Event == nil:
		return nil
	}
	switch p := n.Event.Payload.(type) {
	case apitype.MessageDelta:
		return r.printText(printable(p.Content))
	case apitype.MessageCompleted:
		return r.endLine()
	case apitype.CallDispatched:
		r.bar.show(0, printable(p.ToolName))
	case apitype.CallProgress:
		r.bar.show(p.Progress, strings.TrimSpace(printable(p.ToolName)+" "+printable(p.StepLabel)))
	case apitype.CallResolved:
		r.showResult(ctx, p)
	case apitype.Spend:
		r.spent.add(p)
	case apitype.RunResumed:
		if p.Reason == "interrupted" {
			r.bar.say("The service was interrupted and continues the run.")
		}
	}
	return nil
}

func (r *followed) printJSON(n client.RunUpdate) error {
	out := json.NewEncoder(r.out)
	out.SetEscapeHTML(false)
	switch {
	case n.Text != nil:
		return nil // the event at the end of the round has it
	case n.Event != nil:
		return out.Encode(n.Event)
	case n.Status != nil:
		return out.Encode(n.Status)
	}
	return out.Encode(n.Trimmed)
}

// printPiece prints what the model has just written.
func (r *followed) printPiece(t *apitype.RunText) error {
	piece := printable(t.Content)
	if rest, isSame := strings.CutPrefix(strings.TrimLeft(piece, " \t\r\n"), r.live); t.IsFirst && r.live != "" && isSame {
		piece = rest // the stream was opened again
	} else if t.IsFirst {
		if err := r.endLine(); err != nil {
			return err
		}
		r.bar.clear()
	}
	if r.live == "" {
		piece = strings.TrimLeft(piece, " \t\r\n")
	}
	r.live += piece
	_, err := fmt.Fprint(r.out, piece)
	return err
}

// endLine ends the line of what the model was writing.
func (r *followed) endLine() error {
	if r.live == "" {
		return nil
	}
	r.live = ""
	_, err := fmt.Fprintln(r.out)
	return err
}

// printText prints the text of a round, or what is missing of it.
func (r *followed) printText(text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	r.texts = append(r.texts, text)
	if r.live != "" {
		rest, isBegun := strings.CutPrefix(text, r.live)
		if strings.TrimSpace(r.live) == text {
			rest, isBegun = "", true
		}
		if isBegun {
			if _, err := fmt.Fprint(r.out, rest); err != nil {
				return err
			}
			return r.endLine()
		}
		if err := r.endLine(); err != nil { // the service has written it differently
			return err
		}
	}
	r.bar.clear()
	_, err := fmt.Fprintln(r.out, text)
	return err
}

// showResult shows the outcome of a call, and saves the media that it has made.
func (r *followed) showResult(ctx context.Context, p apitype.CallResolved) {
	r.bar.clear()
	tool, summary := printable(p.ToolName), printable(p.Summary)
	switch {
	case p.Status == "err":
		r.bar.say(tool + " failed: " + summary)
	case len(p.MediaURLs) > 0 && summary != "":
		r.bar.say(summary)
	}
	for _, m := range p.MediaURLs {
		r.lost = errors.Join(r.lost, r.saveMedia(ctx, tool, m.MediaType, m.URL))
	}
}

// saves reports whether media is saved to files.
func (t *conversation) saves() bool { return !t.NoSave && !t.JSON }

// saveMedia saves a piece of media under the name that generate gives it, and prints the
// name.
func (r *followed) saveMedia(ctx context.Context, tool, kind, link string) error {
	if !r.saves() {
		_, err := fmt.Fprintln(r.out, printable(link))
		return err
	}
	body, _, err := r.client.Download(ctx, link)
	if err == nil {
		_, err = mediaTarget(r.directory, tool, kind, link).saveUntil(ctx, body, r.out)
		err = errors.Join(err, body.Close())
	}
	if err != nil {
		return fmt.Errorf("%w; the result was made but not saved; it is at %s", err, link)
	}
	return nil
}

// end prints what a run has left to say, and returns an error unless it has completed.
func (r *followed) end(ended apitype.Run) error {
	if err := r.endLine(); err != nil {
		return err
	}
	r.bar.clear()
	f := ended.FinalResponse
	declined := f != nil && f.FinishReason == "cancelled"
	if f != nil && !r.JSON && !declined { // the error says that it was declined
		rest := strings.TrimSpace(printable(f.Content)) // a tool may have the last word
		for _, text := range r.texts {
			rest = strings.TrimPrefix(rest, text)
		}
		if err := r.printText(rest); err != nil {
			return err
		}
	}
	if line := r.spent.String(); line != "" { // none with --json
		r.bar.say(line)
	}
	switch {
	case r.why != "" && (declined || ended.Status == atelier.StatusCancelled):
		return errors.New(r.why)
	case ended.Status == atelier.StatusCompleted && declined:
		return errors.New("the cost was declined: the run ended without what it would have paid for")
	case ended.Status == atelier.StatusCompleted:
		return nil
	case ended.Error != nil:
		return errors.New(printable(ended.Error.Message))
	case ended.Status == atelier.StatusCancelled:
		return fmt.Errorf("the run was cancelled (%s)", printable(ended.CancellationReason))
	}
	why := ""
	for _, result := range ended.ToolResults {
		if result.Status == "err" {
			why = ": " + printable(result.Summary)
		}
	}
	return fmt.Errorf("the run ended as %s%s", ended.Status, why)
}

// spending is what the language model has used and cost in a run.
type spending struct {
	seen       map[string]bool // events may come twice
	model      string
	in, out    int
	spark, svc atelier.Money
	byPlan     bool
}

func (s *spending) add(p apitype.Spend) {
	if s.seen[p.EventID] {
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[p.EventID] = true
	s.model = p.ModelName
	s.in, s.out = s.in+p.InputTokens, s.out+p.OutputTokens
	s.spark, s.svc = s.spark+p.CostInSpark, s.svc+p.CostInSvc
	s.byPlan = s.byPlan || p.CoveredByPlan
}

// String is a line about the spending; empty when the model was not used.
func (s *spending) String() string {
	if len(s.seen) == 0 {
		return ""
	}
	var costs []string
	if s.spark > 0 {
		costs = append(costs, short(s.spark)+" Spark")
	}
	if s.svc > 0 {
		costs = append(costs, short(s.svc)+" svc")
	}
	if s.byPlan {
		costs = append(costs, "paid by the plan")
	}
	if len(costs) == 0 {
		costs = []string{"free"}
	}
	return fmt.Sprintf("%s: %d tokens in, %d out, %s", printable(s.model), s.in, s.out, strings.Join(costs, " and "))
}

// short is an amount without the zeros at its end.
func short(m atelier.Money) string {
	return strings.TrimSuffix(strings.TrimRight(m.String(), "0"), ".")
}
