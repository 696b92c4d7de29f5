package atelier_test

import (
	"testing"

	"github.com/atelier-project/atelier"
)

func TestBalanceNamesWhatIsHeld(t *testing.T) {
	t.Parallel()
	b := atelier.NewBalance(
		atelier.Purse{Granted: 100, Spent: 10, Held: 7}, atelier.Purse{Granted: 50, Spent: 5, Held: 3}, atelier.Purse{Granted: 9, Held: 2})
	if got, want := b.Spark.Held, atelier.Money(10); got != want {
		t.Errorf("Spark: got %s held, want %s", got, want)
	}
	if b.Spark.Net != b.Spark.Credit-b.Spark.Debit || b.Spark.Debit != 15+b.Spark.Held {
		t.Errorf("Spark: %+v does not add up", b.Spark)
	}
	if got, want := b.Svc.Held, atelier.Money(2); got != want {
		t.Errorf("svc: got %s held, want %s", got, want)
	}
}
