package store

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// StoredLora is a row of the personal_lora table. The engine of personal LoRAs
// writes and reads the pin.
type StoredLora struct {
	atelier.PersonalLora
	Pin      []byte
	JobID    atelier.JobID // of the import
	Tries    int           // how often the import failed since it was accepted
	Rules    int           // the version of the import rules that were applied
	Held     bool          // in review because the operator holds it back
	Revision int64         // counts the changes
}

const loraColumns = `id, wallet, name, model_id, family, link, source, pin, status, reason, failure, requirements, provider, version, bytes, sha256,
	object_key, progress, job_id, tries, rules, held, revision, created_at, updated_at`

func (tx *Tx) loras(tail string, args ...any) (out []StoredLora, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			l                 StoredLora
			pin, requirements string
			created, updated  int64
		)
		if err := scan(&l.ID, &l.Wallet, &l.Name, &l.ModelID, &l.Family, &l.Link, &l.Source, &pin, &l.Status, &l.Reason, &l.Failure, &requirements, &l.Provider,
			&l.Version, &l.Bytes, &l.SHA256, &l.Key, &l.Progress, &l.JobID, &l.Tries, &l.Rules, &l.Held, &l.Revision, &created, &updated); err != nil {
			return err
		}
		if err := wire.Unmarshal([]byte(requirements), &l.Requirements); err != nil {
			return fmt.Errorf("LoRA %s: %w", l.ID, err)
		}
		l.Pin, l.CreatedAt, l.UpdatedAt = []byte(pin), database.FromMillis(created), database.FromMillis(updated)
		out = append(out, l)
		return nil
	}, `SELECT `+loraColumns+` FROM personal_lora `+tail, args...)
	return out, err
}

func (tx *Tx) lora(tail string, args ...any) (StoredLora, error) {
	found, err := tx.loras(tail, args...)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredLora{}, err
	}
	return found[0], nil
}

// values are the columns of a row that changes write, from the name on.
func (l StoredLora) values() ([]any, error) {
	if l.Requirements == nil {
		l.Requirements = []string{}
	}
	requirements, err := wire.Marshal(l.Requirements)
	return []any{l.Name, l.ModelID, l.Link, l.Source, string(l.Pin), string(l.Status), l.Reason, string(l.Failure), string(requirements), l.Provider, l.Version, l.Bytes,
		l.SHA256, l.Key, l.Progress, string(l.JobID), l.Tries, l.Rules, l.Held, database.Millis(l.UpdatedAt)}, err
}

