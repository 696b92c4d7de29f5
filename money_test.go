package atelier_test

import (
	"math"
	"testing"

	"github.com/atelier-project/atelier"
)

func TestMoneyReadsAndWritesDecimals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want atelier.Money
		out  string
	}{
		{"0", 0, "0.000000"},
		{"12.5", 12_500_000, "12.500000"},
		{"0.000001", 1, "0.000001"},
		{"-0.5", -500_000, "-0.500000"},
		{"-3", -3_000_000, "-3.000000"},
		{"007", 7_000_000, "7.000000"},
		{"9223372036854.775807", math.MaxInt64, "9223372036854.775807"},
	} {
		got, err := atelier.ParseMoney(tc.text)
		if err != nil || got != tc.want || got.String() != tc.out {
			t.Errorf("%s: got %d, %q, %v, want %d, %q", tc.text, got, got, err, tc.want, tc.out)
		}
	}
	if got := atelier.Money(math.MinInt64).String(); got != "-9223372036854.775808" {
		t.Errorf("least amount: got %s", got)
	}
}

func TestMoneyForPeople(t *testing.T) {
	t.Parallel()
	for m, want := range map[atelier.Money]string{0: "0", 1_600_000: "1.6", 20_000_000: "20", -1: "-0.000001", 100: "0.0001"} {
		if got := m.Short(); got != want {
			t.Errorf("%s: got %q, want %q", m, got, want)
		}
	}
}

func TestMoneyRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", ".", "-", "1.", ".5", "1.0000001", "1e3", "+1", "--1", "1,5", " 1", "0x1", "NaN", "9223372036854.775808", "१"} {
		if got, err := atelier.ParseMoney(text); err == nil {
			t.Errorf("%q: got %s, want a refusal", text, got)
		}
	}
}

func TestMoneyAddDoesNotOverflow(t *testing.T) {
	t.Parallel()
	if sum, err := atelier.Money(1).Add(2); err != nil || sum != 3 {
		t.Errorf("1 + 2: got %d, %v", sum, err)
	}
	for _, pair := range [][2]atelier.Money{{math.MaxInt64, 1}, {math.MinInt64, -1}, {1, math.MaxInt64}} {
		if sum, err := pair[0].Add(pair[1]); err == nil {
			t.Errorf("%d + %d: got %d, want a refusal", pair[0], pair[1], sum)
		}
	}
}

func TestBalanceAddsUpPurses(t *testing.T) {
	t.Parallel()
	b := atelier.NewBalance(
		atelier.Purse{Granted: 100, Spent: 10, Held: 5},
		atelier.Purse{Granted: 50, Spent: 20},
		atelier.Purse{Granted: 7, Held: 7},
	)
	if b.Spark.Credit != 150 || b.Spark.Debit != 35 || b.Spark.Net != 115 || b.Spark.PremiumCredit != 30 || b.Svc.Net != 0 {
		t.Errorf("got %+v", b)
	}
}
