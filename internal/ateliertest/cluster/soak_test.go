package cluster_test

import (
	"os"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest/cluster"
)

// Accounts work for as long as ATELIER_TEST_SOAK says: two minutes, unless make soak makes it half an hour. All that
// was accepted ends, the ledger is right, and no node grows.
func TestSoak(t *testing.T) {
	span := 2 * time.Minute
	if given := os.Getenv("ATELIER_TEST_SOAK"); given != "" {
		var err error
		if span, err = time.ParseDuration(given); err != nil {
			t.Fatalf("ATELIER_TEST_SOAK: %v", err)
		}
	}
	c := cluster.Start(t, cluster.Options{Nodes: 3, NATS: 3, Workers: 2})
	s := cluster.NewSoak(c)
	s.Run(span)
	s.Check()
}
