package schema_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/atelier-project/atelier/internal/schema"
)

func TestIsWithin(t *testing.T) {
	t.Parallel()
	doubling := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 60 {
		doubling += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]},`, i, i+1)
	}
	for name, c := range map[string]struct {
		document string
		values   int // that it has; 0 without a bound
	}{
		"plain":           {`{"type":"object","properties":{"a":{"type":"string"}}}`, 5},
		"a list":          {`{"enum":[1,2,[3]]}`, 6},
		"a reference":     {`{"properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"string"}}}`, 8},
		"named like one":  {`{"properties":{"$ref":{"type":"string"},"id":{"type":"string"}}}`, 6},
		"the same again":  {`{"items":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{}}}`, 8},
		"itself":          {`{"properties":{"a":{"$ref":"#"}}}`, 0},
		"in a circle":     {`{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}`, 0},
		"an anchor":       {`{"$ref":"#town"}`, 0},
		"dynamic":         {`{"$dynamicRef":"#town"}`, 0},
		"another base":    {`{"$ref":"#/$defs/a","$defs":{"a":{"$id":"b"}}}`, 0},
		"not there":       {`{"$ref":"#/a"}`, 0},
		"many references": {doubling + `"d60":{}}}`, 0},
	} {
		var document any
		if err := json.Unmarshal([]byte(c.document), &document); err != nil {
			t.Fatal(err)
		}
		if c.values > 0 && (!schema.IsWithin(document, c.values) || schema.IsWithin(document, c.values-1)) {
			t.Errorf("%s: it has not %d values", name, c.values)
		}
		if c.values == 0 && schema.IsWithin(document, 100_000) {
			t.Errorf("%s: it has a bound", name)
		}
	}
}
