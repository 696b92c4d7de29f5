package detached_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/detached"
)

func TestRun(t *testing.T) {
	t.Parallel()
	ran := false
	detached.Run(func() { ran = true })
	if !ran {
		t.Error("Run returned before its function")
	}
}

var errBroken = errors.New("broken")

// breakDown is a function whose name the stack must show.
func breakDown() { panic(errBroken) }

func TestPanicKeepsTheStack(t *testing.T) {
	t.Parallel()
	defer func() {
		p, ok := recover().(*detached.Panic)
		if !ok || p.Value != errBroken || !errors.Is(p, errBroken) {
			t.Fatalf("the panic is %v, want that of the function", p)
		}
		if text := p.Error(); !strings.HasPrefix(text, "broken\n") || !strings.Contains(text, "detached_test.breakDown") {
			t.Errorf("the panic says %q, want its value and the stack of breakDown", text)
		}
	}()
	detached.Run(breakDown)
	t.Error("Run returned from a function that panicked")
}
