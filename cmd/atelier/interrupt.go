package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// exitError is a failure with its own exit code.
type exitError struct {
	error
	code int
}

// stopped is the cause of a context that a signal has cancelled.
type stopped struct{ os.Signal }

func (s stopped) Error() string { return s.String() }

// untilSignal is a context that the first SIGINT or SIGTERM cancels. The second one ends
// the process at once: the signals have their default effect again
// before anything sees the end of the context.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(stopped{s})
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// interrupted is the error of a command that a signal has stopped, with the exit code that
// shells use for it: 130 after Ctrl-C.
func interrupted(ctx context.Context, format string, args ...any) error {
	code := 128 + int(syscall.SIGINT)
	if s, ok := context.Cause(ctx).(stopped); ok && s.Signal == syscall.SIGTERM {
		code = 128 + int(syscall.SIGTERM)
	}
	return exitError{fmt.Errorf("interrupted: "+format, args...), code}
}

// onHangup calls f on each SIGHUP, until the returned function is called.
func onHangup(f func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				f()
			case <-ended:
				return
			}
		}
	}()
	return func() { signal.Stop(signals); close(ended) }
}
