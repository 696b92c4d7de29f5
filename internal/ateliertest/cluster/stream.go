package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
)

// entry is an event of a log.
type entry struct {
	Sequence int64
	Type     atelier.EventType
}

// reader reads the stream of a log, over as many connections as that takes, and is stricter than a client has to be:
// each event comes once, and in order, also after a connection that broke.
type reader struct {
	url    func() string // of a node, for each connection
	key    string
	path   string
	events []entry
	opened int // connections
	ended  atelier.Status
}

// errLog says that a log is not what it has to be.
var errLog = errors.New("the log is wrong")

// read reads until the log is over.
func (r *reader) read(ctx context.Context) error {
	for {
		err := r.connection(ctx)
		switch {
		case r.ended != "":
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%s is not over after %d events: %w (%w)", r.path, len(r.events), ctx.Err(), err)
		case errors.Is(err, errLog):
			return err
		}
		var refused *client.Error
		if errors.As(err, &refused) && !client.IsTemporary(err) {
			return fmt.Errorf("%s: %d %w", r.path, refused.Status, err)
		}
		pause(ctx)
	}
}

// connection reads one connection.
func (r *reader) connection(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url()+r.path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	if len(r.events) > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(r.events[len(r.events)-1].Sequence, 10))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return &client.Error{Status: resp.StatusCode, Message: string(text)}
	}
	r.opened++
	var id, event, data string
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			id = value
		case "event":
			event = value
		case "data":
			data += value
		case "":
			if line == "\n" && event != "" {
				if err := r.frame(id, event, data); err != nil || r.ended != "" {
					return err
				}
			}
			if line == "\n" {
				id, event, data = "", "", ""
			}
		}
	}
}

// frame takes one frame.
func (r *reader) frame(id, event, data string) error {
	switch {
	case event == "error":
		return fmt.Errorf("the stream failed: %s", data)
	case event == "workflow_status" || event == "run_status":
		var now struct{ Status atelier.Status }
		if err := json.Unmarshal([]byte(data), &now); err != nil {
			return fmt.Errorf("%w: %s: %w", errLog, r.path, err)
		}
		if now.Status.Terminal() {
			r.ended = now.Status
		}
	case id != "":
		var e entry
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return fmt.Errorf("%w: %s: %w", errLog, r.path, err)
		}
		if e.Sequence != int64(len(r.events)) || strconv.FormatInt(e.Sequence, 10) != id {
			return fmt.Errorf("%w: %s: event %s has the sequence %d, want %d", errLog, r.path, id, e.Sequence, len(r.events))
		}
		r.events = append(r.events, e)
	}
	return nil
}
