package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
)

// loginCommand stores a service and an API key for later commands.
type loginCommand struct {
	URL     serviceURL  `help:"The service. Default: ATELIER_URL, that of the profile before, or http://127.0.0.1:8080." placeholder:"URL"`
	APIKey  apiKey      `help:"An API key. Default: ATELIER_API_KEY, else it is read from standard input." name:"api-key" placeholder:"KEY"`
	Profile profileName `help:"The name to store them under. Default: ATELIER_PROFILE, or default." placeholder:"NAME"`
	JSON    bool        `help:"Print JSON." name:"json"`
}

// loggedIn is what login prints.
type loggedIn struct {
	Profile  profileName    `json:"profile"`
	URL      serviceURL     `json:"url"`
	Wallet   atelier.Wallet `json:"walletAddress"`
	Username string         `json:"username"`
}

// Run asks the service whose key it is before anything is stored.
func (l *loginCommand) Run(ctx context.Context, t terminal) error {
	ctx, stop := untilSignal(ctx)
	defer stop()
	name, _, err := l.Profile.orDefault()
	if err != nil {
		return exitError{err, 2}
	}
	file, list, err := readProfiles()
	if err != nil {
		return err
	}
	s := service{URL: l.URL, APIKey: l.APIKey}
	if err := s.readEnvironment(); err != nil {
		return exitError{err, 2}
	}
	s.URL = cmp.Or(s.URL, list[name].URL, localURL)
	if s.APIKey == "" {
		if s.APIKey, err = readKey(ctx, s.URL, t); err != nil {
			return err
		}
	}
	c := client.New(string(s.URL), string(s.APIKey))
	c.Retries = 0
	in := loggedIn{Profile: name, URL: s.URL}
	if err := c.Call(ctx, http.MethodGet, "/v2/account/me", nil, &in); err != nil {
		return s.URL.explain(err)
	}
	if in.Wallet == "" {
		return s.URL.explain(client.ErrForeign)
	}
	list[name] = profile{URL: s.URL, APIKey: s.APIKey}
	if err := writeProfiles(file, list); err != nil {
		return err
	}
	if l.JSON {
		return printJSON(t.out, in)
	}
	_, err = fmt.Fprintf(t.out, "profile %s: %s at %s\n", name, plainText(nameOf(in.Username, string(in.Wallet))), in.URL)
	return err
}

// readKey reads an API key from standard input, where it enters neither the history of the shell nor
// the list of processes.
func readKey(ctx context.Context, url serviceURL, t terminal) (key apiKey, err error) {
	line, err := readSecret(ctx, fmt.Sprintf("API key for %s: ", url), t)
	if ctx.Err() != nil {
		return "", interrupted(ctx, "nothing was stored")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the API key from standard input: %w", err)
	}
	if strings.TrimSpace(line) == "" {
		return "", exitError{fmt.Errorf("there is no API key on standard input: %s", keyHint()), 2}
	}
	if err := key.UnmarshalText([]byte(line)); err != nil {
		return "", exitError{fmt.Errorf("the text on standard input %w", err), 2}
	}
	return key, nil
}

// logoutCommand forgets a profile.
type logoutCommand struct {
	Profile profileName `help:"The profile to forget. Default: ATELIER_PROFILE, or default." placeholder:"NAME"`
}

// Run forgets a profile. Its key stays valid: other programs may use it.
func (l *logoutCommand) Run(t terminal) error {
	name, _, err := l.Profile.orDefault()
	if err != nil {
		return exitError{err, 2}
	}
	file, list, err := readProfiles()
	if err != nil {
		return err
	}
	if _, ok := list[name]; !ok {
		return list.missing(name)
	}
	delete(list, name)
	if err := writeProfiles(file, list); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "forgot the profile %s; its API key is still valid until it is revoked\n", name)
	return err
}
