package comfyui

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/worker"
)

// record is an entry of ComfyUI's history.
type record struct {
	Outputs map[string]map[string]json.RawMessage `json:"outputs"`
	Status  *struct {
		Text      string              `json:"status_str"`
		Completed bool                `json:"completed"`
		Messages  [][]json.RawMessage `json:"messages"`
	} `json:"status"`
}

// nodeFailure is ComfyUI's report of a node that failed.
type nodeFailure struct {
	Node    string `json:"node_id"`
	Class   string `json:"node_type"`
	Message string `json:"exception_message"`
	Type    string `json:"exception_type"`

	Traceback []string `json:"traceback"` // a text for each frame: its place, and its line of code
}

// verdict is nil for a prompt that succeeded, and otherwise the failure.
func (r *record) verdict(g graph) error {
	if r.Status == nil {
		return nil // older versions report outputs alone
	}
	for _, m := range r.Status.Messages {
		var kind string
		if len(m) != 2 || json.Unmarshal(m[0], &kind) != nil {
			continue
		}
		var f nodeFailure
		_ = json.Unmarshal(m[1], &f) // an invalid message stays empty
		switch kind {
		case "execution_error":
			return f.failure(g)
		case "execution_interrupted":
			return dropped("The render was interrupted in ComfyUI.")
		}
	}
	if r.Status.Text == "error" {
		return worker.Failf("ComfyUI failed without saying why.")
	}
	return nil
}

// ran lists the nodes of a prompt that ComfyUI ran: those that its outputs depend on,
// behind no node whose result was in its cache. It reports false for versions that do not
// say what was.
func (r *record) ran(g graph) (map[string]bool, bool) {
	if r.Status == nil {
		return nil, false
	}
	var cached struct {
		Nodes []string `json:"nodes"`
	}
	found := slices.ContainsFunc(r.Status.Messages, func(m []json.RawMessage) bool {
		var kind string
		return len(m) == 2 && json.Unmarshal(m[0], &kind) == nil && kind == "execution_cached" && json.Unmarshal(m[1], &cached) == nil
	})
	return g.uncached(cached.Nodes), found
}

// failure is the end of a job whose node failed.
func (f nodeFailure) failure(g graph) error {
	reason := f.reason()
	at := f.Class
	if n := g[f.Node]; n != nil {
		at = n.title()
	}
	message := worker.Shorten(fmt.Sprintf("ComfyUI failed at node %s, %s: %s", f.Node, at, reason), 500)
	if t := f.trouble(); t != noTrouble {
		return &outageError{t, message}
	}
	switch {
	case f.lostInput(g):
		return &lostInputError{worker.Failf("%s", message)}
	case outOfMemory(f):
		return &worker.Failure{Code: atelier.FailOutOfMemory, Message: message}
	case loraTrouble(f, g):
		return &worker.Failure{Code: atelier.FailLoraMismatch, Message: message}
	}
	return &worker.Failure{Code: atelier.FailError, Message: message}
}

// reason is the first line of the failure's message, or two when the first announces the
// second, as that of weights with other sizes does.
func (f nodeFailure) reason() string {
	first, rest, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
	first = strings.TrimSpace(first)
	switch second, _, _ := strings.Cut(strings.TrimSpace(rest), "\n"); {
	case first == "":
		return f.Type
	case strings.HasSuffix(first, ":") && second != "":
		return first + " " + strings.TrimSpace(second)
	}
	return first
}

// outOfMemory recognises the out-of-memory errors of PyTorch and ComfyUI.
func outOfMemory(f nodeFailure) bool {
	text := strings.ToLower(f.Message)
	return strings.Contains(f.Type, "OutOfMemory") || strings.Contains(f.Type, "OOM") ||
		strings.Contains(text, "out of memory") || strings.Contains(text, "allocation on device")
}

// loraTrouble reports whether a LoRA of the job does not fit the model: the node
// that loads it fails, or another one reports a mismatch and names it. ComfyUI
// itself skips weights that it cannot apply, and only logs them.
func loraTrouble(f nodeFailure, g graph) bool {
	if strings.HasPrefix(f.Node, loraNode) {
		return true
	}
	text := strings.ToLower(f.Message)
	loaded := slices.ContainsFunc(slices.Collect(maps.Keys(g)), func(id string) bool { return strings.HasPrefix(id, loraNode) })
	return loaded && strings.Contains(text, "lora") && slices.ContainsFunc(
		[]string{"mismatch", "shape", "not loaded", "unexpected key", "missing key", "size of tensor"},
		func(s string) bool { return strings.Contains(text, s) })
}

