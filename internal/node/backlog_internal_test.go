package node

import (
	"errors"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
)

// While too many changes wait, nothing new is stored, and clients are told when to come again.
func TestBacklog(t *testing.T) {
	t.Parallel()
	waiting, full := int64(mostChanges-1), errors.New("the disk is full")
	check := checkBacklog(func() int64 { return waiting }, func(endpoint.Storage) error { return full })
	if err := check(endpoint.StoresRows); !errors.Is(err, full) {
		t.Errorf("below the bound: %v, want what else is checked", err)
	}
	waiting++
	var busy *atelier.Error
	if err := check(endpoint.StoresRows); !errors.As(err, &busy) || busy.Code != atelier.CodeCapacityFull || busy.RetryAfter <= 0 {
		t.Errorf("at the bound: %v", err)
	}
}
