package pull_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/pull"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// content is of some length, and no part of it is like another.
var content = func() []byte {
	var b bytes.Buffer
	for i := range 40_000 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8), 9})
		b.Write(sum[:])
	}
	return b.Bytes()
}()

// fixture is a node that fetches files of the model z from a stand-in of the sites.
type fixture struct {
	*pull.Engine
	t           *testing.T
	clock       enginetest.Clock
	connections *connection.Engine
	sites       *loratest.Sites
	bus         *bus.Bus
	dir         string // of a ComfyUI
	connection  string
	needs       []modeldir.Need
	sent        modeldir.Options

	mu      sync.Mutex
	arrived []string // the connections for which files have come
}

func newFixture(t *testing.T, db *store.DB) *fixture {
	t.Helper()
	f := &fixture{t: t, sites: loratest.Serve(t), dir: t.TempDir()}
	for _, folder := range []string{"models/vae", "models/diffusion_models"} {
		if err := os.MkdirAll(filepath.Join(f.dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	f.needs = []modeldir.Need{
		{File: modeldir.File{Folder: "vae", Name: "ae.safetensors", URL: f.sites.AddHubFile("ann/z", "vae/ae.safetensors", content[:5000])}},
		{File: modeldir.File{Folder: "diffusion_models", Name: "z.safetensors", URL: f.sites.AddHubFile("ann/z", "z.safetensors", content)}},
	}
	f.sent = modeldir.Options{
		Mirrors: map[string]string{"huggingface.co": f.sites.URL}, Idle: time.Minute, Tries: 1,
		Free: func(string) (int64, error) { return 1 << 40, nil },
	}
	f.open(db)
	made, err := f.connections.Create(t.Context(), apitype.NewConnection{Name: "rig", ConnectionSettings: f.settings(f.dir)}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	f.connection = made.ConnectionID
	return f
}

func nothing(*store.Tx, connection.Entry) error { return nil }

func (f *fixture) settings(dir string) apitype.ConnectionSettings {
	return apitype.ConnectionSettings{ComfyUI: &apitype.ComfyUIConnection{BaseURL: "http://127.0.0.1:1", ModelsDir: dir}}
}

// open makes the engines of a process.
func (f *fixture) open(db *store.DB) {
	f.t.Helper()
	var err error
	if f.bus, err = bus.Open(f.t.Context(), bus.Options{}); err != nil {
		f.t.Fatal(err)
	}
	f.connections, err = connection.New(db, connection.Options{
		Secrets: []string{"the secret of this installation"}, Config: config.Default(), Now: f.clock.Now,
		VendorKey: func(config.Vendor) (string, error) { return "", nil },
		Check:     func(connection.Entry) error { return nil }, CheckFolder: func(string) error { return nil },
		Probe: func(context.Context, connection.Entry) (connection.Found, error) { return connection.Found{}, nil },
		Ping:  func(context.Context, connection.Entry) error { return nil }, Changed: func(context.Context) {},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.Engine = pull.New(db, f.bus, f.connections, pull.Options{
		Needs: func(model string) ([]modeldir.Need, error) {
			if model == "unknown" {
				return nil, atelier.Missing("name", model, "model")
			}
			return f.needs, nil
		},
		Sites: func(context.Context) (modeldir.Options, error) { return f.sent, nil },
		Arrived: func(_ context.Context, id string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.arrived = append(f.arrived, id)
		},
		Now: f.clock.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
}

// run runs the node until the test stops it.
func (f *fixture) run(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); f.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	f.t.Cleanup(stop)
	return stop
}

func (f *fixture) start(model string) apitype.Pull {
	f.t.Helper()
	p, err := f.Start(f.t.Context(), model, apitype.NewPull{}, also)
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

func also(*store.Tx, apitype.Pull) error { return nil }

// latest is the latest pull of a model.
func (f *fixture) latest(model string) apitype.Pull {
	f.t.Helper()
	list, err := f.Folders(f.t.Context(), model)
	if err != nil || len(list.Folders) != 1 || list.Folders[0].Pull == nil {
		f.t.Fatalf("folders of %s: %+v, %v", model, list, err)
	}
	return *list.Folders[0].Pull
}

// await waits until the latest pull of a model is as it should be.
func (f *fixture) await(model, what string, is func(apitype.Pull) bool) apitype.Pull {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	for {
		p := f.latest(model)
		if is(p) {
			return p
		}
		if !clock.Sleep(ctx, 5*time.Millisecond) {
			f.t.Fatalf("the pull never is %s: %+v", what, p)
		}
	}
}

func (f *fixture) awaitState(model string, s atelier.PullState) apitype.Pull {
	f.t.Helper()
	return f.await(model, string(s), func(p apitype.Pull) bool { return p.State == s })
}

func (f *fixture) whole() {
	f.t.Helper()
	for name, want := range map[string][]byte{"vae/ae.safetensors": content[:5000], "diffusion_models/z.safetensors": content} {
		got, err := os.ReadFile(filepath.Join(f.dir, "models", name))
		if err != nil || !bytes.Equal(got, want) {
			f.t.Errorf("%s has %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
}

// awaitPart waits until some of the large file has arrived.
func (f *fixture) awaitPart(n int64) int64 {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	for {
		if got := modeldir.Arrived(filepath.Join(f.dir, "models", "diffusion_models"), f.needs[1].File); got >= n {
			return got
		}
		if !clock.Sleep(ctx, 5*time.Millisecond) {
			f.t.Fatal("nothing arrives")
		}
	}
}

// The files of a model come into the folder of a ComfyUI, with their progress, and those that are
// there are not fetched again.
func TestPull(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o))
		f.sites.Behave(loratest.StageCDN, loratest.Stall(600_000))
		if p := f.start("z"); p.State != atelier.PullQueued || p.ModelsDir != f.dir {
			t.Errorf("started as %+v", p)
		}
		stop := f.run(t.Context())
		p := f.await("z", "in the second file", func(p apitype.Pull) bool { return p.File != nil && *p.File == "z.safetensors" && p.BytesDone > 5000 })
		if p.BytesTotal != int64(len(content))+5000 || p.Files[0].State != apitype.PullFileFetched {
			t.Errorf("under way: %+v", p)
		}
		if _, err := f.Start(t.Context(), "z", apitype.NewPull{}, also); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("started twice: %v", err)
		}

		// A node that stops gives it back, and what has come is not fetched again.
		stop()
		if p := f.latest("z"); p.State != atelier.PullQueued {
			t.Errorf("given back as %+v", p)
		}
		f.sites.Behave(loratest.StageCDN, nil)
		f.run(t.Context())
		p = f.awaitState("z", atelier.PullCompleted)
		if p.BytesDone != p.BytesTotal || p.BytesPerSecond != 0 || p.File != nil || p.EndedAt == nil || p.Problem != nil {
			t.Errorf("ended as %+v", p)
		}
		f.whole()
		if ranges := f.sites.Ranges(); !strings.HasPrefix(ranges[len(ranges)-1], "bytes=") {
			t.Errorf("the storage was asked for %q", ranges)
		}
		if f.start("z").PullID == p.PullID {
			t.Error("the second pull is the first")
		}
		p = f.awaitState("z", atelier.PullCompleted)
		if p.Files[1].State != apitype.PullFilePresent {
			t.Errorf("the second time: %+v", p)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.arrived) == 0 || f.arrived[0] != f.connection {
			t.Errorf("files have come for %q", f.arrived)
		}
	})
}

// A process that dies leaves what the next one continues, and changes nothing after it.
func TestPullOfADeadNode(t *testing.T) {
	t.Parallel()
	path := storetest.Furnish(t, filepath.Join(t.TempDir(), "atelier.db"))
	dying := storetest.OpenMortal(t, path, 1, false)
	f := newFixture(t, dying.DB)
	f.sites.Behave(loratest.StageCDN, loratest.Stall(600_000))
	f.start("z")
	stop := f.run(dying.Alive)
	had := f.awaitPart(100_000)
	dying.Arm() // at its next report
	<-dying.Alive.Done()
	stop()
	if err := dying.Close(); err != nil {
		t.Fatal(err)
	}
	f.sites.Behave(loratest.StageCDN, nil)
	f.open(storetest.Open(t, store.Options{Path: path, NoSync: true}))
	if p := f.latest("z"); p.State != atelier.PullRunning {
		t.Fatalf("the dead node has left %+v", p)
	}
	f.clock.Advance(time.Minute)
	f.run(t.Context())
	f.awaitState("z", atelier.PullCompleted)
	f.whole()
	ranges := f.sites.Ranges()
	if last := ranges[len(ranges)-1]; !strings.HasPrefix(last, "bytes=") || had == 0 {
		t.Errorf("the storage was asked for %q after %d bytes had come", ranges, had)
	}
}

// A pull that is cancelled ends, keeps what has come, and lets the next one into the folder.
func TestCancelPull(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, storetest.Open(t, o))
		f.sites.Behave(loratest.StageCDN, loratest.Stall(600_000))
		f.start("z")
		f.run(t.Context())
		f.awaitState("z", atelier.PullRunning)
		f.awaitPart(1)
		f.clock.Advance(time.Second)
		f.start("other") // of the same files: it waits for the folder
		if p, err := f.Cancel(t.Context(), "z", "", also); err != nil || p.State != atelier.PullCancelled {
			t.Fatalf("cancelled as %+v, %v", p, err)
		}
		f.sites.Behave(loratest.StageCDN, nil)
		f.awaitState("other", atelier.PullCompleted)
		f.whole()
		if p := f.latest("z"); p.State != atelier.PullCancelled || p.Problem != nil {
			t.Errorf("afterwards: %+v", p)
		}
		if _, err := f.Cancel(t.Context(), "z", "", also); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("cancelled twice: %v", err)
		}
		if _, err := f.Cancel(t.Context(), "never", "", also); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("one that there is not: %v", err)
		}
	})
}

// What goes wrong is said, with what to do.
func TestPullFails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		set        func(*fixture)
	}{
		{"gone", "has no ae.safetensors any more", func(f *fixture) { f.needs[0].URL += "x" }},
		{"gated", "does not give out ae.safetensors", func(f *fixture) {
			f.sites.AddRepo(loratest.Repo{Name: "ann/z", Gated: "manual", Files: map[string][]byte{"vae/ae.safetensors": content}})
		}},
		{"no space", "Free some, and start it again.", func(f *fixture) { f.sent.Free = func(string) (int64, error) { return 1 << 20, nil } }},
		{"damaged", "is damaged", func(f *fixture) {
			f.needs = f.needs[:1]
			f.sites.Behave(loratest.StageCDN, loratest.Replace(content[1:5001]))
		}},
		{"interrupted", "What has arrived is kept", func(f *fixture) {
			f.needs = f.needs[1:]
			f.sites.Behave(loratest.StageCDN, loratest.After(1, loratest.Break(300_000)))
		}},
		{"no address", "ae.safetensors is not there, and cannot be fetched: its maker sells it; put it into ", func(f *fixture) {
			f.needs[0].URL, f.needs[0].Unknown = "", "its maker sells it"
		}},
		{"another folder", "names another folder now", func(f *fixture) {
			if _, err := f.connections.Update(f.t.Context(), f.connection, apitype.ConnectionChange{ConnectionSettings: f.settings("/elsewhere")}, nothing); err != nil {
				f.t.Fatal(err)
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, storetest.Open(t, storetest.SQLite(t)))
			f.start("z")
			test.set(f)
			f.run(t.Context())
			p := f.awaitState("z", atelier.PullFailed)
			if p.Problem == nil || !strings.Contains(*p.Problem, test.want) {
				t.Errorf("got %v, want a problem with %q", p.Problem, test.want)
			}
		})
	}
}

