package account_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// BenchmarkAuthenticate measures what a credential costs each request.
func BenchmarkAuthenticate(b *testing.B) {
	e := account.New(storetest.Open(b, storetest.SQLite(b)), []string{secret}, time.Now)
	opened, err := e.Create(b.Context(), account.NewAccount{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	token, err := e.CreateToken(b.Context(), opened.Account, "", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	for name, credential := range map[string]string{"key": opened.Key, "token": token} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Authenticate(b.Context(), credential); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
