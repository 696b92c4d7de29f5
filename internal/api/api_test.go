package api_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/ateliertest"
)

func TestScenarios(t *testing.T) {
	t.Parallel()
	ateliertest.Scenarios(t, "testdata")
}
