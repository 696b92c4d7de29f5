package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// rpcNode is an EVM node on which every wallet has two and a half ether and
// every token contract 18 decimals and a balance of one and a quarter.
func rpcNode(w http.ResponseWriter, r *http.Request) {
	var calls []struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params []any           `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&calls); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var answers []map[string]any
	for _, c := range calls {
		result := "0x22b1c8c1227a0000" // 2.5e18
		if c.Method == "eth_call" {
			result = "0x" + strings.Repeat("0", 48) + "1158e460913d0000" // 1.25e18
			if data, _ := json.Marshal(c.Params); strings.Contains(string(data), "313ce567") {
				result = "0x" + strings.Repeat("0", 62) + "12" // decimals
			}
		}
		answers = append(answers, map[string]any{"jsonrpc": "2.0", "id": c.ID, "result": result})
	}
	_ = json.NewEncoder(w).Encode(answers)
}

func TestWalletBalance(t *testing.T) {
	t.Parallel()
	node := httptest.NewServer(http.HandlerFunc(rpcNode))
	defer node.Close()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.Chains.Base = config.Chain{RPCURL: node.URL, Svc: "0x" + strings.Repeat("1", 40)}
	})
	key := s.Account(t, account.NewAccount{}, billing.Credits{}).Key
	status, body := s.Get(t, "/v2/wallet/balance?walletAddress=0x"+strings.Repeat("a", 40), key)
	want := `{"status":"success","data":{"svc":"1.250000","spark":"0.000000","ether":"2.500000"}}`
	if status != 200 || strings.TrimSpace(body) != want {
		t.Errorf("got %d %s, want %s", status, body, want)
	}
}