// Without a folder there is nothing to fetch into, and with several one is named.
func TestPullIntoWhich(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.Open(t, storetest.SQLite(t)))
	into := func(id string) error {
		_, err := f.Start(t.Context(), "z", apitype.NewPull{ConnectionID: id}, also)
		return err
	}
	want := func(what string, err error, text string) {
		t.Helper()
		var refused *atelier.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, want %q", what, err, text)
		}
	}
	want("an unknown one", into("nowhere"), "connectionId must be a ComfyUI")
	second, err := f.connections.Create(t.Context(), apitype.NewConnection{Name: "second", ConnectionSettings: f.settings(t.TempDir())}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	want("one of two", into(""), "connectionId must be given: there are several folders, those of rig ("+f.connection+"), second")
	if err := into(second.ConnectionID); err != nil {
		t.Error(err)
	}
	for _, id := range []string{f.connection, second.ConnectionID} {
		if _, err := f.connections.Delete(t.Context(), id, nothing); err != nil {
			t.Fatal(err)
		}
	}
	want("none", into(""), "No connected ComfyUI names a folder of models")
	if list, err := f.Folders(t.Context(), "z"); err != nil || len(list.Folders) != 0 {
		t.Errorf("folders: %+v, %v", list, err)
	}
	if _, err := f.Folders(t.Context(), "unknown"); !atelier.HasCode(err, atelier.CodeNotFound) {
		t.Errorf("folders of an unknown model: %v", err)
	}
}

