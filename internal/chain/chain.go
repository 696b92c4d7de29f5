package chain

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
)

// within is how long one read may take.
const within = 5 * time.Second

// Chain is the configuration of one provider's chain: chains.<provider>.
type Chain struct {
	RPCURL string // EVM JSON-RPC node; empty when it is not configured
	Svc    string // token contract; empty when the chain has none
	Spark  string // token contract; empty when the chain has none
}

// Balances are a wallet's holdings, as decimal strings with six places.
type Balances struct {
	Svc   string `json:"svc"`
	Spark string `json:"spark"`
	Ether string `json:"ether"`
}

// Reader reads wallets.
type Reader struct {
	chains map[string]Chain
	client *http.Client
}

// New makes a Reader of the given chains by provider name. It refuses a URL or
// contract address that is malformed, naming the configuration key. A nil
// client stands for http.DefaultClient.
func New(chains map[string]Chain, client *http.Client) (*Reader, error) {
	if client == nil {
		client = http.DefaultClient
	}
	for _, name := range slices.Sorted(maps.Keys(chains)) {
		c := chains[name]
		if u, err := url.Parse(c.RPCURL); c.RPCURL != "" &&
			(err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "") {
			return nil, fmt.Errorf("chains.%s.rpc_url is not an http or https URL", name)
		}
		if c.Svc != "" && !isAddress(c.Svc) {
			return nil, fmt.Errorf("chains.%s.svc must be 0x and 40 hexadecimal digits", name)
		}
		if c.Spark != "" && !isAddress(c.Spark) {
			return nil, fmt.Errorf("chains.%s.spark must be 0x and 40 hexadecimal digits", name)
		}
	}
	return &Reader{chains: maps.Clone(chains), client: client}, nil
}

// Balances reads what a wallet holds on a provider's chain.
func (r *Reader) Balances(ctx context.Context, provider, wallet string) (Balances, error) {
	c, known := r.chains[provider]
	if !known {
		return Balances{}, atelier.Refuse("provider", "must be one of %s",
			strings.Join(slices.Sorted(maps.Keys(r.chains)), ", "))
	}
	if !isAddress(wallet) {
		return Balances{}, atelier.Refuse("walletAddress", "must be 0x and 40 hexadecimal digits")
	}
	if c.RPCURL == "" {
		return Balances{}, atelier.Errorf(atelier.CodeUnavailable,
			"No node is configured for %s. The operator sets chains.%s.rpc_url.", provider, provider)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	b, err := r.read(ctx, c, wallet)
	if err != nil {
		// Two errors in one: the first for the caller, the second for the log.
		return Balances{}, fmt.Errorf("%w (%w)", atelier.Errorf(atelier.CodeUnavailable,
			"The %s node could not be read. Try again later.", provider), err)
	}
	return b, nil
}

func (r *Reader) read(ctx context.Context, c Chain, wallet string) (Balances, error) {
	var calls batch
	ether := calls.add("eth_getBalance", wallet, "latest")
	svc, spark := calls.addToken(c.Svc, wallet), calls.addToken(c.Spark, wallet)
	if err := calls.send(ctx, r.client, c.RPCURL); err != nil {
		return Balances{}, err
	}
	var b Balances
	amount, err := ether.quantity()
	if err != nil {
		return Balances{}, err
	}
	b.Ether = decimal(amount, 18)
	if b.Svc, err = svc.balance(); err != nil {
		return Balances{}, fmt.Errorf("svc contract: %w", err)
	}
	if b.Spark, err = spark.balance(); err != nil {
		return Balances{}, fmt.Errorf("spark contract: %w", err)
	}
	return b, nil
}

// decimal writes amount / 10^decimals with exactly six places, truncated.
func decimal(amount *big.Int, decimals int64) string {
	ten := big.NewInt(10)
	millionths := new(big.Int).Mul(amount, big.NewInt(1_000_000))
	millionths.Quo(millionths, new(big.Int).Exp(ten, big.NewInt(decimals), nil))
	whole, rest := new(big.Int).QuoRem(millionths, big.NewInt(1_000_000), new(big.Int))
	return fmt.Sprintf("%d.%06d", whole, rest)
}

func isAddress(s string) bool {
	digits, found := strings.CutPrefix(s, "0x")
	return found && len(digits) == 40 && isHex(digits)
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
