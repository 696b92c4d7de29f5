package store

import (
	"time"

	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// NodeSample is what a node has seen at a time.
type NodeSample struct {
	Node string
	At   time.Time

	Queued, Active, Workers int64 // of the installation; NoLevels in a sample that only has what was counted

	Started, Completed, Failed int64         // by the node since its sample before
	Waits                      map[int]int64 // see fleet.Waits

	Memory int64
	Free   int64 // -1 where the node stores nothing
}

// NoLevels stands for what was not read.
const NoLevels = -1

// MinuteSample is what all nodes have seen in a minute. Its node is empty.
type MinuteSample struct {
	NodeSample       // with the largest Memory and the smallest Free of a node
	Nodes      int64 // that took a sample with levels
}

// InsertSample stores a sample.
func (tx *Tx) InsertSample(s NodeSample) error {
	waits, err := wire.Marshal(s.Waits)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO node_sample (node, at, queued, active, workers, started, completed, failed, waits, memory, free)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (node, at) DO NOTHING`,
		s.Node, database.Millis(s.At), s.Queued, s.Active, s.Workers, s.Started, s.Completed, s.Failed, string(waits), s.Memory, s.Free)
	return err
}

// MinuteSamples adds the samples since a time up by minute, the earliest first. The waits are
// those of MinuteWaits.
func (tx *Tx) MinuteSamples(since time.Time) (out []MinuteSample, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			s      MinuteSample
			minute int64
		)
		if err := scan(&minute, &s.Nodes, &s.Queued, &s.Active, &s.Workers, &s.Started, &s.Completed, &s.Failed, &s.Memory, &s.Free); err != nil {
			return err
		}
		s.At = database.FromMillis(minute * time.Minute.Milliseconds())
		out = append(out, s)
		return nil
	}, `SELECT at / 60000 AS minute, COUNT(DISTINCT CASE WHEN queued >= 0 THEN node END), MAX(queued), MAX(active), MAX(workers),
		CAST(SUM(started) AS BIGINT), CAST(SUM(completed) AS BIGINT), CAST(SUM(failed) AS BIGINT),
		MAX(memory), COALESCE(MIN(CASE WHEN free >= 0 THEN free END), -1)
		FROM node_sample WHERE at >= $1 GROUP BY at / 60000 ORDER BY minute`, database.Millis(since))
	return out, err
}

// MinuteWaits calls each with the waits of every sample since a time that has some.
func (tx *Tx) MinuteWaits(since time.Time, each func(at time.Time, waits map[int]int64)) error {
	return tx.Rows(func(scan func(...any) error) error {
		var (
			at    int64
			text  string
			waits map[int]int64
		)
		if err := scan(&at, &text); err != nil {
			return err
		}
		if err := wire.Unmarshal([]byte(text), &waits); err != nil {
			return err
		}
		each(database.FromMillis(at), waits)
		return nil
	}, `SELECT at, waits FROM node_sample WHERE at >= $1 AND started > 0`, database.Millis(since))
}

// LatestSamples reads the memory and the free space of each node that took a sample since a
// time, as it was last.
func (tx *Tx) LatestSamples(since time.Time) (map[string]NodeSample, error) {
	out := map[string]NodeSample{}
	err := tx.Rows(func(scan func(...any) error) error {
		var s NodeSample
		err := scan(&s.Node, &s.Memory, &s.Free)
		out[s.Node] = s
		return err
	}, `SELECT node, memory, free FROM node_sample WHERE at >= $1 ORDER BY at`, database.Millis(since))
	return out, err
}

// DeleteSamples removes the samples before a time, and returns how many.
func (tx *Tx) DeleteSamples(before time.Time) (int64, error) {
	return tx.Exec(`DELETE FROM node_sample WHERE at < $1`, database.Millis(before))
}
