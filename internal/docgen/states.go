package main

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
)

func statesDocument() string {
	var b strings.Builder
	b.WriteString("# States\n\n" + generated + `
The state machines of the service, generated from the tables in the code.

## Subscription

The database stores the last status that was set; the service derives the current one from
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
	moves(&b, "Job", `A job is one render. Every job is tried once, and once more when a worker
dropped it before media was produced. Any move that is not in the table is refused.
`, atelier.JobMoves)
	moves(&b, "Workflow", `The status of a workflow follows from its steps: while any step is in progress it
is running; when none is and one waits for the user, the workflow waits too; when
none can continue it has ended. An ended workflow never changes.
`, atelier.WorkflowMoves)
	moves(&b, "Step", `A step waits until the results that it takes from other steps exist. A step whose required
source failed fails too; when the source is optional, the step runs without it.
`, atelier.StepMoves)
	moves(&b, "Chat run", `A chat run that waits for its user is not taken by any node and costs nothing. An ended
run never changes.
`, atelier.RunMoves)
	moves(&b, "Personal LoRA", `A personal LoRA is usable while it is ready. Its owner can remove it in any status.
`, atelier.LoraMoves)
	moves(&b, "Webhook delivery", `A delivery is one event on its way to one webhook. Each attempt is a node task.
`, atelier.DeliveryMoves)
	moves(&b, "Pull", `A pull is the files of a model on their way into the folder of a ComfyUI. One is fetched into a
folder at a time.
`, atelier.PullMoves)
	return b.String()
}

// moves draws a table of moves.
func moves[S ~string](b *strings.Builder, name, about string, table []atelier.Move[S]) {
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
