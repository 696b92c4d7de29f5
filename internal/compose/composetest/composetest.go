// Package composetest makes the engine of the composition tools for tests.
package composetest

import (
	"sync"

	"github.com/atelier-project/atelier/internal/compose"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/kit"
)

// Engine is the engine for the catalog of the tests, with the rules of the offline kit.
var Engine = sync.OnceValue(func() *compose.Engine {
	rules, err := kit.NewCompleter(enginetest.Catalog())
	if err != nil {
		panic(err)
	}
	return compose.New(enginetest.Catalog(), rules)
})
