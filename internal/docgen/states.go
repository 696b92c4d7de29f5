package main

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
)

func statesDocument() string {
	var b strings.Builder
	b.WriteString("# States\n\n" + generated + `
Each state machine of the service, drawn from the table that the code runs.

## Subscription

What is stored is the last thing that somebody set; what is shown follows from
it and the time. ` + "`none`, `expired` and `canceled`" + ` do not move by time. A plan is
active while ` + "`trialing`, `active` or `cancel_at_period_end`" + `.

| from | trigger | to |
| --- | --- | --- |
`)
	for _, m := range atelier.SubscriptionMoves() {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", m.From, m.Trigger, m.To)
	}
	b.WriteString("\n```mermaid\nstateDiagram-v2\n")
	for _, m := range atelier.SubscriptionMoves() {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", m.From, m.To, m.Trigger)
	}
	b.WriteString("```\n")
	b.WriteString(`
## Job

A job is one render. Every job is tried once, and once more when a worker
dropped it before media was produced. What is not in the table is refused.

| from | trigger | to |
| --- | --- | --- |
`)
	for _, m := range atelier.JobMoves {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", m.From, m.Trigger, m.To)
	}
	b.WriteString("\n```mermaid\nstateDiagram-v2\n    [*] --> queued\n")
	for _, m := range atelier.JobMoves {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", m.From, m.To, m.Trigger)
	}
	b.WriteString("```\n")
	moves(&b, "Workflow", `A workflow has the status that follows from its steps: while any is under way it
is running; when none is and one waits for the user, so does the workflow; when
none can go on it is over. What is over never changes.
`, atelier.WorkflowMoves)
	moves(&b, "Step", `A step waits until what it takes of other steps is there. A step whose required
source failed fails with it; one that only wanted it goes on without.
`, atelier.StepMoves)
	return b.String()
}

// moves draws a table of moves.
func moves(b *strings.Builder, name, about string, table []atelier.Move) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n| from | trigger | to |\n| --- | --- | --- |\n", name, about)
	for _, m := range table {
		from := "`" + string(m.From) + "`"
		if m.From == "" {
			from = "(none)"
		}
		fmt.Fprintf(b, "| %s | %s | `%s` |\n", from, m.Trigger, m.To)
	}
	b.WriteString("\n```mermaid\nstateDiagram-v2\n")
	for _, m := range table {
		from := string(m.From)
		if from == "" {
			from = "[*]"
		}
		fmt.Fprintf(b, "    %s --> %s: %s\n", from, m.To, m.Trigger)
	}
	b.WriteString("```\n")
}
