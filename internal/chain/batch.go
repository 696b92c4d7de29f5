package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"

	"github.com/atelier-project/atelier/internal/wire"
)

// maxAnswer limits an answer; a valid one has less than a kilobyte.
const maxAnswer = 64 << 10

// batch is a JSON-RPC 2.0 batch. The id of a call is its index.
type batch struct{ calls []*call }

// call is one request of a batch, and after send its answer.
type call struct {
	method string
	params []any
	answer *answer
}

type request struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

type answer struct {
	ID     *int      `json:"id"`
	Result *string   `json:"result"`
	Error  *rpcError `json:"error"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string {
	return fmt.Sprintf("the node answers error %d: %.200q", e.Code, e.Message)
}

func (b *batch) add(method string, params ...any) *call {
	c := &call{method: method, params: params}
	b.calls = append(b.calls, c)
	return c
}

// send sends the batch and sets the answer of each call. Its errors do not contain the
// node's URL.
func (b *batch) send(ctx context.Context, client *http.Client, node string) error {
	requests := make([]request, len(b.calls))
	for i, c := range b.calls {
		requests[i] = request{Version: "2.0", ID: i, Method: c.method, Params: c.params}
	}
	body, err := wire.Marshal(requests)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, node, bytes.NewReader(body))
	if err != nil {
		return withoutURL(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return err
	case len(raw) > maxAnswer:
		return fmt.Errorf("the node's answer is longer than %d bytes", maxAnswer)
	case res.StatusCode != http.StatusOK && !wire.Valid(raw):
		return fmt.Errorf("the node answers HTTP status %d", res.StatusCode)
	}
	if err := b.match(raw); err != nil {
		if res.StatusCode != http.StatusOK {
			err = fmt.Errorf("HTTP status %d: %w", res.StatusCode, err)
		}
		return err
	}
	return nil
}

// match assigns the answers, which come in any order, to their calls.
func (b *batch) match(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '{' {
		// A node that refuses the batch as a whole answers with one object.
		var one answer
		if wire.UnmarshalLenient(raw, &one) == nil && one.Error != nil {
			return one.Error
		}
		return errors.New("the node answers a batch with a single object")
	}
	var answers []answer
	if err := wire.UnmarshalLenient(raw, &answers); err != nil {
		return fmt.Errorf("the node's answer is not a JSON-RPC batch: %w", err)
	}
	for i := range answers {
		a := &answers[i]
		switch {
		case a.ID == nil && a.Error != nil:
			return a.Error
		case a.ID == nil || *a.ID < 0 || *a.ID >= len(b.calls):
			return errors.New("the node answers a call that was not made")
		case b.calls[*a.ID].answer != nil:
			return errors.New("the node answers one call twice")
		}
		b.calls[*a.ID].answer = a
	}
	for _, c := range b.calls {
		if c.answer == nil {
			return fmt.Errorf("the node does not answer %s", c.method)
		}
	}
	return nil
}

// hex returns the digits of a call's result.
func (c *call) hex() (string, error) {
	if c.answer.Error != nil {
		return "", c.answer.Error
	}
	if c.answer.Result == nil {
		return "", fmt.Errorf("%s has neither result nor error", c.method)
	}
	digits, found := strings.CutPrefix(*c.answer.Result, "0x")
	if !found || !isHex(digits) {
		return "", fmt.Errorf("%s answers %.80q, which is not hexadecimal", c.method, *c.answer.Result)
	}
	return digits, nil
}

// quantity reads a result that is a number of at most 256 bits.
func (c *call) quantity() (*big.Int, error) {
	digits, err := c.hex()
	if err != nil {
		return nil, err
	}
	if digits == "" || len(digits) > 64 {
		return nil, fmt.Errorf("%s answers %d digits, want 1 to 64", c.method, len(digits))
	}
	n, _ := new(big.Int).SetString(digits, 16)
	return n, nil
}

// word reads a result that is the encoded return value of a contract: its first
// 32 bytes. An account without code returns nothing at all.
func (c *call) word() (*big.Int, error) {
	digits, err := c.hex()
	if err != nil {
		return nil, err
	}
	if digits == "" {
		return nil, errors.New("there is no such contract at this address")
	}
	if len(digits) < 64 || len(digits)%2 != 0 {
		return nil, fmt.Errorf("%s answers %d digits, want 64", c.method, len(digits))
	}
	n, _ := new(big.Int).SetString(digits[:64], 16)
	return n, nil
}

// withoutURL removes the URL from an error of the HTTP client.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