// staleError is the refusal of a graph that names a file or a node which ComfyUI does
// not have, or no longer.
type staleError struct{ error }

func (e *staleError) Unwrap() error { return e.error }

// refusal makes a failure of a prompt that ComfyUI did not queue.
func refusal(err error, g graph) error {
	var refused *refusedError
	if !errors.As(err, &refused) {
		return err
	}
	var answer accepted
	if refused.status != http.StatusBadRequest || json.Unmarshal(refused.body, &answer) != nil {
		return worker.Failf("%s.", worker.Shorten(strings.TrimSuffix(err.Error(), "."), 500))
	}
	if len(answer.NodeErrors) > 0 {
		return invalid(answer.NodeErrors, g)
	}
	var why struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Details string `json:"details"`
	}
	if json.Unmarshal(answer.Error, &why) != nil {
		_ = json.Unmarshal(answer.Error, &why.Message) // the oldest versions send a text
	}
	err = worker.Failf("%s", worker.Shorten(strings.TrimSpace(fmt.Sprintf("ComfyUI refused the graph: %s %s", why.Message, why.Details)), 500))
	if strings.Contains(why.Message, "does not exist") || why.Type == "missing_node_type" {
		return &staleError{err}
	}
	return err
}

// invalid lists the inputs that ComfyUI refused, each reason once.
func invalid(nodes map[string]nodeError, g graph) error {
	at := map[string][]string{} // nodes by the reason
	var reasons []string
	stale, lost := false, false
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		e := nodes[id]
		class := e.Class
		if n := g[id]; n != nil {
			class = n.title()
		}
		for _, x := range e.Errors {
			stale = stale || x.Type == "value_not_in_list"
			lost = lost || x.Type == "custom_validation_failed" && len(g[id].uploads()) > 0
			reason := fmt.Sprintf("%s: %s", x.Message, worker.Shorten(x.Details, 160))
			if at[reason] == nil {
				reasons = append(reasons, reason)
			}
			at[reason] = append(at[reason], fmt.Sprintf("%s, %s", id, class))
		}
	}
	for i, reason := range reasons {
		reasons[i] = "node " + strings.Join(at[reason], " and ") + ": " + reason
	}
	err := worker.Failf("%s", worker.Shorten("ComfyUI refused the graph: "+strings.Join(reasons, "; "), 500))
	switch {
	case stale:
		return &staleError{err}
	case lost:
		return &lostInputError{err}
	}
	return err
}

// dropped is the end of a job that another worker may retry.
func dropped(format string, args ...any) error {
	return worker.Retryf(atelier.FailDropped, format, args...)
}

// unavailable is the end of a job that ComfyUI cannot render for now: it does not count
// as a try.
func unavailable(format string, args ...any) error {
	return worker.Retryf(atelier.FailUnavailable, format, args...)
}

// lostComfyUI is the end of a job whose ComfyUI has been away for too long. It counts as a
// try if the job was being rendered, because the job itself may have ended ComfyUI.
func lostComfyUI(patience time.Duration, isWaiting bool) error {
	text := patience.String()
	if patience%time.Minute == 0 {
		text = fmt.Sprintf("%d minutes", patience/time.Minute)
	}
	if isWaiting {
		return unavailable("ComfyUI did not come back within %s.", text)
	}
	return dropped("ComfyUI did not come back within %s.", text)
}

// errStopped is the end of a job that ComfyUI had accepted, or was about to, when it
// stopped answering.
var errStopped = dropped("ComfyUI stopped answering during the job.")

// publicReason is an error as customers read it: without the address of ComfyUI, which is one
// of the worker's network. The log has the error itself.
func publicReason(err error) string {
	if isUnreachable(err) {
		return notAnswering
	}
	if o := outageOf(err); o != nil {
		return o.trouble.cause()
	}
	var other *worker.OddAnswer
	if errors.As(err, &other) {
		return other.Public()
	}
	return worker.PublicReason(err)
}

const notAnswering = "ComfyUI does not answer"

// listed joins names, but not too many.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
