package main

import (
	"context"
	"fmt"
	"time"

	"github.com/atelier-project/atelier/internal/node"
)

// keyCommand groups the commands about API keys.
type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create an API key and print it, alone."`
	List   keyList   `cmd:"" help:"List the keys of an account."`
	Revoke keyRevoke `cmd:"" help:"Revoke a key, at once and on every node."`
}

type keyCreate struct {
	place
	Wallet string `arg:"" help:"Wallet address."`
}

// Run creates a key.
func (k *keyCreate) Run(ctx context.Context, t terminal) error {
	return k.office(ctx, func(o *node.Office) error {
		found, err := o.Accounts.Find(ctx, k.Wallet)
		if err != nil {
			return err
		}
		key, err := o.Accounts.CreateKey(ctx, found)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(t.out, key)
		return err
	})
}

type keyList struct {
	place
	Wallet string `arg:"" help:"Wallet address."`
}

// Run lists keys. Of each only its first characters are known.
func (k *keyList) Run(ctx context.Context, t terminal) error {
	return k.office(ctx, func(o *node.Office) error {
		found, err := o.Accounts.Find(ctx, k.Wallet)
		if err != nil {
			return err
		}
		keys, err := o.Accounts.Keys(ctx, found)
		if err != nil {
			return err
		}
		for _, key := range keys {
			state := "valid"
			if !key.RevokedAt.IsZero() {
				state = "revoked " + key.RevokedAt.Format(time.RFC3339)
			}
			_, err := fmt.Fprintf(t.out, "%s…  created %s  %s\n", key.Hint, key.CreatedAt.Format(time.RFC3339), state)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

type keyRevoke struct {
	place
	Key string `arg:"" help:"The key."`
}

// Run revokes a key.
func (k *keyRevoke) Run(ctx context.Context, t terminal) error {
	return k.office(ctx, func(o *node.Office) error {
		if err := o.Accounts.RevokeKey(ctx, k.Key); err != nil {
			return err
		}
		_, err := fmt.Fprintln(t.out, "revoked")
		return err
	})
}

// tokenCommand groups the commands about session tokens.
type tokenCommand struct {
	Create tokenCreate `cmd:"" help:"Create a session token and print it, alone."`
}

type tokenCreate struct {
	place
	Wallet string   `arg:"" help:"Wallet address."`
	TTL    lifetime `help:"How long it is valid. Default: ${default}." default:"1h" placeholder:"DURATION"`
}

// Run creates a token.
func (k *tokenCreate) Run(ctx context.Context, t terminal) error {
	return k.office(ctx, func(o *node.Office) error {
		found, err := o.Accounts.Find(ctx, k.Wallet)
		if err != nil {
			return err
		}
		token, err := o.Accounts.CreateToken(ctx, found, time.Duration(k.TTL))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(t.out, token)
		return err
	})
}
