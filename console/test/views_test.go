package test

import (
	"encoding/json"
	"testing"
)

// account makes an account with a balance and no plan, and calls with its key from now on.
func (s *service) account(name string, credits ...string) {
	s.t.Helper()
	var made struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run(append([]string{"account", "create", "--username", name, "--json"}, credits...)...)), &made); err != nil {
		s.t.Fatal(err)
	}
	s.Key = made.APIKey
}

// The ledger shows what was paid for the model that is pressed in the chart.
func TestLedgerOfOneModel(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.account("ann", "--spark", "10", "--svc", "1000")
	s.call("POST", "/v1/creative-agent/workflows", picture("a red fox"))
	p := openPage(t, s.URL, desktop)
	p.signIn(s.Key)
	p.open("/usage")
	p.seeText("1,000 SVC\n")
	p.click("button", "Z-Image Turbo")
	p.seeText("Filtered by Z-Image Turbo")
	const rows = `[...document.querySelectorAll(".ledger tbody tr")]`
	p.wait("one entry", rows+`.length === 1 && `+rows+`[0].innerText.includes("Z-Image Turbo")`)
	p.wait("the ledger in the window", `document.activeElement.textContent === "Ledger" && document.activeElement.getBoundingClientRect().top < innerHeight`)
	p.checkAccess("one model")
	p.click("button", "Show all")
	p.wait("all entries", rows+`.length === 3`)
	if left := evaluate[float64](p, `Math.max(...[...document.querySelectorAll(".facts > div")].map((e) => e.getBoundingClientRect().right - e.querySelector("dd").getBoundingClientRect().right))`); left > 1 {
		t.Errorf("a number ends %v px before its line", left)
	}
}
