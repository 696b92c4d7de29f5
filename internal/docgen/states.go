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
	return b.String()
}
