package detached_test

import (
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
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("the panic is %v, want that of the function", p)
		}
	}()
	detached.Run(func() { panic("broken") })
}
