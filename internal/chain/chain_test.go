package chain_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chain"
)

const (
	wallet = "0xAbCdEf0123456789aBcDeF0123456789abcdef01"
	svc    = "0x1111111111111111111111111111111111111111"
	spark  = "0x2222222222222222222222222222222222222222"
)

// node is an EVM node as far as JSON-RPC batches of balance reads go.
type node struct {
	ether    string              // quantity
	balances map[string]*big.Int // by contract
	decimals map[string]int64    // by contract
	reverse  bool                // answers in the other order
	fail     string              // method or selector that is answered with an error
}

type rpcCall struct {
	Version string            `json:"jsonrpc"`
	ID      int               `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
}

func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var calls []rpcCall
	if err := json.NewDecoder(r.Body).Decode(&calls); err != nil || r.Method != "POST" ||
		r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "not a batch", http.StatusBadRequest)
		return
	}
	answers := make([]map[string]any, len(calls))
	for i, c := range calls {
		answers[i] = map[string]any{"jsonrpc": "2.0", "id": c.ID}
		if result, err := n.answer(c); err != nil {
			answers[i]["error"] = map[string]any{"code": -32000, "message": err.Error()}
		} else {
			answers[i]["result"] = result
		}
	}
	if n.reverse {
		slices.Reverse(answers)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answers)
}

func (n *node) answer(c rpcCall) (string, error) {
	var block string
	if c.Version != "2.0" || len(c.Params) != 2 || json.Unmarshal(c.Params[1], &block) != nil || block != "latest" {
		return "", errors.New("invalid request")
	}
	if n.fail == c.Method {
		return "", errors.New("header not found")
	}
	switch c.Method {
	case "eth_getBalance":
		var address string
		if err := json.Unmarshal(c.Params[0], &address); err != nil || !strings.EqualFold(address, wallet) {
			return "", fmt.Errorf("invalid address %q", address)
		}
		return n.ether, nil
	case "eth_call":
		var call struct{ To, Data string }
		if err := json.Unmarshal(c.Params[0], &call); err != nil || len(call.Data) < 10 {
			return "", errors.New("invalid call")
		}
		if n.fail == call.Data[:10] {
			return "", errors.New("execution reverted")
		}
		if n.balances[call.To] == nil {
			return "0x", nil // no code at this address
		}
		switch call.Data {
		case "0x313ce567":
			return fmt.Sprintf("0x%064x", n.decimals[call.To]), nil
		case "0x70a08231" + strings.Repeat("0", 24) + strings.ToLower(wallet[2:]):
			return fmt.Sprintf("0x%064x", n.balances[call.To]), nil
		}
		return "", fmt.Errorf("execution reverted: %s", call.Data)
	}
	return "", errors.New("the method does not exist")
}

func healthy() *node {
	return &node{
		ether:    "0x14d1120d7b160000", // 1.5 ether
		balances: map[string]*big.Int{svc: number("1234567891"), spark: number("42000000000000000001")},
		decimals: map[string]int64{svc: 6, spark: 18},
	}
}

func number(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic("not a number: " + s)
	}
	return n
}

func reader(t *testing.T, c chain.Chain) *chain.Reader {
	t.Helper()
	r, err := chain.New(map[string]chain.Chain{"base": c, "etherlink": {}}, nil)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return r
}

func serve(t *testing.T, h http.Handler) chain.Chain {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return chain.Chain{RPCURL: s.URL + "/v3/hush", Svc: svc, Spark: spark}
}

func TestBalances(t *testing.T) {
	t.Parallel()
	max256 := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	for name, c := range map[string]struct {
		change func(*node, *chain.Chain)
		want   chain.Balances
	}{
		"usual": {
			func(*node, *chain.Chain) {},
			chain.Balances{Svc: "1234.567891", Spark: "42.000000", Ether: "1.500000"},
		},
		"answers out of order": {
			func(n *node, _ *chain.Chain) { n.reverse = true },
			chain.Balances{Svc: "1234.567891", Spark: "42.000000", Ether: "1.500000"},
		},
		"nothing at all": {
			func(n *node, _ *chain.Chain) {
				n.ether, n.balances = "0x0", map[string]*big.Int{svc: new(big.Int), spark: new(big.Int)}
			},
			chain.Balances{Svc: "0.000000", Spark: "0.000000", Ether: "0.000000"},
		},
		"cut off, not rounded": {
			func(n *node, _ *chain.Chain) {
				n.ether = "0x" + number("1999999999999999999").Text(16)
				n.balances[svc], n.decimals[svc] = number("19999999"), 7
				n.balances[spark] = number("999999999999")
			},
			chain.Balances{Svc: "1.999999", Spark: "0.000000", Ether: "1.999999"},
		},
		"fewer than six places": {
			func(n *node, _ *chain.Chain) {
				n.balances[svc], n.decimals[svc] = number("12345"), 2
				n.balances[spark], n.decimals[spark] = number("7"), 0
			},
			chain.Balances{Svc: "123.450000", Spark: "7.000000", Ether: "1.500000"},
		},
		"huge numbers": {
			func(n *node, _ *chain.Chain) {
				n.ether = "0x" + max256.Text(16)
				n.balances[svc], n.decimals[svc] = max256, 0
				n.balances[spark], n.decimals[spark] = max256, 255
			},
			chain.Balances{
				Svc:   "115792089237316195423570985008687907853269984665640564039457584007913129639935.000000",
				Spark: "0.000000",
				Ether: "115792089237316195423570985008687907853269984665640564039457.584007",
			},
		},
		"no contracts": {
			func(_ *node, c *chain.Chain) { c.Svc, c.Spark = "", "" },
			chain.Balances{Svc: "0.000000", Spark: "0.000000", Ether: "1.500000"},
		},
		"one contract": {
			func(_ *node, c *chain.Chain) { c.Svc = "" },
			chain.Balances{Svc: "0.000000", Spark: "42.000000", Ether: "1.500000"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := healthy()
			config := serve(t, n)
			c.change(n, &config)
			got, err := reader(t, config).Balances(t.Context(), "base", wallet)
			if err != nil || got != c.want {
				t.Errorf("Balances = %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

// wantUnavailable checks what the caller may see and what the log may hold.
func wantUnavailable(t *testing.T, err error, cause string) {
	t.Helper()
	var shown *atelier.Error
	if !errors.As(err, &shown) || shown.Code != atelier.CodeUnavailable {
		t.Fatalf("Balances = %v, want CodeUnavailable", err)
	}
	if !strings.Contains(err.Error(), cause) {
		t.Errorf("the log would say %q, want the cause %q in it", err, cause)
	}
	if strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "http://") {
		t.Errorf("the error %q gives the URL away", err)
	}
	if strings.Contains(shown.Message, cause) || !strings.Contains(shown.Message, "base node could not be read") {
		t.Errorf("the caller would see %q, want a plain sentence", shown.Message)
	}
}

func TestNodeErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*node)
		cause  string
	}{
		"ether":             {func(n *node) { n.fail = "eth_getBalance" }, "header not found"},
		"balanceOf":         {func(n *node) { n.fail = "0x70a08231" }, "balanceOf: the node answers error -32000"},
		"decimals":          {func(n *node) { n.fail = "0x313ce567" }, "execution reverted"},
		"no such contract":  {func(n *node) { delete(n.balances, spark) }, "spark contract: balanceOf: there is no such contract"},
		"silly decimals":    {func(n *node) { n.decimals[svc] = 256 }, "more than a uint8 holds"},
		"not hexadecimal":   {func(n *node) { n.ether = "0xzz" }, "not hexadecimal"},
		"a decimal":         {func(n *node) { n.ether = "15" }, "not hexadecimal"},
		"empty quantity":    {func(n *node) { n.ether = "0x" }, "want 1 to 64"},
		"overlong quantity": {func(n *node) { n.ether = "0x1" + strings.Repeat("0", 64) }, "want 1 to 64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := healthy()
			c.change(n)
			_, err := reader(t, serve(t, n)).Balances(t.Context(), "base", wallet)
			wantUnavailable(t, err, c.cause)
		})
	}
}

func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	const word = `"0x0000000000000000000000000000000000000000000000000000000000000006"`
	whole := fmt.Sprintf(`{"id":0,"result":"0x1"},{"id":1,"result":%s},{"id":2,"result":%s},{"id":3,"result":%s},{"id":4,"result":%s}`,
		word, word, word, word)
	for name, c := range map[string]struct {
		status      int
		body, cause string
	}{
		"garbage":             {200, "<html>nope</html>", "not a JSON-RPC batch"},
		"nothing":             {200, "", "not a JSON-RPC batch"},
		"null":                {200, "null", "does not answer eth_getBalance"},
		"one object":          {200, `{"jsonrpc":"2.0","id":1,"result":"0x1"}`, "a single object"},
		"batch refused":       {200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`, "no batches"},
		"refused in a list":   {200, `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}]`, "no batches"},
		"refused with status": {429, `{"error":{"code":-32005,"message":"slow down"}}`, "HTTP status 429: the node answers error -32005"},
		"status":              {502, "bad gateway", "HTTP status 502"},
		"one missing":         {200, `[{"id":0,"result":"0x1"}]`, "does not answer eth_call"},
		"one twice":           {200, `[{"id":0,"result":"0x1"},{"id":0,"result":"0x2"}]`, "one call twice"},
		"a stranger":          {200, `[{"id":77,"result":"0x1"}]`, "a call that was not made"},
		"a number":            {200, `[{"id":0,"result":1}]`, "not a JSON-RPC batch"},
		"neither":             {200, strings.Replace("["+whole+"]", `"result":"0x1"`, `"result":null`, 1), "neither result nor error"},
		"short word":          {200, strings.Replace("["+whole+"]", word, `"0x06"`, 1), "answers 2 digits"},
		"endless":             {200, "[" + strings.Repeat(" ", 1<<20) + whole + "]", "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				io.WriteString(w, c.body)
			}))
			_, err := reader(t, config).Balances(t.Context(), "base", wallet)
			wantUnavailable(t, err, c.cause)
		})
	}
}

func TestSilentNodeTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		r, err := chain.New(map[string]chain.Chain{"base": {RPCURL: "http://node.test/hush"}}, client)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = r.Balances(t.Context(), "base", wallet)
		wantUnavailable(t, err, "deadline exceeded")
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
			t.Errorf("Balances = %v after %v, want it to wrap the deadline of a few seconds", err, took)
		}
	})
}

func TestReadIsBoundedInTime(t *testing.T) {
	t.Parallel()
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		deadline, set := r.Context().Deadline()
		if !set || time.Until(deadline) > 10*time.Second {
			t.Errorf("the request's deadline is %v (%v), want a few seconds", deadline, set)
		}
		return nil, errors.New("enough seen")
	})}
	r, err := chain.New(map[string]chain.Chain{"base": {RPCURL: "http://node.test/hush"}}, client)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Balances(t.Context(), "base", wallet)
	wantUnavailable(t, err, "enough seen")
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestUnreachableNode(t *testing.T) {
	t.Parallel()
	_, err := reader(t, chain.Chain{RPCURL: "http://127.0.0.1:1/hush"}).Balances(t.Context(), "base", wallet)
	wantUnavailable(t, err, "refused")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r := reader(t, serve(t, healthy()))
	for name, c := range map[string]struct{ provider, wallet, field, want string }{
		"unknown provider": {"mainnet", wallet, "provider", "provider must be one of base, etherlink"},
		"no provider":      {"", wallet, "provider", "provider must be one of"},
		"no wallet":        {"base", "", "walletAddress", "walletAddress must be 0x and 40"},
		"short wallet":     {"base", wallet[:41], "walletAddress", "must be 0x and 40"},
		"long wallet":      {"base", wallet + "0", "walletAddress", "must be 0x and 40"},
		"no 0x":            {"base", "00" + wallet[2:], "walletAddress", "must be 0x and 40"},
		"not hexadecimal":  {"base", wallet[:41] + "g", "walletAddress", "must be 0x and 40"},
		"a sign":           {"base", "0x-" + wallet[3:], "walletAddress", "must be 0x and 40"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := r.Balances(t.Context(), c.provider, c.wallet)
			var e *atelier.Error
			if !errors.As(err, &e) || e.Code != atelier.CodeInvalidRequest || e.Field != c.field || !strings.Contains(e.Message, c.want) {
				t.Errorf("Balances = %#v, want a refusal of %s that says %q", err, c.field, c.want)
			}
		})
	}
	_, err := r.Balances(t.Context(), "etherlink", wallet)
	if !atelier.HasCode(err, atelier.CodeUnavailable) || !strings.Contains(err.Error(), "chains.etherlink.rpc_url") {
		t.Errorf("Balances without a node = %v, want CodeUnavailable that names chains.etherlink.rpc_url", err)
	}
}

func TestNewRefusesMalformedConfiguration(t *testing.T) {
	t.Parallel()
	for key, c := range map[string]chain.Chain{
		"chains.base.rpc_url": {RPCURL: "ftp://user:hush@host"},
		"chains.base.svc":     {RPCURL: "http://host", Svc: "0x12"},
		"chains.base.spark":   {RPCURL: "http://host", Svc: svc, Spark: "spark"},
	} {
		_, err := chain.New(map[string]chain.Chain{"base": c}, nil)
		if err == nil || !strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "hush") {
			t.Errorf("New = %v, want an error that names %s and no secret", err, key)
		}
	}
}
