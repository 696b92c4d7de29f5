package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/atelier-project/atelier/apitype"
)

// keyCommand groups the commands about API keys.
type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create an API key and print only the key."`
	Limit  keyLimit  `cmd:"" help:"Replace the limits of a key, at once and on every node."`
	List   keyList   `cmd:"" help:"List the keys of an account, their limits and what is used of their budgets."`
	Revoke keyRevoke `cmd:"" help:"Revoke a key and what was made with it, or all keys of an account, at once and on every node."`
}

type keyCreate struct {
	accountChange
	Name text `help:"What the key is for, shown by key list." placeholder:"N"`
	limitFlags
}

// Run creates a key.
func (k *keyCreate) Run(ctx context.Context, t terminal) error {
	limits, err := k.limits(time.Now())
	if err != nil {
		return err
	}
	return k.operate(ctx, func(o operations) error {
		key, err := o.CreateKey(ctx, k.Wallet, apitype.CreateKey{Name: string(k.Name), Limits: limits, Reason: k.reason()})
		if err != nil {
			return err
		}
		return k.result(t.out, key, key.APIKey)
	})
}

type keyList struct {
	operated
	Wallet string `arg:"" help:"Wallet address or username."`
	JSON   bool   `help:"Print JSON." name:"json"`
}

// listedKey is a row of the list of keys.
type listedKey struct {
	Hint       string     `json:"hint"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt,omitempty"`
	RevokedAt  *time.Time `json:"revokedAt,omitempty"`

	Limits *apitype.KeyLimits `json:"limits,omitempty"`
}

// Run lists keys. Only the first characters of each are known.
func (k *keyList) Run(ctx context.Context, t terminal) error {
	return k.operate(ctx, func(o operations) error {
		keys, err := readAll(func(p apitype.Page) ([]apitype.OperatorKey, *string, error) {
			part, err := o.Keys(ctx, k.Wallet, p)
			return part.Keys, part.NextCursor, err
		})
		if err != nil {
			return err
		}
		if k.JSON {
			list := []listedKey{}
			for _, key := range keys {
				list = append(list, listedKey{key.Hint, key.Name, key.CreatedAt, key.LastUsedAt, key.RevokedAt, key.Limits})
			}
			return json.NewEncoder(t.out).Encode(list)
		}
		for _, key := range keys {
			if _, err := fmt.Fprintln(t.out, keyLine(key)); err != nil {
				return err
			}
		}
		return nil
	})
}

// keyLine describes a key. A key without a recorded use may have been used before uses
// were recorded, so the line does not mention it.
func keyLine(key apitype.OperatorKey) string {
	line := fmt.Sprintf("%s…  created %s  ", key.Hint, key.CreatedAt.Format(time.RFC3339))
	switch l := key.Limits; {
	case key.RevokedAt != nil:
		line += "revoked " + key.RevokedAt.Format(time.RFC3339)
	case l != nil && l.ExpiresAt != nil && !l.ExpiresAt.After(time.Now()):
		line += "expired " + l.ExpiresAt.Format(time.RFC3339)
	default:
		line += "valid"
	}
	if key.LastUsedAt != nil {
		line += "  last used " + key.LastUsedAt.Format(time.RFC3339)
	}
	if key.Name != "" {
		line += "  " + key.Name
	}
	if key.Limits != nil && key.RevokedAt == nil {
		line += "  [" + describeLimits(*key.Limits) + "]"
	}
	return line
}

type keyRevoke struct {
	operated
	Key    text `arg:"" help:"The key, or - to read it from standard input; with --wallet its hint, with --all the wallet address or username."`
	Wallet text `help:"Revoke the key of this account that begins with the hint, as key list shows it." placeholder:"W" xor:"which"`
	All    bool `help:"Revoke every key of the account and end its session tokens." xor:"which"`
	reasoned
	printing
}

// Run revokes keys.
func (k *keyRevoke) Run(ctx context.Context, t terminal) error {
	return k.operate(ctx, func(o operations) error {
		switch {
		case k.All:
			r, err := o.RevokeKeys(ctx, string(k.Key), k.reason())
			if err != nil {
				return err
			}
			return k.result(t.out, r, fmt.Sprintf("%s: keys revoked: %d; session tokens ended", r.WalletAddress, r.Revoked))
		case k.Wallet != "":
			r, err := o.RevokeKey(ctx, string(k.Wallet), string(k.Key), k.reason())
			if err != nil {
				return err
			}
			return k.result(t.out, r, fmt.Sprintf("revoked %s…", r.Key.Hint))
		}
		key, err := k.read(t.in)
		if err != nil {
			return err
		}
		r, err := o.RevokeAnyKey(ctx, key, k.reason())
		if err != nil {
			return err
		}
		return k.result(t.out, r, "revoked")
	})
}

// read is the key itself. From standard input it enters neither the history of the shell
// nor the list of processes.
func (k *keyRevoke) read(in io.Reader) (string, error) {
	if k.Key != "-" {
		return string(k.Key), nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, 1<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the key from standard input: %w", err)
	}
	if line = strings.TrimSpace(line); line == "" {
		return "", errors.New("there is no key on standard input")
	}
	return line, nil
}

// tokenCommand groups the commands about session tokens.
type tokenCommand struct {
	Create tokenCreate `cmd:"" help:"Create a session token and print only the token."`
}

type tokenCreate struct {
	accountChange
	TTL lifetime `help:"How long it is valid. Default: ${default}." default:"1h" placeholder:"DURATION"`
}

// Run creates a token.
func (k *tokenCreate) Run(ctx context.Context, t terminal) error {
	return k.operate(ctx, func(o operations) error {
		token, err := o.CreateToken(ctx, k.Wallet, time.Duration(k.TTL), k.reason())
		if err != nil {
			return err
		}
		return k.result(t.out, token, token.Token)
	})
}