// InsertLora adds a personal LoRA.
func (tx *Tx) InsertLora(l StoredLora) error {
	if !atelier.LoraStatus("").May(l.Status) {
		return fmt.Errorf("store: a personal LoRA may not begin as %q", l.Status)
	}
	values, err := l.values()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO personal_lora (id, wallet, family, created_at, revision, name, model_id, link, source, pin, status, reason, failure, requirements,
		provider, version, bytes, sha256, object_key, progress, job_id, tries, rules, held, updated_at)
		VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`,
		append([]any{string(l.ID), string(l.Wallet), l.Family, database.Millis(l.CreatedAt)}, values...)...)
	tx.touch(l.Wallet, TopicLoras)
	return err
}

// UpdateLora writes a personal LoRA that was read in the status from. ErrNotFound
// means that it has changed or was removed since. A move that atelier.LoraMoves does
// not have is an error.
func (tx *Tx) UpdateLora(l *StoredLora, from atelier.LoraStatus) error {
	if l.Status != from && !from.May(l.Status) {
		return fmt.Errorf("store: a personal LoRA may not move from %q to %q", from, l.Status)
	}
	values, err := l.values()
	if err != nil {
		return err
	}
	err = tx.Must(`UPDATE personal_lora SET revision = revision + 1, name = $4, model_id = $5, link = $6, source = $7, pin = $8, status = $9, reason = $10, failure = $11,
		requirements = $12, provider = $13, version = $14, bytes = $15, sha256 = $16, object_key = $17, progress = $18, job_id = $19, tries = $20, rules = $21, held = $22,
		updated_at = $23 WHERE id = $1 AND revision = $2 AND status = $3`, append([]any{string(l.ID), l.Revision, string(from)}, values...)...)
	l.Revision++
	tx.touch(l.Wallet, TopicLoras)
	if err != nil || l.Status == from {
		return err
	}
	return tx.notifyLora(*l)
}

// notifyLora reports the new status of a personal LoRA, which this transaction has changed, to the webhooks of its
// owner.
func (tx *Tx) notifyLora(l StoredLora) error {
	hook, reported := map[atelier.LoraStatus]atelier.WebhookEvent{atelier.LoraReady: atelier.HookLoraReady, atelier.LoraRejected: atelier.HookLoraRejected}[l.Status]
	if !reported {
		return nil
	}
	return tx.NotifyWebhooks(Notice{
		Wallet: l.Wallet, Type: hook, Subject: string(l.ID), At: l.UpdatedAt,
		Data: func() any {
			return apitype.WebhookLora{LoraID: l.ID, Name: l.Name, ModelID: l.ModelID, Status: l.Status, Reason: l.Reason, FailureCode: l.Failure}
		},
	})
}

// SetLoraProgress records how far the transfer into an object has come. ErrNotFound
// means that the entry is no longer imported into this object.
func (tx *Tx) SetLoraProgress(id atelier.LoraID, key string, progress float64, bytes int64, at time.Time) error {
	var owner atelier.Wallet
	err := tx.Row(`UPDATE personal_lora SET progress = $3, bytes = $4, updated_at = $5 WHERE id = $1 AND object_key = $2 AND status = 'validating' RETURNING wallet`,
		string(id), key, progress, bytes, database.Millis(at)).Scan(&owner)
	tx.touch(owner, TopicLoras)
	return err
}

// DeleteLora removes a personal LoRA. ErrNotFound means that it has changed or was
// removed since it was read.
func (tx *Tx) DeleteLora(l StoredLora) error {
	tx.touch(l.Wallet, TopicLoras)
	return tx.Must(`DELETE FROM personal_lora WHERE id = $1 AND revision = $2`, string(l.ID), l.Revision)
}

// Lora finds a personal LoRA of an account.
func (tx *Tx) Lora(owner atelier.Wallet, id atelier.LoraID) (StoredLora, error) {
	return tx.lora(`WHERE id = $1 AND wallet = $2`, string(id), string(owner))
}

// LoraOfAny finds a personal LoRA of any account.
func (tx *Tx) LoraOfAny(id atelier.LoraID) (StoredLora, error) {
	return tx.lora(`WHERE id = $1`, string(id))
}

// LockLora is LoraOfAny that keeps other transactions from changing it until this one ends.
func (tx *Tx) LockLora(id atelier.LoraID) (StoredLora, error) {
	return tx.lora(`WHERE id = $1`+tx.Dialect.ForUpdate, string(id))
}

// Loras lists the personal LoRAs of an account, newest first.
func (tx *Tx) Loras(owner atelier.Wallet) ([]StoredLora, error) {
	return tx.loras(`WHERE wallet = $1 ORDER BY created_at DESC, id DESC`, string(owner))
}

// LorasOfAll lists the personal LoRAs of all accounts in a status, or in any when it is
// empty: at most limit, after the given one.
func (tx *Tx) LorasOfAll(status atelier.LoraStatus, after atelier.LoraID, limit int) ([]StoredLora, error) {
	return tx.loras(`WHERE (status = $1 OR $1 = '') AND id > $2 ORDER BY id LIMIT $3`, string(status), string(after), limit)
}

// LorasBefore lists the personal LoRAs of all accounts, or of one, in a status, or in any
// when it is empty: at most limit, created before the given one, newest first.
func (tx *Tx) LorasBefore(status atelier.LoraStatus, owner atelier.Wallet, at time.Time, id atelier.LoraID, limit int) ([]StoredLora, error) {
	var q conditions
	q.add(status != "", `status = `, string(status))
	q.add(owner != "", `wallet = `, string(owner))
	if id != "" {
		q.and(`(created_at, id) < (` + q.param(database.Millis(at)) + `, ` + q.param(string(id)) + `)`)
	}
	return tx.loras(q.where()+` ORDER BY created_at DESC, id DESC LIMIT `+q.param(limit), q.args...)
}

// LoraOfLink finds the personal LoRA of an account that was imported for a family from
// a link, or that is pinned to the same source.
func (tx *Tx) LoraOfLink(owner atelier.Wallet, family, link, source string) (StoredLora, error) {
	return tx.lora(`WHERE wallet = $1 AND family = $2 AND (link = $3 OR source = $4) ORDER BY CASE WHEN link = $3 THEN 0 ELSE 1 END, created_at, id LIMIT 1`,
		string(owner), family, link, source)
}

// LoraOfDigest finds the personal LoRA of an account for a family that has a file with a
// SHA-256, unless it was rejected.
func (tx *Tx) LoraOfDigest(owner atelier.Wallet, family, sha256 string) (StoredLora, error) {
	return tx.lora(`WHERE wallet = $1 AND family = $2 AND sha256 = $3 AND status <> 'rejected' ORDER BY created_at, id LIMIT 1`, string(owner), family, sha256)
}

// CountLoras counts the personal LoRAs of an account.
func (tx *Tx) CountLoras(owner atelier.Wallet) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM personal_lora WHERE wallet = $1`, string(owner)).Scan(&n)
	return n, err
}

