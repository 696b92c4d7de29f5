package node_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A command that runs on another machine than the server, on a PostgreSQL that both
// share, creates no data directory and signs nothing with a secret that the server
// does not have.
func TestAdminMakesNothingElsewhere(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	storetest.Open(t, o)
	c := config.Default()
	c.DatabaseURL, c.DataDir = o.URL, filepath.Join(t.TempDir(), "elsewhere")
	opened, err := node.OpenAdmin(t.Context(), c, node.AdminOptions{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	ann, err := opened.Open(t.Context(), account.NewAccount{Username: "ann"}, billing.Credits{})
	if err != nil {
		t.Fatal(err)
	}
	if token, err := opened.Accounts.CreateToken(t.Context(), ann.Account, "", time.Hour); err == nil || !strings.Contains(err.Error(), "check session_secret and data_dir") {
		t.Errorf("got the token %q and %v, want an error that says what to check", token, err)
	}
	if _, err := node.OpenMediaAdmin(t.Context(), c); !errors.Is(err, node.ErrNoStorage) {
		t.Errorf("got %v, want ErrNoStorage", err)
	}
	if _, err := os.Stat(c.DataDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory was made: %v", err)
	}
}
