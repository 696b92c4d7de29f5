package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// loraUse is a LoRA that a render loads.
type loraUse struct {
	id       string
	strength *float64 // nil for the LoRA's default
}

// UnmarshalText reads the flag. The limits are those of the service, so that a wrong
// strength is found before anything is sent.
func (l *loraUse) UnmarshalText(b []byte) error {
	id, strength, given := strings.Cut(string(b), ":")
	if id == "" {
		return fmt.Errorf("%q does not name a LoRA: write its id, or its id and a strength, such as rim-light:0.8", b)
	}
	*l = loraUse{id: id}
	if !given {
		return nil
	}
	n, err := strconv.ParseFloat(strength, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a strength of %s: write a number, such as %s:0.8", strength, id, id)
	case atelier.IsPersonalLora(id) && !(n > 0 && n <= 1):
		return fmt.Errorf("the strength %s of %s is not above 0 and at most 1", strength, id)
	case !(n >= catalog.MinLoraStrength && n <= catalog.MaxLoraStrength):
		return fmt.Errorf("the strength %s of %s is not between %d and %d", strength, id, catalog.MinLoraStrength, catalog.MaxLoraStrength)
	}
	l.strength = &n
	return nil
}

// loras are the ids and the strengths of the LoRAs to render with. Strengths are given
// for all of them or for none.
func (g *generateCommand) loras() (ids []string, strengths []float64, err error) {
	for _, l := range g.Lora {
		ids = append(ids, l.id)
		if l.strength != nil {
			strengths = append(strengths, *l.strength)
		}
	}
	switch {
	case len(ids) > catalog.MaxLoras:
		return nil, nil, fmt.Errorf("--lora: a render loads at most %d LoRAs, not %d", catalog.MaxLoras, len(ids))
	case strengths != nil && len(strengths) < len(ids):
		return nil, nil, errors.New("--lora: give a strength with every LoRA, or with none")
	}
	return ids, strengths, nil
}
