package simulation_test

import (
	"slices"
	"strings"
	"testing"
)

// defects are mistakes that a version of the engines could make, planted into the database: a trigger does
// what the mistake would. Each names what must be found, and within how many seeds.
var defects = []struct {
	name   string
	damage []string
	finds  string
	seeds  uint64
}{
	{"double settle", []string{`CREATE TRIGGER d AFTER INSERT ON ledger WHEN NEW.kind = 'spend' AND SUBSTR(NEW.cause, 1, 4) = 'job/'
		AND (SELECT granted - spent - held FROM purse WHERE wallet = NEW.wallet AND token = NEW.token) >= NEW.amount BEGIN
			INSERT INTO ledger (cause, kind, token, wallet, amount, at, app) VALUES (NEW.cause || '/again', NEW.kind, NEW.token, NEW.wallet, NEW.amount, NEW.at, NEW.app);
			UPDATE purse SET spent = spent + NEW.amount WHERE wallet = NEW.wallet AND token = NEW.token;
		END`}, "/again was charged", 20},
	{"charge of failed work", []string{`CREATE TRIGGER d AFTER DELETE ON hold WHEN (SELECT state FROM job WHERE id = SUBSTR(OLD.cause, 5, 36)) = 'failed' BEGIN
			INSERT INTO ledger (cause, kind, token, wallet, amount, at, app) VALUES (OLD.cause, 'spend', OLD.token, OLD.wallet, OLD.amount, OLD.at, '');
			UPDATE purse SET spent = spent + OLD.amount WHERE wallet = OLD.wallet AND token = OLD.token;
		END`}, "is not work that was completed", 60},
	{"forgotten hold", []string{`CREATE TRIGGER d BEFORE DELETE ON hold WHEN (SELECT state FROM job WHERE id = SUBSTR(OLD.cause, 5, 36)) IN ('failed', 'cancelled') BEGIN
			SELECT RAISE(IGNORE);
		END`}, "money is held for", 40},
	{"lost event", []string{`CREATE TRIGGER d BEFORE INSERT ON event WHEN NEW.type = 'step_started' BEGIN SELECT RAISE(IGNORE); END`}, "has a gap", 20},
	{"stale lease", []string{`CREATE TABLE before_lease (id TEXT PRIMARY KEY, worker TEXT)`,
		`CREATE TRIGGER d1 AFTER UPDATE ON job WHEN OLD.worker_id <> '' AND NEW.worker_id = '' BEGIN
			INSERT OR REPLACE INTO before_lease VALUES (OLD.id, OLD.worker_id);
		END`,
		`CREATE TRIGGER d2 AFTER UPDATE ON job WHEN OLD.state = 'queued' AND NEW.state = 'leased' AND EXISTS (SELECT 1 FROM before_lease WHERE id = NEW.id) BEGIN
			UPDATE job SET worker_id = (SELECT worker FROM before_lease WHERE id = NEW.id), leases = OLD.leases WHERE id = NEW.id;
		END`}, "lost job #", 80},
	{"short lease", []string{`CREATE TRIGGER d AFTER UPDATE OF lease_until ON job WHEN NEW.state = 'leased' BEGIN
			UPDATE job SET lease_until = NEW.lease_until * 0 + 1 WHERE id = NEW.id;
		END`}, "whose lease", 40},
	{"forgotten key", []string{`CREATE TRIGGER d AFTER INSERT ON idempotency BEGIN DELETE FROM idempotency WHERE wallet = NEW.wallet AND scope = NEW.scope AND key = NEW.key; END`}, "was accepted as", 40},
	{"lost delivery", []string{`CREATE TRIGGER d BEFORE INSERT ON webhook_delivery WHEN NEW.type = 'workflow.completed' BEGIN SELECT RAISE(IGNORE); END`}, "webhooks were not told once", 60},
	{"uncounted start", []string{`CREATE TRIGGER d AFTER UPDATE OF active ON stored_total WHEN NEW.active > OLD.active AND OLD.active > 0 BEGIN
			UPDATE stored_total SET active = OLD.active WHERE wallet = NEW.wallet;
		END`}, "workflows under way, and the limit is", 40},
	{"end without a time", []string{`CREATE TRIGGER d AFTER INSERT ON stored WHEN NEW.ended_at > 0 BEGIN UPDATE stored SET ended_at = 0 WHERE id = NEW.id; END`}, "all is old, and there are", 40},
	{"charge removed with its work", []string{`CREATE TRIGGER d AFTER DELETE ON job WHEN OLD.state = 'completed' BEGIN
			DELETE FROM ledger WHERE kind = 'spend' AND cause = 'job/' || OLD.id || '/' || CAST(OLD.attempt AS TEXT);
		END`}, "what is old is removed: ", 20},
	{"lost job", []string{`CREATE TRIGGER d AFTER UPDATE ON job WHEN NEW.state = 'queued' AND NEW.attempt = 2 BEGIN UPDATE job SET state = 'cancelled' WHERE id = NEW.id; END`}, "", 40},
}

// Mistakes of each kind are found.
//
//atelier:norace
func TestPlantedDefects(t *testing.T) {
	leaveOutRacing(t)
	for _, d := range defects {
		t.Run(strings.ReplaceAll(d.name, " ", "_"), func(t *testing.T) {
			for seed := uint64(1); seed <= d.seeds; seed++ {
				out, lines := play(t, seed, d.damage...)
				if slices.ContainsFunc(out.Faults, func(text string) bool { return strings.Contains(text, d.finds) }) {
					t.Logf("seed %d: %s", seed, strings.Join(out.Faults, "\n"))
					return
				}
				if len(out.Faults) > 0 {
					t.Fatalf("seed %d finds something else, want %q: %s\n%s", seed, d.finds, strings.Join(out.Faults, "\n"), lines)
				}
			}
			t.Errorf("%d seeds do not find it", d.seeds)
		})
	}
}
