package store

import (
	"fmt"
	"math"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// InsertEvents adds events to a log, in one statement.
func (tx *Tx) InsertEvents(log string, events []atelier.Event) error {
	args := make([]any, 0, eventWidth*len(events))
	for _, e := range events {
		payload, err := wire.Marshal(e.Payload)
		if err != nil {
			return err
		}
		args = append(args, log, e.Sequence, string(e.Type), database.Millis(e.At), e.Message, string(payload), string(e.Status), string(e.Waiting))
	}
	tx.Later(insertEvents(len(events)), args...)
	return nil
}

// insertEvents is the statement for a number of events.
func insertEvents(many int) string {
	var sql strings.Builder
	sql.WriteString(`INSERT INTO event (` + eventColumns + `) VALUES `)
	for i := range many {
		if i > 0 {
			sql.WriteString(", ")
		}
		sql.WriteString("(" + database.Marks(i*eventWidth+1, eventWidth) + ")")
	}
	return sql.String()
}

const eventWidth = 8

const eventColumns = `log, sequence, type, at, message, payload, status, waiting`

func (tx *Tx) events(p *database.Portion, each func(log string, e atelier.Event), tail string, args ...any) error {
	return tx.SomeRows(func(scan func(...any) error) error {
		var (
			e            atelier.Event
			log, payload string
			at           int64
		)
		if err := scan(&log, &e.Sequence, &e.Type, &at, &e.Message, &payload, &e.Status, &e.Waiting); err != nil {
			return err
		}
		if err := p.Count(len(e.Message) + len(payload)); err != nil {
			return err
		}
		e.At = database.FromMillis(at)
		var err error
		if e.Payload, err = apitype.ReadPayload(e.Type, []byte(payload), wire.Unmarshal); err != nil {
			return fmt.Errorf("event %d of %s: %w", e.Sequence, log, err)
		}
		each(log, e)
		return nil
	}, `SELECT `+eventColumns+` FROM event `+tail, args...)
}

// Events lists the events of a log after a sequence, in order: at most limit, and
// fewer when they have more than the given bytes.
func (tx *Tx) Events(log string, after int64, limit int, bytes int64) ([]atelier.Event, error) {
	out, _, err := tx.SizedEvents(log, after, limit, bytes)
	return out, err
}

// SizedEvents is Events that also returns how many bytes the events have.
func (tx *Tx) SizedEvents(log string, after int64, limit int, bytes int64) (out []atelier.Event, size int64, err error) {
	p := &database.Portion{Limit: limit, Bytes: bytes}
	err = tx.events(p, func(_ string, e atelier.Event) { out = append(out, e) },
		`WHERE log = $1 AND sequence > $2 ORDER BY sequence LIMIT $3`, log, after, limit)
	return out, p.Size, err
}

// EventsOf lists the events of several logs. When they have more than the given
// bytes it stops, and more is true.
func (tx *Tx) EventsOf(logs []string, bytes int64) (out map[string][]atelier.Event, more bool, err error) {
	out = make(map[string][]atelier.Event, len(logs))
	if len(logs) == 0 {
		return out, false, nil
	}
	args := make([]any, len(logs))
	for i, log := range logs {
		args[i] = log
	}
	p := &database.Portion{Limit: math.MaxInt, Bytes: bytes}
	err = tx.events(p, func(log string, e atelier.Event) { out[log] = append(out[log], e) },
		`WHERE log IN (`+database.Marks(1, len(logs))+`) ORDER BY log, sequence`, args...)
	return out, p.More, err
}

// TrimEvents deletes the events of a log before a sequence.
func (tx *Tx) TrimEvents(log string, before int64) error {
	_, err := tx.Exec(`DELETE FROM event WHERE log = $1 AND sequence < $2`, log, before)
	return err
}
