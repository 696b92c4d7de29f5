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

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/node"
)

// keyCommand groups the commands about API keys.
type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create an API key and print only the key."`
	List   keyList   `cmd:"" help:"List the keys of an account."`
	Revoke keyRevoke `cmd:"" help:"Revoke a key, or all keys of an account, at once and on every node."`
}

type keyCreate struct {
	installation
	Wallet string `arg:"" help:"Wallet address or username."`
	Name   text   `help:"What the key is for, shown by key list." placeholder:"N"`
}

// Run creates a key.
func (k *keyCreate) Run(ctx context.Context, t terminal) error {
	return k.account(ctx, k.Wallet, func(o *node.Admin, found atelier.Account) error {
		key, err := o.Accounts.CreateKey(ctx, found, string(k.Name))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(t.out, key)
		return err
	})
}

type keyList struct {
	installation
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
}

// Run lists keys. Only the first characters of each are known.
func (k *keyList) Run(ctx context.Context, t terminal) error {
	return k.account(ctx, k.Wallet, func(o *node.Admin, found atelier.Account) error {
		keys, err := o.Accounts.Keys(ctx, found)
		if err != nil {
			return err
		}
		if k.JSON {
			list := []listedKey{}
			for _, key := range keys {
				list = append(list, listedKey{key.Hint, key.Name, key.CreatedAt, optional(key.LastUsedAt), optional(key.RevokedAt)})
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
func keyLine(key atelier.APIKey) string {
	line := fmt.Sprintf("%s…  created %s  ", key.Hint, key.CreatedAt.Format(time.RFC3339))
	if key.RevokedAt.IsZero() {
		line += "valid"
	} else {
		line += "revoked " + key.RevokedAt.Format(time.RFC3339)
	}
	if !key.LastUsedAt.IsZero() {
		line += "  last used " + key.LastUsedAt.Format(time.RFC3339)
	}
	if key.Name != "" {
		line += "  " + key.Name
	}
	return line
}

type keyRevoke struct {
	installation
	Key    text `arg:"" help:"The key, or - to read it from standard input; with --wallet its hint, with --all the wallet address or username."`
	Wallet text `help:"Revoke the key of this account that begins with the hint, as key list shows it." placeholder:"W" xor:"which"`
	All    bool `help:"Revoke every key of the account and end its session tokens." xor:"which"`
}

// Run revokes keys.
func (k *keyRevoke) Run(ctx context.Context, t terminal) error {
	switch {
	case k.All:
		return k.account(ctx, string(k.Key), func(o *node.Admin, found atelier.Account) error {
			n, err := o.Accounts.RevokeAll(ctx, found)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(t.out, "%s: keys revoked: %d; session tokens ended\n", found.Wallet, n)
			return err
		})
	case k.Wallet != "":
		return k.account(ctx, string(k.Wallet), func(o *node.Admin, found atelier.Account) error {
			revoked, err := o.Accounts.RevokeHint(ctx, found, string(k.Key))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(t.out, "revoked %s…\n", revoked.Hint)
			return err
		})
	}
	return k.withAdmin(ctx, func(o *node.Admin) error {
		key, err := k.read(t.in)
		if err != nil {
			return err
		}
		if err := o.Accounts.RevokeKey(ctx, key); err != nil {
			return err
		}
		_, err = fmt.Fprintln(t.out, "revoked")
		return err
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
	installation
	Wallet string   `arg:"" help:"Wallet address or username."`
	TTL    lifetime `help:"How long it is valid. Default: ${default}." default:"1h" placeholder:"DURATION"`
}

// Run creates a token.
func (k *tokenCreate) Run(ctx context.Context, t terminal) error {
	return k.account(ctx, k.Wallet, func(o *node.Admin, found atelier.Account) error {
		token, err := o.Accounts.CreateToken(ctx, found, time.Duration(k.TTL))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(t.out, token)
		return err
	})
}
