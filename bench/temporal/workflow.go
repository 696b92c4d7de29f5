package main

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// The two queues: one that a worker serves and one without a worker.
const (
	served   = "bench"
	unserved = "bench-unserved"
)

// Chain is a workflow of no-op activities, each of which takes what the one
// before has made. Of one step, it is the one-step workflow.
func Chain(ctx workflow.Context, steps int) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	made := ""
	for range steps {
		if err := workflow.ExecuteActivity(ctx, Render, made).Get(ctx, &made); err != nil {
			return "", err
		}
	}
	return made, nil
}

// Render is the activity that makes nothing.
func Render(_ context.Context, from string) (string, error) { return from + ".", nil }

func (b bench) start(ctx context.Context, queue string, steps int) (client.WorkflowRun, error) {
	return b.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue}, Chain, steps)
}

// work runs a worker until the function it returns is called.
func (b bench) work() (stop func(), err error) {
	w := worker.New(b.client, served, worker.Options{
		// More than the default of two: the worker must not be what is measured.
		MaxConcurrentWorkflowTaskPollers: pollers, MaxConcurrentActivityTaskPollers: pollers,
	})
	w.RegisterWorkflow(Chain)
	w.RegisterActivity(Render)
	if err := w.Start(); err != nil {
		return nil, err
	}
	return w.Stop, nil
}

// pollers is how many calls wait for tasks of each kind.
const pollers = 8
