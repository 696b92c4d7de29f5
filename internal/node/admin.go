package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/graph"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/operator"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/transfer"
)

// Admin is the part of a node that works on the database alone. The account
// commands use it directly, beside servers that run on the same database.
type Admin struct {
	Accounts  *account.Engine
	Billing   *billing.Engine
	Analytics *analytics.Engine
	DB        *store.DB
	secrets   []string         // sign tokens and, on disk, media URLs
	now       func() time.Time // in whole milliseconds, as times are stored
	clock     func() time.Time // as it ticks

	// Connections are the servers that operators connect.
	Connections *connection.Engine

	// Graphs are those of ComfyUI that operators bring.
	Graphs *graph.Engine

	// Operators does what operators ask for. On a node it has the node's engines, else
	// some that can end work and nothing else: see operateAlone.
	Operators *operator.Engine
}

// AdminOptions are what an Admin is given besides its configuration.
type AdminOptions struct {
	Now      func() time.Time // time.Now when nil
	Catalog  *catalog.Catalog // has what plans cover and what workers earn; nothing when nil
	Earnings bool             // load the catalog
	Existing bool             // do not create a missing database
	Server   bool             // end when another server has the SQLite file

	Metrics *telemetry.Metrics // may be nil
	Reserve int64              // of a full disk: see store.Options
	NoSync  bool               // for tests: see store.Options
}

