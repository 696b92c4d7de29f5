package node_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Settings that depend on the catalog, the environment or other files are checked
// at the start too; the error is one line that names the key.
func TestVendorsAreCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for want, set := range map[string]func(*config.Vendor){
		`vendors[0].models[0].id: "nothing" is not a model of the catalog`:                         func(v *config.Vendor) { v.Models[0].ID = "nothing" },
		"vendors[0].models[0].id: z_image_turbo_bf16 is not a vendor model":                        func(v *config.Vendor) { v.Models[0].ID = "z_image_turbo_bf16" },
		"vendors[0].models[0].id: gpt-image-2 makes image, and the kind queue is for video models": func(v *config.Vendor) { v.Models[0].ID = "gpt-image-2" },
		"vendors[0].api_key_env: the environment variable NOBODY_SETS_THIS is not set":             func(v *config.Vendor) { v.APIKeyEnv = "NOBODY_SETS_THIS" },
		"vendors[0].api_key_file: open " + dir + "/none: no such file":                             func(v *config.Vendor) { v.APIKeyFile = dir + "/none" },
		"vendors[0].api_key_file: " + dir + "/empty holds no key":                                  func(v *config.Vendor) { v.APIKeyFile = write("empty", " \n") },
		"vendors[0].api_key_file: the key must be one line":                                        func(v *config.Vendor) { v.APIKeyFile = write("two", "secret\nlines") },
		`vendors[0].adapter: there is no adapter "missing"`:                                        func(v *config.Vendor) { v.Adapter = "missing" },
		"vendors[0].adapter: " + dir + "/bad.yaml:1: sumbit: unknown key":                          func(v *config.Vendor) { v.Adapter = write("bad.yaml", "sumbit: {}") },
		"vendors[0].api_key_env: must be set, or api_key_file: the adapter sends a key":            func(v *config.Vendor) { v.Adapter = write("keyed.yaml", keyed) },
	} {
		c := config.Default()
		c.Listen, c.DataDir = "127.0.0.1:0", t.TempDir()
		v := config.Vendor{Name: "acme", Kind: config.VendorQueue, BaseURL: "https://acme.example", Adapter: "generic", Models: []config.VendorModel{{ID: "seedance-2-0"}}}
		set(&v)
		c.Vendors = []config.Vendor{v}
		_, err := node.Open(t.Context(), c, node.Options{Log: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

const keyed = `
headers: { X-Key: "{{key}}" }
submit: { path: /go, id: id }
poll: { path: "/is/{{id}}", status: status, results: [url] }
statuses: { ok: succeeded }
`

// A job on a vendor model goes to the vendor, and is paid with Premium Spark less
// the plan's discount.
func TestAVendorMakesAPicture(t *testing.T) {
	t.Parallel()
	picture, err := os.ReadFile("../ateliertest/media/image.png")
	if err != nil {
		t.Fatal(err)
	}
	const key = "sk-0123456789"
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/images/generations" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("the vendor got %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		fmt.Fprintf(w, `{"data":[{"b64_json":%q}]}`, base64.StdEncoding.EncodeToString(picture))
	}))
	t.Cleanup(vendor.Close)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.Vendors = []config.Vendor{{Name: "gpt", Kind: config.VendorImages, BaseURL: vendor.URL + "/v1", APIKeyFile: file, Models: []config.VendorModel{{ID: "gpt-image-2"}}}}
	})
	artist := s.Account(t, account.NewAccount{Tier: atelier.TierUnlimitedPro}, billing.Credits{PremiumSpark: 100 * atelier.MoneyUnit})
	j, err := s.Submit(t.Context(), fleet.Submission{
		Wallet: artist.Account.Wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkRelaxed,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "gpt-image-2", Arguments: map[string]any{"prompt": "a red fox"},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10 * atelier.MoneyUnit, Premium: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := s.FinishedProject(t, j.ProjectID, artist.Key); p.Status != "completed" || len(p.CompletedWorkerJobs) != 1 {
		t.Fatalf("the project: %+v", p)
	}
	if b, err := s.Node.Billing.Balance(t.Context(), artist.Account.Wallet); err != nil || b.Spark.Net != 91*atelier.MoneyUnit {
		t.Errorf("the balance is %s, %v, want 91: ten less a tenth", b.Spark.Net, err)
	}
}
