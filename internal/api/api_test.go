package api_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

func init() { databasetest.InShort = "TestScenarios" }

func TestScenarios(t *testing.T) {
	t.Parallel()
	ateliertest.Scenarios(t, "testdata")
}
