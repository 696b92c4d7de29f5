package run_test

import (
	"context"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/wire"
)

// Only results of the run are signed for its reader: a text of a user or of a model that
// looks like the marker of a stored object stays as it is.
func TestOnlyResultsAreSigned(t *testing.T) {
	t.Parallel()
	const marker = "blob:results/62/of-another-account.png"
	f := newFixture(t, storetest.Open(t, storetest.SQLite(t)), call("generate_image", `{"prompt":"`+marker+`"}`), text(marker))
	f.addAccounts()
	f.start()
	q := ask(marker)
	q.Confirm = true
	waiting := f.begin(q)
	f.until(waiting, atelier.StatusWaitingForUser)
	if _, err := f.e.Cancel(context.Background(), ann, waiting, marker); err != nil {
		t.Fatal(err)
	}
	done := f.begin(ask(marker))
	f.until(done, over...)
	signed := 0
	for _, id := range []atelier.RunID{waiting, done} {
		for _, ev := range f.get(id).Events {
			if n := countSigned(t, ev.Payload); n > 0 && ev.Type != atelier.EventCallResolved && ev.Type != atelier.EventMediaContext {
				t.Errorf("%s holds %d signed URLs: %v", ev.Type, n, ev.Payload)
			} else {
				signed += n
			}
		}
	}
	if signed != 3 { // one picture: in mediaUrls, in artifacts and in the media context
		t.Errorf("%d URLs are signed", signed)
	}
}

// countSigned counts the signed URLs in a payload.
func countSigned(t *testing.T, p atelier.Payload) int {
	t.Helper()
	text, err := wire.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "signature=")
}
