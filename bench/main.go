// Command bench measures the service from outside, prints what it finds with its aims beside it, and stores it as a
// result. scripts/bench, which is make bench, builds the service and runs this.
//
//	bench [flags]              measure
//	bench compare A.json B.json   mark what is worse in B than in A, beyond noise
//	bench show A.json             print a stored result
//	bench plot A.json DIR         draw its ratios
//
// Machines differ and are never quiet, so what can be a ratio is one: the service and what it is compared with take
// turns under the same load, and the median of the turns counts. Where the turns are further apart than a figure is
// from its aim, or the sides from each other, it is noise. A missed aim is marked and fails nothing: it is for people
// to judge. The service, what it is compared with and the load are processes of their own.
//
// It knows the service only by its command line and its endpoints; only the million workflows of a list are written
// straight into the database.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/atelier-project/atelier/bench/bare"
	"github.com/atelier-project/atelier/bench/flood"
	"github.com/atelier-project/atelier/bench/gateway"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/internal/ateliertest/hostile"
)

// bench is one run.
type bench struct {
	program  string         // the service's binary
	temporal temporal       // what workflows are compared with
	peers    []gateway.Peer // what the gateway is compared with
	dir      string         // for data directories; removed at the end
	turn     time.Duration  // how long one turn lasts
	out      *measure.Report
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
	{"Clip", (*bench).clips},
	{"Workers", (*bench).workers},
	{"Jobs", (*bench).jobs},
	{"Workflow", (*bench).workflows},
	{"Runs", (*bench).runs},
	{"Streams", (*bench).streams},
	{"Gateway", (*bench).gateways},
	{"Keys", (*bench).keys},
	{"Memory", (*bench).gatewayMemory},
	{"List", (*bench).lists},
	{"Loras", (*bench).loras},
	{"Hostile", (*bench).hostiles},
	{"Flood", (*bench).floods},
}

func main() {
	hostile.Main() // where this process was started to attack
	bare.Main()    // or to be compared with
	flood.Main()   // or to send as much as it can
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 3 && args[0] == "compare":
		err = compare(args[1], args[2])
	case len(args) == 2 && args[0] == "show":
		err = show(args[1])
	case len(args) == 3 && args[0] == "plot":
		err = plot(args[1], args[2])
	default:
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// fullTurn is the length of turns from which on aims are judged, and files and tables have their full size.
const fullTurn = time.Second

func run() (err error) {
	b := &bench{turn: fullTurn}
	flag.StringVar(&b.program, "program", "bin/atelier", "the service's `binary`")
	pick := flag.String("bench", ".", "measure only the parts that match this `pattern`")
	turn := flag.String("benchtime", fullTurn.String(), "how long one turn of a measurement lasts")
	results := flag.String("results", "", "the `directory` that the result of a run with turns of a second or more is stored in; empty stores none")
	peers := flag.String("peers", "", "gateways to compare with, with commas between: gomodel, bifrost or portkey, with =PROGRAM, or http://…")
	flag.StringVar(&b.temporal.cli, "temporal", "", "the `program` of the Temporal command line; empty leaves the comparison out")
	flag.StringVar(&b.temporal.peer, "temporal-peer", "", "the `program` of bench/temporal")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown command %q", flag.Arg(0))
	}
	if b.peers, err = gateway.ParsePeers(*peers); err != nil {
		return err
	}
	picked, err := regexp.Compile(*pick)
	if err != nil {
		return fmt.Errorf("the pattern: %w", err)
	}
	// go test also takes a number of runs, such as 100x; here only time counts.
	if d, err := time.ParseDuration(*turn); err == nil {
		b.turn = d
	}
	aimed := aims
	if b.turn < fullTurn {
		aimed = nil
	}
	if b.dir, err = os.MkdirTemp("", "atelier-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	b.out = measure.NewReport(os.Stdout, measure.NewResult(commit()), b.turn.String(), aimed)
	fmt.Println(b.out.Result.Machine)
	var faults []error
	stored := "" // where
	for _, part := range parts {
		if !picked.MatchString(part.name) || ctx.Err() != nil {
			continue
		}
		err := part.run(b, ctx)
		if err != nil {
			b.out.Skip("the rest", err.Error())
			faults = append(faults, fmt.Errorf("%s: %w", part.name, err))
		}
		b.out.End()
		if err == nil && *results != "" && b.turn >= fullTurn { // at once: the next part may be interrupted
			if stored, err = b.out.Result.Store(*results); err != nil {
				return err
			}
		}
	}
	b.out.PrintAims()
	if stored != "" {
		fmt.Println("\nStored in", stored)
		if file, last, found := b.out.Result.Last(*results); found {
			fmt.Println("Compared with", file)
			measure.PrintChanges(os.Stdout, measure.Compare(last, b.out.Result))
		}
	}
	return errors.Join(faults...)
}

func compare(from, to string) error {
	before, err := measure.Read(from)
	if err != nil {
		return err
	}
	after, err := measure.Read(to)
	if err != nil {
		return err
	}
	if before.Machine.Other(after.Machine) {
		fmt.Printf("  the machines differ: %s, and %s\n", before.Machine, after.Machine)
	}
	measure.PrintChanges(os.Stdout, measure.Compare(before, after))
	return nil
}

func show(file string) error {
	r, err := measure.Read(file)
	if err == nil {
		r.Print(os.Stdout)
	}
	return err
}

func plot(file, dir string) error {
	r, err := measure.Read(file)
	if err != nil {
		return err
	}
	files, err := r.Plots(dir)
	fmt.Println(strings.Join(files, "\n"))
	return err
}

// commit is the commit of the checkout, with a plus when it has changes besides.
func commit() string {
	git := func(args ...string) string {
		out, _ := exec.Command("git", args...).Output() // not every copy of the source is a checkout
		return strings.TrimSpace(string(out))
	}
	id := git("rev-parse", "--short=10", "HEAD")
	if id == "" {
		return "unknown"
	}
	if git("status", "--porcelain", "--untracked-files=no") != "" {
		id += "+"
	}
	return id
}

// accounts is how many accounts those have who start work: each is a start of the program.
const accounts = 16

// service is a service with separate data.
func (b *bench) service(name string, env ...string) server.Service {
	return server.Service{Program: b.program, Data: filepath.Join(b.dir, name), Env: env}
}

// scaled makes a number smaller where turns are short: such a run tries the benchmark and measures nothing.
func (b *bench) scaled(n int) int {
	return max(1, int(float64(n)*min(1, b.turn.Seconds()/fullTurn.Seconds())))
}

// errNoPostgres says why there are no figures for PostgreSQL.
var errNoPostgres = errors.New("ATELIER_TEST_POSTGRES_URL is not set")

// postgres makes a separate database, where there is a server.
func postgres(ctx context.Context) (url string, drop func(), err error) {
	address := os.Getenv("ATELIER_TEST_POSTGRES_URL")
	if address == "" {
		return "", nil, errNoPostgres
	}
	return server.NewDatabase(ctx, address)
}
