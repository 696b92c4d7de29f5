package fleet_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// passReserve advances the clock until jobs of a model whose workers are lost are not reserved any
// more: a fallback worker gets none before. each is called between, for what workers do.
func (f *fixture) passReserve(fallback testWorker, each func(), others ...*fleet.Engine) {
	f.T.Helper()
	nodes := append(others, f.Fleet)
	f.checkOffers()
	f.pass(noWorkerTimeout-lease, nodes, each)
	fallback.wantJob("while jobs are reserved", "")
	f.pass(lease, nodes, each)
	f.checkOffers()
}

// wantServer checks who serves the model, as estimates and the demand have it.
func (f *fixture) wantServer(when string, want atelier.Server) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) error {
		got, err := f.Fleet.ServerOf(tx, atelier.NetworkFast, model)
		if d := f.demand(model).ServedBy; got != want || d != want {
			f.T.Errorf("%s it is served by %s, by the demand %s, want %s", when, got, d, want)
		}
		return err
	})
}

// Jobs of a model wait for a while when the last worker with it is lost, also those that come
// then, on every node and after a restart of the service: it may come back. Models that no such
// worker has offered, and tools without one, are not reserved.
func TestJobsWaitForAWorkerThatRestarts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		cpu, gpu := f.connectFallback(wil, model, other), f.connect(eve)
		before := f.mustSubmit(ann, "before")
		gpu.leave()
		cpu.wantJob("when the other has left", "")
		f.wantServer("when the other has left", atelier.ServedByExpected)
		f.checkOffers()
		after := f.mustSubmit(ann, "after")
		if want := f.Now().Add(noWorkerTimeout); after.UnservedSince.IsZero() || !after.FallbackAt.Equal(want) {
			t.Errorf("a new job waits since %v, until %v, want %v", after.UnservedSince, after.FallbackAt, want)
		}
		if !f.unserved(before.ID) {
			t.Error("the job that waited does not record that no worker may take it")
		}
		cpu.wantJob("a new job", "")
		f.mustSubmit(ann, "never offered", ofModel(other))
		cpu.MustFail(cpu.wantJob("a model that only it has offered", "never offered"), atelier.FailError)

		f.pass(noWorkerTimeout/2, []*fleet.Engine{f.Fleet}, func() { cpu.beat(apitype.Heartbeat{}) })
		f.stopNode()
		f.Fleet = f.startNode()
		f.pass(lease, []*fleet.Engine{f.Fleet}, func() { cpu.beat(apitype.Heartbeat{}) })
		cpu.wantJob("after a restart of the service", "")

		gpu = f.connect(eve)
		f.checkOffers()
		if f.unserved(before.ID) {
			t.Error("the job still waits for a worker")
		}
		gpu.MustFail(gpu.wantJob("the worker that is back", "before"), atelier.FailError)

		gpu.leave()
		f.checkOffers()
		last := f.mustSubmit(ann, "last")
		f.pass(noWorkerTimeout/2, []*fleet.Engine{f.Fleet}, func() { cpu.beat(apitype.Heartbeat{}) })
		f.checkOffers()
		cpu.MustFail(cpu.wantJob("the job that has waited twice", "after"), atelier.FailError)
		cpu.wantJob("the other", "")
		f.pass(noWorkerTimeout/2-lease, []*fleet.Engine{f.Fleet}, func() { cpu.beat(apitype.Heartbeat{}) })
		cpu.wantJob("shortly before the time is over", "")
		f.pass(lease, []*fleet.Engine{f.Fleet}, func() { cpu.beat(apitype.Heartbeat{}) })
		f.checkOffers()
		if f.unserved(last.ID) {
			t.Error("the last job still waits for a worker")
		}
		cpu.MustFail(cpu.wantJob("when the time is over", "last"), atelier.FailError)
		f.wantServer("when the time is over", atelier.ServedByPreview)
		f.mustSubmit(ann, "later")
		cpu.wantJob("a job that comes later", "later")
		f.Audit()
	})
}

// A worker that comes and goes delays a job by the time that jobs are reserved in all, and no job
// fails while a fallback worker is there.
func TestAFlappingWorkerDelaysAJobOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
		cpu := f.connectFallback(wil, model)
		flapper := f.connect(eve)
		j := f.mustSubmit(ann, "one")
		began := f.Now()
		for taken := false; !taken; {
			flapper.leave()
			f.checkOffers()
			f.pass(2*lease, []*fleet.Engine{f.Fleet}, func() {
				cpu.beat(apitype.Heartbeat{})
				taken = taken || cpu.Claim(0) != nil
			})
			f.checkOffers()
			if waited := f.Now().Sub(began); !taken && (waited > time.Hour || f.job(j.ID).State != atelier.JobQueued) {
				t.Fatalf("after %v it is %s", waited, f.job(j.ID).State)
			}
			flapper = f.connect(eve)
			f.Advance(time.Second)
		}
		if waited := f.Now().Sub(began); waited < noWorkerTimeout || waited > noWorkerTimeout+2*time.Minute {
			t.Errorf("it waited for %v, want %v", waited, noWorkerTimeout)
		}
	})
}

// With fallback workers turned off they get the jobs of tools that need no model, and nothing
// else: a model counts as not served, also by one that was connected before.
func TestFallbackWorkersMayGetToolsAlone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const tool = "upscale_image"
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		early := f.connectFallback(wil, model, tool)
		node, _ := f.NewFleet(func(o *fleet.Options) { o.NoFallback, o.Catalog = true, enginetest.Catalog() })
		f.stopNode()
		f.Fleet = node
		f.run(node)
		if err := node.AdoptOffers(t.Context()); err != nil { // as Run does first
			t.Fatal(err)
		}
		late := f.connectFallback(wil, model, tool)
		late.beat(apitype.Heartbeat{Models: []string{model, tool}, Loaded: []string{model}})
		j := f.mustSubmit(ann, "model")
		if j.UnservedSince.IsZero() || !j.FallbackAt.IsZero() {
			t.Errorf("the job waits since %v, for a fallback worker until %v", j.UnservedSince, j.FallbackAt)
		}
		f.mustSubmit(ann, "tool", ofModel(tool))
		early.MustFail(early.wantJob("a tool", "tool"), atelier.FailError)
		f.mustSubmit(ann, "again", ofModel(tool))
		late.MustFail(late.wantJob("a tool", "again"), atelier.FailError)
		early.wantJob("a model", "")
		late.wantJob("a model", "")
	})
}

// A tool without a model goes to a fallback worker as soon as no other offers it.
func TestToolsAreNotReserved(t *testing.T) {
	t.Parallel()
	const tool = "upscale_image"
	f := newFrozenFixture(t, storetest.SQLite(t))
	f.Fleet, _ = f.NewFleet(func(o *fleet.Options) { o.Catalog = enginetest.Catalog() })
	f.stopNode()
	f.run(f.Fleet)
	ann, wil, eve := f.account("ann", 900), f.account("wil", 0), f.account("eve", 0)
	cpu, gpu := f.connectFallback(wil, model, tool), f.connect(eve, model, tool)
	f.mustSubmit(ann, "model")
	f.mustSubmit(ann, "tool", ofModel(tool))
	cpu.wantJob("while another offers both", "")
	gpu.leave()
	cpu.wantJob("when the other has left", "tool")
	cpu.wantJob("when the other has left", "")
}
