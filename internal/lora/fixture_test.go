package lora_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const (
	ann   = atelier.Wallet("0xann")
	node  = atelier.Wallet("0xnode") // owns the workers of the nodes
	model = "krea2_turbo_fp8_scaled"
)

// fixture is a node that imports LoRAs from stand-ins of the hosting sites.
type fixture struct {
	*enginetest.Env
	sites *loratest.Sites
	e     *lora.Engine
	ended enginetest.Signal // an import ended, or failed and is tried again
	first chan struct{}     // as ended, for one import
	stop  func()            // ends its imports
}

// settings are what a fixture does differently.
type settings struct {
	dir     string
	catalog *catalog.Catalog
	sites   *loratest.Sites
	lora.Options
}

func newFixture(t testing.TB, o store.Options, set ...func(*settings)) *fixture {
	t.Helper()
	f := newFixtureOn(t, storetest.Open(t, o), set...)
	f.addAccounts()
	f.stop = f.serve()
	return f
}

// newFixtureOn makes a node on a database. It does no imports until serve is called.
func newFixtureOn(t testing.TB, db *store.DB, set ...func(*settings)) *fixture {
	t.Helper()
	s := settings{catalog: enginetest.Catalog()}
	for _, change := range set {
		change(&s)
	}
	f := &fixture{Env: enginetest.NewOn(t, db, func(o *enginetest.Options) { o.Dir = s.dir }), sites: s.sites, first: make(chan struct{}, 1)}
	if f.sites == nil {
		f.sites = loratest.Serve(t)
	}
	sources, err := source.New(loratest.Sources(f.sites.URL), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Now, s.Log = f.Now, slog.New(&endings{slog.NewTextHandler(io.Discard, nil), f})
	f.e = lora.New(f.DB, f.Blobs, s.catalog, f.Fleet, sources, s.Options)
	return f
}

// endings fires a signal when an import has ended or failed.
type endings struct {
	slog.Handler
	f *fixture
}

// Handle implements slog.Handler.
func (e *endings) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "LoRA import ended" || r.Message == "LoRA import failed" {
		e.f.ended.Fire()
		select {
		case e.f.first <- struct{}{}:
		default:
		}
	}
	return nil
}

func (f *fixture) addAccounts() {
	f.T.Helper()
	f.AddAccount(atelier.Account{Wallet: ann}, billing.Credits{})
	f.AddAccount(atelier.Account{Wallet: node, Worker: true}, billing.Credits{})
	f.subscribe(ann, atelier.SubscriptionActive)
}

// subscribe gives an account a plan in a status.
func (f *fixture) subscribe(w atelier.Wallet, status atelier.SubscriptionStatus) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) error {
		return tx.PutSubscription(w, atelier.Subscription{
			Tier: atelier.TierUnlimited, Term: "monthly", Status: status, Since: f.Now(), PeriodStart: f.Now(), PeriodEnd: f.Now().Add(30 * 24 * time.Hour), Renews: true,
		}, f.Now())
	})
}

// serve does imports until stop is called or the test ends.
func (f *fixture) serve() (stop func()) {
	f.T.Helper()
	end := f.RunFleet(f.Fleet)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = f.Fleet.Serve(ctx, node, 2, f.e.NodeTasks(), func() {}) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait(); end() })
	f.T.Cleanup(stop)
	return stop
}

// put puts a file on a site and returns the link to it.
func (f *fixture) put(name string, l loratest.LoRA) string {
	if l.Family == "" {
		l.Family = "krea-2"
	}
	return f.sites.AddHubFile("ann/"+name, name+".safetensors", l.File())
}

func request(link string) lora.NewLora {
	return lora.NewLora{URL: link, Name: "Fox", ModelID: model, RightsConfirmed: true}
}

func (f *fixture) imports(link string) apitype.PersonalLora {
	f.T.Helper()
	r, err := f.e.Import(context.Background(), ann, request(link))
	if err != nil {
		f.T.Fatalf("import %s: %v", link, err)
	}
	return r
}

// settle waits for the outcome of an import, and returns the entry.
func (f *fixture) settle(id atelier.LoraID) apitype.PersonalLora {
	f.T.Helper()
	f.ended.Wait(f.T, 1)
	return f.read(id)
}

func (f *fixture) read(id atelier.LoraID) apitype.PersonalLora {
	f.T.Helper()
	r, err := f.e.Read(context.Background(), ann, id)
	if err != nil {
		f.T.Fatal(err)
	}
	return r
}

// row is an entry as it is stored.
func (f *fixture) row(id atelier.LoraID) (l store.StoredLora) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) {
		l, err = tx.LoraOfAny(id)
		return err
	})
	return l
}

// content is the stored file of an entry.
func (f *fixture) content(id atelier.LoraID) []byte {
	f.T.Helper()
	file, _, err := f.Blobs.Open(context.Background(), f.row(id).Key)
	if err != nil {
		f.T.Fatal(err)
	}
	defer file.Close()
	b, err := io.ReadAll(file)
	if err != nil {
		f.T.Fatal(err)
	}
	return b
}

// objects lists the stored LoRA files.
func (f *fixture) objects() (keys []string) {
	f.T.Helper()
	for entry, err := range f.Blobs.List(context.Background(), "loras/", "") {
		if err != nil {
			f.T.Fatal(err)
		}
		keys = append(keys, entry.Key)
	}
	return keys
}

// render has a worker begin a render that loads the entry.
func (f *fixture) render(id atelier.LoraID, key string) (enginetest.Worker, *atelier.Job) {
	f.T.Helper()
	worker := f.Connect(node, apitype.WorkerSpec{Name: "gpu", Network: atelier.NetworkFast, Models: []string{model}, Capacity: 1})
	f.submit(id, key)
	return worker, worker.MustClaim()
}

// submit queues a render that loads the entry.
func (f *fixture) submit(id atelier.LoraID, key string) (j atelier.Job) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) (err error) {
		j, err = f.Fleet.Submit(tx, fleet.Submission{
			Wallet: ann, Network: atelier.NetworkFast, Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillTokens},
			Spec: atelier.JobSpec{
				Tool: "generate_image", ModelID: model, Arguments: map[string]any{}, Artifacts: []atelier.JobArtifact{{ID: "a", Kind: "image", ContentType: "image/png"}},
				Loras: []atelier.JobLora{{ID: string(id), Strength: 1, Personal: &atelier.PersonalSource{Key: key, Name: "Fox"}}},
			},
		})
		return err
	})
	return j
}

// name is the n-th name of many.
func name(n int) string { return fmt.Sprint("fox", n) }