// A pull of a node that has died is not continued into a folder that its connection no longer names.
func TestPullOfADeadNodeIntoAnotherFolder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		f := newFixture(t, db)
		f.start("z")
		err := db.Write(t.Context(), func(tx *store.Tx) error { // as a node that then dies
			now := f.clock.Now()
			list, err := tx.WaitingPulls(now)
			if err == nil {
				_, err = tx.TakePull(list[0], now, now.Add(time.Minute))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.connections.Update(t.Context(), f.connection, apitype.ConnectionChange{ConnectionSettings: f.settings(t.TempDir())}, nothing); err != nil {
			t.Fatal(err)
		}
		f.clock.Advance(2 * time.Minute)
		f.run(t.Context())
		p := f.await("z", "ended", func(p apitype.Pull) bool { return p.State.Terminal() })
		if p.State != atelier.PullFailed || p.Problem == nil || !strings.Contains(*p.Problem, "names another folder now") {
			t.Errorf("ended as %+v", p)
		}
		if _, err := os.Stat(filepath.Join(f.dir, "models", "vae", "ae.safetensors")); err == nil {
			t.Error("a file has come into the earlier folder")
		}
	})
}

// A pull that nothing can continue is cancelled without naming its connection.
func TestCancelPullOfWhatIsGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.Open(t, storetest.SQLite(t)))
	f.start("z")
	f.needs = nil // no file of it is known any more
	if p, err := f.Cancel(t.Context(), "z", "", also); err != nil || p.State != atelier.PullCancelled {
		t.Errorf("cancelled as %+v, %v", p, err)
	}
}

