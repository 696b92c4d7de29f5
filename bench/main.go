// Command bench measures the service from outside and prints one report, each
// figure with its aim beside it. scripts/bench, which is make bench, builds the
// service and runs this.
//
// Machines differ and are never quiet, so what can be a ratio is one: the
// service and a bare net/http handler that answers the same bytes take turns
// under the same load, and the median of the turns counts. The service, the
// bare handler and the load are three processes. A missed aim is marked and
// fails nothing: it is for people to judge.
//
// It knows the service only by its command line and its endpoints; only the
// million workflows of a list are written straight into the database.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest/hostile"
)

// bench is one run.
type bench struct {
	program  string        // the service's binary
	temporal temporal      // what workflows are compared with
	portkey  string        // the script of Portkey's gateway; empty when it is not measured
	dir      string        // for data directories; removed at the end
	time     time.Duration // how long one turn lasts
	out      report
}

// parts are the parts of the report. BENCH picks among them by name.
var parts = []struct {
	name string
	run  func(*bench, context.Context) error
}{
	{"Read", (*bench).reads},
	{"Start", (*bench).starts},
	{"Idle", (*bench).idle},
	{"Write", (*bench).writes},
	{"Books", (*bench).books},
	{"Media", (*bench).media},
	{"Workers", (*bench).workers},
	{"Workflow", (*bench).workflows},
	{"Runs", (*bench).runs},
	{"Streams", (*bench).streams},
	{"Gateway", (*bench).gateways},
	{"List", (*bench).lists},
	{"Loras", (*bench).loras},
	{"Hostile", (*bench).hostiles},
}

func main() {
	hostile.Main() // where this process was started to attack
	if len(os.Args) == 2 && os.Args[1] == baselineCommand {
		serveBaseline()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == baselineStreamsCommand {
		serveBaselineStreams()
		return
	}
	if len(os.Args) == 3 && os.Args[1] == mockCommand {
		serveMock(os.Args[2])
		return
	}
	if len(os.Args) == 3 && os.Args[1] == baselineMediaCommand {
		serveBaselineMedia(os.Args[2])
		return
	}
	program := flag.String("program", "bin/atelier", "the service's `binary`")
	pick := flag.String("bench", ".", "measure only the parts that match this `pattern`: Read, Start, Idle, Write, Books, Media, Workers, Workflow, Runs, Streams, Gateway, List, Loras, Hostile")
	turn := flag.String("benchtime", "1s", "how long one turn of a measurement lasts")
	var t temporal
	flag.StringVar(&t.cli, "temporal", "", "the `program` of the Temporal command line; empty leaves the comparison out")
	flag.StringVar(&t.peer, "temporal-peer", "", "the `program` of bench/temporal")
	portkey := flag.String("portkey", "", "the `script` of Portkey's gateway; empty leaves the comparison out")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *program, t, *portkey, *pick, *turn); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program string, t temporal, portkey, pick, turn string) error {
	picked, err := regexp.Compile(pick)
	if err != nil {
		return fmt.Errorf("the pattern: %w", err)
	}
	b := &bench{program: program, temporal: t, portkey: portkey, time: time.Second, out: report{os.Stdout}}
	// go test also takes a number of runs, such as 100x; here only time counts.
	if d, err := time.ParseDuration(turn); err == nil {
		b.time = d
	}
	if b.dir, err = os.MkdirTemp("", "atelier-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for _, part := range parts {
		if !picked.MatchString(part.name) {
			continue
		}
		if err := part.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