// OpenAdmin opens the database and the engines on it.
func OpenAdmin(ctx context.Context, c *config.Config, options AdminOptions) (*Admin, error) {
	now := options.Now
	if now == nil {
		now = time.Now
	}
	if options.Earnings {
		known, err := catalog.Load(c.CatalogDir)
		if err != nil {
			return nil, fmt.Errorf("catalog: %w", err)
		}
		options.Catalog = known
	}
	o := store.Options{URL: c.DatabaseURL, Path: c.DatabaseFile(), Existing: options.Existing, Server: options.Server, Reserve: options.Reserve, NoSync: options.NoSync, Observe: observeDatabase(options.Metrics)}
	if options.Server { // a command reads once
		o.ReplicaURL, o.ReplicaLag = c.DatabaseReplica, c.ReplicaLag
	}
	db, err := store.Open(ctx, o)
	if err != nil {
		key := "database_url"
		if c.DatabaseURL == "" {
			key = "data_dir"
		}
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	secrets := c.SessionSecrets()
	if len(secrets) == 0 {
		// Beside a PostgreSQL, the data directory of a command may be any: a
		// secret made there would sign what no server believes.
		secret, err := ownSecret(c.DataDir, !options.Existing || c.DatabaseURL == "")
		if err != nil {
			return nil, errors.Join(fmt.Errorf("data_dir: %w", err), db.Close())
		}
		if secret != "" {
			secrets = []string{secret}
		}
	}
	// Stored times are whole milliseconds; so is the clock, and what is
	// written reads back equal.
	whole := func() time.Time { return now().UTC().Truncate(time.Millisecond) }
	bill := newBilling(db, whole, c, options.Catalog)
	counters := analytics.New(db, whole)
	spent := observeSpending(options.Metrics)
	bill.OnRecord(func(w store.Work) {
		counters.Recorded()
		spent(w)
	})
	a := &Admin{Accounts: account.New(db, secrets, whole), Billing: bill, Analytics: counters, DB: db, secrets: secrets, now: whole, clock: now}
	known := sync.OnceValues(func() (*catalog.Catalog, error) { return catalog.Load(c.CatalogDir) }) // few commands need it
	if options.Catalog != nil {
		known = func() (*catalog.Catalog, error) { return options.Catalog, nil }
	}
	if err := a.connectAlone(ctx, c, known); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := a.operateAlone(ctx, c); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return a, nil
}

// newBilling makes the billing engine, with the terms of a catalog if there is one.
func newBilling(db *store.DB, now func() time.Time, c *config.Config, known *catalog.Catalog) *billing.Engine {
	if known == nil {
		return billing.New(db, now, func(atelier.PlanTier) int { return 0 })
	}
	e := billing.New(db, now, known.VendorDiscount)
	e.SetFairUse(func(t atelier.PlanTier) billing.FairUse {
		return billing.FairUse{Daily: known.FairUse(t).DailySpark, Cycle: known.FairUse(t).CycleSpark}
	})
	e.SetWorkerPay(func(n atelier.Network) billing.Pay { return billing.Pay(known.WorkerPay(n)) })
	pool := known.PlanPool()
	e.SetPool(billing.Pool{ShareBps: pool.ShareBps, BeyondFairUse: pool.BeyondFairUse, Trials: pool.Trials, Price: known.PlanPrice})
	e.SetReview(billing.Review{
		Above: c.Earnings.ReviewAboveUSD, OddFrom: c.Earnings.ReviewOddFromUSD,
		RequesterPercent: float64(c.Earnings.ReviewRequesterPercent), Speed: float64(c.Earnings.ReviewSpeed), SvcUSD: known.SparkUSD(),
	})
	return e
}

// Close closes the database.
func (o *Admin) Close() error { return o.DB.Close() }

// Open opens an account with its credits, in one transaction.
func (o *Admin) Open(ctx context.Context, n account.NewAccount, c billing.Credits) (account.Opened, error) {
	if err := c.Check(); err != nil {
		return account.Opened{}, err
	}
	return o.Accounts.Create(ctx, n, func(tx *store.Tx, w atelier.Wallet) error { return o.Billing.BookCredits(tx, w, mint.UUID(), c) })
}

// newTemplates makes the engine that keeps templates, for the service and for the command
// line, which serves no gallery.
func (o *Admin) newTemplates(c *catalog.Catalog, conf *config.Config, gallery string) *template.Engine {
	return template.New(o.DB, c, template.Options{Limit: conf.Limits.TemplatesPerAccount, MaxBytes: conf.Limits.TemplateBytes, GalleryURL: gallery, Now: o.now})
}

// localCredits are what the first account of an installation begins with.
var localCredits = billing.Credits{Spark: 10_000 * atelier.MoneyUnit, PremiumSpark: 10_000 * atelier.MoneyUnit, Svc: 1_000 * atelier.MoneyUnit}

// FirstUsername is the name of the first account of an installation.
const FirstUsername = "local"

// First opens the local account of a new installation, with credits, a plan and the
// operator role. It reports false when the installation is not new.
func (o *Admin) First(ctx context.Context) (account.Opened, bool, error) {
	local := account.NewAccount{Username: FirstUsername, Worker: true, Operator: true, Tier: atelier.TierUnlimitedPro}
	return o.Accounts.First(ctx, local, func(tx *store.Tx, w atelier.Wallet) error {
		return o.Billing.BookCredits(tx, w, mint.UUID(), localCredits)
	})
}

// ownSecret reads the session secret of a data directory, and may create a
// missing one. Two processes that start together agree on one: the file appears
// whole, by a link, and the second process reads it.
func ownSecret(dir string, mayMake bool) (string, error) {
	path := filepath.Join(dir, transfer.SecretFile)
	secret, err := readSecret(path)
	switch {
	case !errors.Is(err, os.ErrNotExist):
		return secret, err
	case !mayMake:
		return "", nil
	}
	if err := writeSecret(path, rand.Text()+rand.Text()); err != nil {
		return "", err
	}
	return readSecret(path)
}

// writeSecret writes a secret into a file that appears whole, unless there is one.
func writeSecret(path, secret string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp := path + "." + rand.Text()
	if err := os.WriteFile(temp, []byte(secret+"\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, path); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

func readSecret(path string) (string, error) {
	data, err := os.ReadFile(path)
	secret := strings.TrimSpace(string(data))
	if err == nil && len(secret) < 16 {
		err = fmt.Errorf("%s holds no secret: remove the file and a new one is created", path)
	}
	return secret, err
}