// A connection that is removed while a pull is asked for leaves none that waits for ever.
func TestPullForAConnectionBeingRemoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		f := newFixture(t, db)
		var once sync.Once
		e := pull.New(db, f.bus, f.connections, pull.Options{
			Needs: func(string) ([]modeldir.Need, error) { return f.needs, nil },
			Now: func() time.Time { // between the look at the connections and the transaction
				once.Do(func() {
					if _, err := f.connections.Delete(t.Context(), f.connection, nothing); err != nil {
						t.Error(err)
					}
				})
				return f.clock.Now()
			},
		})
		if _, err := e.Start(t.Context(), "z", apitype.NewPull{}, also); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("got %v, want it refused", err)
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			left, err := tx.WaitingPulls(f.clock.Now())
			if len(left) > 0 {
				t.Errorf("left: %+v", left)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A pull ends when its connection names another folder, or none, also while it is fetched.
func TestFolderChangesDuringPull(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		f := newFixture(t, db)
		f.sites.Behave(loratest.StageCDN, loratest.Stall(600_000))
		f.run(t.Context())
		change := func(dir string) {
			t.Helper()
			if _, err := f.connections.Update(t.Context(), f.connection, apitype.ConnectionChange{ConnectionSettings: f.settings(dir)}, nothing); err != nil {
				t.Fatal(err)
			}
			var list []store.Pull
			err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
				list, err = tx.PullsOf("z")
				return err
			})
			if err != nil || len(list) != 1 || list[0].State != atelier.PullFailed || !strings.Contains(list[0].Problem, "names another folder now") {
				t.Errorf("after a change to %q: got %+v, %v", dir, list, err)
			}
		}
		f.start("z")
		f.awaitPart(1)
		change("/elsewhere")
		f.start("z") // no node sees that folder
		change("")
	})
}