// CountImports counts the imports of all accounts that are under way.
func (tx *Tx) CountImports() (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM personal_lora WHERE status IN ('queued', 'validating')`).Scan(&n)
	return n, err
}

// ImportsOn is how many imports of an account were accepted on a UTC day.
func (tx *Tx) ImportsOn(owner atelier.Wallet, day string) (n int, err error) {
	err = tx.Row(`SELECT COALESCE(MAX(imports), 0) FROM lora_import_day WHERE wallet = $1 AND day = $2`, string(owner), day).Scan(&n)
	return n, err
}

// CountImport counts an import of an account on a UTC day.
func (tx *Tx) CountImport(owner atelier.Wallet, day string) error {
	_, err := tx.Exec(`INSERT INTO lora_import_day (wallet, day, imports) VALUES ($1, $2, 1)
		ON CONFLICT (wallet, day) DO UPDATE SET imports = lora_import_day.imports + 1`, string(owner), day)
	return err
}

// UncountImport takes back CountImport.
func (tx *Tx) UncountImport(owner atelier.Wallet, day string) error {
	_, err := tx.Exec(`UPDATE lora_import_day SET imports = imports - 1 WHERE wallet = $1 AND day = $2 AND imports > 0`, string(owner), day)
	return err
}

// DeleteImportDays removes the counts of days before one.
func (tx *Tx) DeleteImportDays(before string) error {
	_, err := tx.Exec(`DELETE FROM lora_import_day WHERE day < $1`, before)
	return err
}

// insertJobLoras records which personal LoRAs a new job loads.
func (tx *Tx) insertJobLoras(j StoredJob) error {
	for _, l := range j.Spec.Loras {
		if l.Personal == nil {
			continue
		}
		if _, err := tx.Exec(`INSERT INTO job_lora (job_id, lora_id, object_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, string(j.ID), l.ID, l.Personal.Key); err != nil {
			return err
		}
	}
	return nil
}

// ForgetJobLoras removes what is recorded about the personal LoRAs of jobs that are
// over.
func (tx *Tx) ForgetJobLoras() error {
	_, err := tx.Exec(`DELETE FROM job_lora WHERE job_id NOT IN (SELECT id FROM job WHERE state IN ('queued', 'leased') AND personal_loras > 0)`)
	return err
}

// QueuedWithLora lists the queued jobs that would load a personal LoRA.
func (tx *Tx) QueuedWithLora(id atelier.LoraID) (jobs []atelier.JobID, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var job atelier.JobID
		err := scan(&job)
		jobs = append(jobs, job)
		return err
	}, `SELECT u.job_id FROM job_lora u JOIN job ON job.id = u.job_id WHERE u.lora_id = $1 AND job.state = 'queued' ORDER BY u.job_id`, string(id))
	return jobs, err
}

// DeleteEndedJobs removes the jobs of an owner that are over, but for one. It is for
// owners that submit one job after the other; none of them has artifacts.
func (tx *Tx) DeleteEndedJobs(o atelier.JobOwner, except atelier.JobID) error {
	_, err := tx.Exec(`DELETE FROM job WHERE owner_kind = $1 AND owner_id = $2 AND id <> $3 AND state IN ('completed', 'failed', 'cancelled')`,
		o.Kind, o.ID, string(except))
	return err
}
