package atelier

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Money is an amount of a token in millionths. All arithmetic on balances is
// whole-number arithmetic on this type; no amount ever passes through a float.
type Money int64

// MoneyUnit is one whole token.
const MoneyUnit Money = 1_000_000

// ParseMoney reads a decimal number of tokens, such as "12.5". More than six
// decimal places are refused rather than rounded.
func ParseMoney(s string) (Money, error) {
	whole, frac, _ := strings.Cut(s, ".")
	digits := strings.TrimPrefix(whole, "-")
	if digits == "" || !allDigits(digits) || !allDigits(frac) || strings.HasSuffix(s, ".") {
		return 0, fmt.Errorf("%q is not a decimal number", s)
	}
	if len(frac) > 6 {
		return 0, fmt.Errorf("%q has more than six decimal places", s)
	}
	frac += strings.Repeat("0", 6-len(frac))
	n, err := strconv.ParseInt(digits+frac, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large", s)
	}
	if strings.HasPrefix(whole, "-") {
		n = -n
	}
	return Money(n), nil
}

// String writes the amount with six decimal places, as the account reads do.
func (m Money) String() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", -uint64(m)
	}
	return fmt.Sprintf("%s%d.%06d", sign, n/1_000_000, n%1_000_000)
}

// Short writes the amount for people: without the zeros at its end.
func (m Money) Short() string {
	return strings.TrimSuffix(strings.TrimRight(m.String(), "0"), ".")
}

// Add returns a + b. It refuses to overflow, which for balances can only mean
// a mistake.
func (m Money) Add(b Money) (Money, error) {
	if (b > 0 && m > math.MaxInt64-b) || (b < 0 && m < math.MinInt64-b) {
		return 0, fmt.Errorf("%s + %s overflows", m, b)
	}
	return m + b, nil
}

// MarshalText writes the amount as String does, so that JSON carries it as a
// decimal string.
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what ParseMoney reads.
func (m *Money) UnmarshalText(b []byte) (err error) {
	*m, err = ParseMoney(string(b))
	return err
}

func allDigits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
