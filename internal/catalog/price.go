package catalog

import (
	"errors"
	"math/big"

	"github.com/atelier-project/atelier"
)

// Price is the price of a render before plans and discounts. It is either the word "free"
// or a mapping.
type Price struct {
	// Free is set only by the word, so that nothing is free by omission.
	Free bool `yaml:"-"`
	// USD is the price of one unit in dollars.
	USD atelier.Money `yaml:"usd"`
	// Per is the unit: output, second, megapixel (at least one is billed) or
	// operation.
	Per string `yaml:"per"`
	// Factors multiply the price according to an argument's value.
	Factors []Factor `yaml:"factors"`
	// Surcharges are added for input media. Of those for one kind of input, the first
	// whose conditions hold applies.
	Surcharges []Surcharge `yaml:"surcharges"`
}

// Factor multiplies a price by the entry for an argument's value; a value without an entry
// does not change it.
type Factor struct {
	Argument string                   `yaml:"argument"`
	By       map[string]atelier.Money `yaml:"by"`
}

// Surcharge is added, for each rendered second, when the input has media of a kind.
type Surcharge struct {
	Input Kind                `yaml:"input"`
	USD   atelier.Money       `yaml:"usd"`
	When  map[string][]string `yaml:"when"`
}

// UnmarshalText reads the word "free".
func (p *Price) UnmarshalText(text []byte) error {
	if string(text) != "free" {
		return errors.New("must be the word free, or a mapping with usd and per")
	}
	*p = Price{Free: true}
	return nil
}

// The units of a price.
const (
	perOutput    = "output"
	perSecond    = "second"
	perMegapixel = "megapixel"
	perOperation = "operation"
)

// Cost is the price of a step in both spellings, and the estimate object of
// the wire.
type Cost struct {
	USD      atelier.Money `json:"-"` // millionths of a dollar
	Spark    atelier.Money `json:"-"` // millionths of a Spark
	Class    string        `json:"costClass"`
	Unit     string        `json:"unit"` // image, second or operation
	Quantity float64       `json:"quantity"`
}

// quantity is the amounts that a step makes.
type quantity struct {
	outputs int
	length  Length
	pixels  int // of one output; 0 when not known
	inputs  Counts
	value   func(argument string) string
}

// basePixels is the size of the render that a megapixel price is quoted for.
const basePixels = 1024 * 1024

// amount returns the price in exact dollars.
func (p Price) amount(q quantity) *big.Rat {
	usd := rat(p.USD)
	switch p.Per {
	case perSecond:
		usd.Mul(usd, q.length.rat())
	case perMegapixel:
		if q.pixels > basePixels {
			usd.Mul(usd, big.NewRat(int64(q.pixels), basePixels))
		}
	}
	multiply(usd, p.Factors, q.value)
	var seen Kind
	for _, s := range p.Surcharges {
		if s.Input == seen || q.inputs.Of(s.Input) == 0 || !matches(s.When, q.value, false) {
			continue
		}
		seen = s.Input
		usd.Add(usd, new(big.Rat).Mul(rat(s.USD), q.length.rat()))
	}
	if p.Per != perOperation {
		usd.Mul(usd, big.NewRat(int64(q.outputs), 1))
	}
	return usd
}

func multiply(usd *big.Rat, factors []Factor, value func(string) string) {
	for _, f := range factors {
		if by, ok := f.By[value(f.Argument)]; ok {
			usd.Mul(usd, rat(by))
		}
	}
}

func (l Length) rat() *big.Rat {
	if l.den == 0 {
		return new(big.Rat)
	}
	return big.NewRat(l.num, l.den)
}

func rat(m atelier.Money) *big.Rat { return big.NewRat(int64(m), int64(atelier.MoneyUnit)) }

// money rounds up to a millionth, so that no work is priced at zero.
func money(r *big.Rat) atelier.Money {
	n := new(big.Int).Mul(r.Num(), big.NewInt(int64(atelier.MoneyUnit)))
	q, m := n.QuoRem(n, r.Denom(), new(big.Int))
	if m.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	return atelier.Money(q.Int64())
}

// unit returns the estimate's unit for outputs of a kind.
func (p Price) unit(k Kind) string {
	switch {
	case p.Per == perSecond:
		return "second"
	case k == Image && !p.Free && p.Per != perOperation:
		return "image"
	}
	return "operation"
}
