package atelier_test

import (
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
)

var slugForm = regexp.MustCompile(`^[a-z][a-z_]+$`)

func TestCodesAreDistinct(t *testing.T) {
	t.Parallel()
	numbers, slugs := map[int]bool{}, map[string]bool{}
	for _, c := range atelier.Codes() {
		if numbers[c.Number] || slugs[c.Slug] {
			t.Errorf("%d %s stands twice in the table", c.Number, c.Slug)
		}
		numbers[c.Number], slugs[c.Slug] = true, true
		if c.Kind == 0 || c.Sentence == "" || !slugForm.MatchString(c.Slug) {
			t.Errorf("%d %s is not complete", c.Number, c.Slug)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("start: %w", atelier.Refuse("input.steps[2].toolName", "is required.").With("known", 34))
	var e *atelier.Error
	if !errors.As(err, &e) || e.Field != "input.steps[2].toolName" || e.Error() != "input.steps[2].toolName is required." || e.Details["known"] != 34 {
		t.Errorf("got %+v", e)
	}
	if !atelier.HasCode(err, atelier.CodeInvalidRequest) || atelier.HasCode(err, atelier.CodeNotFound) || atelier.HasCode(nil, atelier.CodeNotFound) {
		t.Error("Has does not tell codes apart")
	}
	if got := (&atelier.Error{Code: atelier.CodeNotFound}).Error(); got != atelier.CodeNotFound.Sentence {
		t.Errorf("an error without a message: got %q", got)
	}
}

func TestWalletsAndUsernames(t *testing.T) {
	t.Parallel()
	if w := mint.Wallet(); !regexp.MustCompile(`^0x[0-9a-f]{40}$`).MatchString(string(w)) {
		t.Errorf("minted %s", w)
	}
	for _, good := range []string{"0xAbC0000000000000000000000000000000000001", "alice", "a.b-c_9"} {
		if _, err := atelier.ParseWallet(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "a", "-ab", "a b", "ä1", "a/b", "a\nb", string(make([]byte, 70))} {
		if w, err := atelier.ParseWallet(bad); err == nil {
			t.Errorf("%q became the wallet %q", bad, w)
		}
		if err := atelier.CheckUsername(bad); err == nil {
			t.Errorf("%q is a username", bad)
		}
	}
	if !atelier.Wallet("0xAB").Equal("0xab") || atelier.Wallet("0xAB").Equal("0xac") {
		t.Error("wallets do not compare")
	}
	for s, want := range map[string]bool{
		mint.UUID(): true, mint.OrderedUUID(): true, "0A9f3f3e-93b6-4a4a-8dc5-5a5d1d2f3b4c": true, "urn:uuid:" + mint.UUID(): false, "x": false, "": false,
		"0a9f3f3e-93b6-4a4a-8dc5-5a5d1d2f3b4g": false, "0a9f3f3e093b6-4a4a-8dc5-5a5d1d2f3b4c": false, "0a9f3f3e-93b6-4a4a-8dc5-5a5d1d2f-b4c": false,
	} {
		if got := atelier.IsUUID(s); got != want {
			t.Errorf("%q is a UUID: %v", s, got)
		}
	}
}
