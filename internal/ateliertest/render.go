package ateliertest

import (
	"math"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/apitype"
)

// render has the worker do something with a job: the paragraph's JSON says
// which.
func (w *world) render(p paragraph, what string) {
	w.t.Helper()
	if w.worker == nil {
		w.fail(p, "there is no worker")
	}
	want := strings.Join(p.lines[1:], "\n")
	j, err := w.worker.take(w.t, func(job []byte) error {
		if want == "" {
			return nil
		}
		return w.matchJSON(w.expand(p, want), job)
	})
	if err != nil {
		w.fail(p, "the worker got another job: %v\ngot %s", err, jobText(j))
	}
	ctx, session := w.t.Context(), w.worker.session
	verb, rest, _ := strings.Cut(what, " ")
	switch verb {
	case "", "complete":
		n := math.MaxInt
		if rest != "" {
			if n, err = strconv.Atoi(rest); err != nil {
				break
			}
		}
		err = w.worker.complete(ctx, j, n, nil)
	case "ordered":
		err = w.worker.deliver(ctx, j, math.MaxInt, nil, ordered)
	case "fail":
		code, message, _ := strings.Cut(rest, " ")
		err = session.Fail(ctx, j.JobID, apitype.JobFailure{Code: code, Message: message})
	case "drop":
		err = session.Fail(ctx, j.JobID, apitype.JobFailure{Code: "dropped", Retryable: true})
	case "hold":
		w.worker.held = append(w.worker.held, j)
	case "upload":
		w.worker.held = append(w.worker.held, j)
		var n int
		if n, err = strconv.Atoi(rest); err == nil {
			_, err = w.worker.upload(ctx, j, n, nil, sampleFor)
		}
	case "progress":
		w.worker.held = append(w.worker.held, j)
		share, message, _ := strings.Cut(rest, " ")
		var progress float64
		if progress, err = strconv.ParseFloat(share, 64); err == nil {
			_, err = session.Progress(ctx, j.JobID, apitype.JobProgress{Progress: progress, Message: message})
		}
	case "cancelled":
		reply, failed := session.Progress(ctx, j.JobID, apitype.JobProgress{Progress: 0.5})
		if !reply.Cancel {
			w.fail(p, "the worker was not told to stop: %v", failed)
		}
		err = session.Fail(ctx, j.JobID, apitype.JobFailure{Code: "dropped"})
	default:
		w.fail(p, "what is render %s?", verb)
	}
	if err != nil {
		w.fail(p, "render %s: %v", what, err)
	}
}
