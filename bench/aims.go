package main

import "github.com/atelier-project/atelier/bench/measure"

// aims are what figures should be, by part and name. They hold for two shared cores, with turns of a second.
var aims = map[string]measure.Aim{
	"Read/account read, SQLite":           measure.AtLeast(0.6),
	"Read/account read, PostgreSQL":       measure.AtLeast(0.6),
	"Read/model catalog":                  measure.AtLeast(0.8),
	"Read/model catalog, unchanged (304)": measure.AtLeast(0.8),

	"Start/existing data directory": measure.AtMost(150),
	"Start/empty data directory":    measure.AtMost(150),
	"Idle/resident memory":          measure.AtMost(60),
	"Idle/processor":                measure.AtMost(0.1), // less than can be told from nothing

	"Books/SQLite: usage history":             measure.AtMost(2),
	"Books/SQLite: chart of 120 days":         measure.AtMost(2),
	"Books/SQLite: user stats with ranks":     measure.AtMost(2),
	"Books/PostgreSQL: usage history":         measure.AtMost(2),
	"Books/PostgreSQL: chart of 120 days":     measure.AtMost(2),
	"Books/PostgreSQL: user stats with ranks": measure.AtMost(2),

	"Media/upload":      measure.AtLeast(0.7),
	"Media/download":    measure.AtLeast(0.7),
	"Media/most memory": measure.AtMost(100),

	"Workers/processor": measure.AtMost(2),

	"Jobs/settled/s, 1 worker, PostgreSQL to SQLite":    measure.AtLeast(0.8),
	"Jobs/settled/s, 10 workers, PostgreSQL to SQLite":  measure.AtLeast(0.8),
	"Jobs/settled/s, 100 workers, PostgreSQL to SQLite": measure.AtLeast(0.8),

	"Workflow/one step, finished/s, to Temporal":    measure.AtLeast(25),
	"Workflow/12 steps, p50, to Temporal":           measure.AtMost(0.2),
	"Workflow/12 steps, p99, to Temporal":           measure.AtMost(0.2),
	"Workflow/starts/s with 1 client, to Temporal":  measure.AtLeast(6),
	"Workflow/starts/s with 8 clients, to Temporal": measure.AtLeast(1),

	"Runs/one round, finished/s":                         measure.AtLeast(300),
	"Runs/answer to next question, p50":                  measure.AtMost(2),
	"Runs/first word after the model's, p99, 50 at once": measure.AtMost(50),
	"Runs/1,000 paused runs, processor":                  measure.AtMost(0.1),

	"Streams/memory of a stream, added to a bare one": measure.AtMost(8),

	"Gateway/whole 1 KB, added p50":  measure.AtMost(0.3),
	"Gateway/whole 10 KB, added p50": measure.AtMost(0.3),
	"Gateway/stream 1 KB, added p50": measure.AtMost(0.3),

	"Gateway/stream 10 KB, added p50":                     measure.AtMost(0.3),
	"Gateway/stream 1 KB, requests/s to GoModel":          measure.AtLeast(1.3),
	"Gateway/stream 10 KB, requests/s to GoModel":         measure.AtLeast(1.3),
	"Gateway/stream 1 KB, added p50 beyond GoModel":       measure.AtMost(0),
	"Gateway/stream 10 KB, added p50 beyond GoModel":      measure.AtMost(0),
	"Gateway/stream 10 KB, processor time to the model's": measure.AtMost(1.3),
	"Gateway/whole 1 KB, priced, requests/s to without":   measure.AtLeast(0.85),
	"Gateway/responses to chat, added p50":                measure.AtMost(1.2),
	"Gateway/messages to chat, added p50":                 measure.AtMost(1.2),
	"Gateway/embeddings to chat, added p50":               measure.AtMost(1.2),

	"Keys/whole 1 KB, limited, requests/s":                       measure.AtLeast(0.95),
	"Keys/whole 1 KB, priced, limited with a budget, requests/s": measure.AtLeast(0.95),
	"Keys/workflow starts, limited with a budget, starts/s":      measure.AtLeast(0.95),

	"Memory/10 in flight, whole 10 KB, atelier, peak":   measure.AtMost(55),
	"Memory/10 in flight, stream 10 KB, atelier, peak":  measure.AtMost(55),
	"Memory/5,000 in flight, whole 1 KB, atelier, peak": measure.AtMost(350),

	"Memory/5,000 in flight, stream 1 KB, atelier, peak": measure.AtMost(350),

	"List/the newest 20, SQLite":          measure.AtMost(2),
	"List/20 from the 980th, SQLite":      measure.AtMost(2),
	"List/snapshot of any, SQLite":        measure.AtMost(2),
	"List/the newest 20, PostgreSQL":      measure.AtMost(2),
	"List/20 from the 980th, PostgreSQL":  measure.AtMost(2),
	"List/snapshot of any, PostgreSQL":    measure.AtMost(2),
	"Loras/memory at most, whole process": measure.AtMost(100),
	"Hostile/most memory of the server":   measure.AtMost(hostileMemory),

	"Flood/limited: list beside all":                   measure.AtMost(2),
	"Flood/limited: chat beside all":                   measure.AtMost(2),
	"Flood/limited: stream opened beside all":          measure.AtMost(2),
	"Flood/limited: workflow, start to end beside all": measure.AtMost(2),
}
