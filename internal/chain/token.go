package chain

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// The selectors of the ERC-20 functions we call.
const (
	selectBalanceOf = "0x70a08231" // balanceOf(address)
	selectDecimals  = "0x313ce567" // decimals()
)

// token is the pair of calls that read one contract; both are nil when the
// chain has no such contract.
type token struct{ amount, decimals *call }

// addToken adds the calls for a wallet's balance and for the contract's decimals. The
// decimals are read each time: contracts behind a proxy may change.
func (b *batch) addToken(contract, wallet string) token {
	if contract == "" {
		return token{}
	}
	ask := func(data string) *call {
		return b.add("eth_call", map[string]string{"to": contract, "data": data}, "latest")
	}
	// An argument is 32 bytes; an address fills the last twenty.
	argument := strings.Repeat("0", 24) + strings.ToLower(strings.TrimPrefix(wallet, "0x"))
	return token{amount: ask(selectBalanceOf + argument), decimals: ask(selectDecimals)}
}

func (t token) balance() (string, error) {
	if t.amount == nil {
		return decimal(new(big.Int), 0), nil
	}
	amount, err := t.amount.word()
	if err != nil {
		return "", fmt.Errorf("balanceOf: %w", err)
	}
	decimals, err := t.decimals.word()
	if err != nil {
		return "", fmt.Errorf("decimals: %w", err)
	}
	if decimals.Cmp(big.NewInt(255)) > 0 { // it is a uint8
		return "", errors.New("decimals: more than a uint8 holds")
	}
	return decimal(amount, decimals.Int64()), nil
}
