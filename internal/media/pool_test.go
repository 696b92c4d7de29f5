package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// decodes runs decodes in a pool one step at a time and records their order.
type decodes struct {
	t     *testing.T
	pool  *decodePool
	wg    sync.WaitGroup
	mu    sync.Mutex
	began []string
	now   map[string]chan struct{}
}

func newDecodes(t *testing.T, slots int) *decodes {
	return &decodes{t: t, now: map[string]chan struct{}{}, pool: &decodePool{
		small: lane{free: smallPicture * 2, slots: 2}, large: lane{free: decodeMemory, slots: slots},
	}}
}

// ask requests a decode for an account, and returns when it has begun or waits.
func (d *decodes) ask(account string, memory int64) {
	d.wg.Go(func() {
		leave, err := d.pool.enter(context.Background(), account, memory)
		if err != nil {
			d.t.Errorf("%s: %v", account, err)
			return
		}
		done := make(chan struct{})
		d.mu.Lock()
		d.began = append(d.began, account)
		d.now[account] = done
		d.mu.Unlock()
		<-done
		leave()
	})
	synctest.Wait()
}

// finish ends the decode of an account.
func (d *decodes) finish(account string) {
	d.mu.Lock()
	done := d.now[account]
	d.mu.Unlock()
	close(done)
	synctest.Wait()
}

func (d *decodes) want(began ...string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.began, began) {
		d.t.Errorf("began %q, want %q", d.began, began)
	}
}

func (d *decodes) wantMany(n int) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.began) != n {
		d.t.Errorf("began %q, want %d", d.began, n)
	}
}

func TestAccountsTakeTurnsToDecode(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDecodes(t, 1)
		const large = 100 << 20
		for range 4 {
			d.ask("eve", large)
		}
		d.ask("ann", large)
		d.ask("bob", large)
		d.want("eve")
		d.ask("ann", 1000) // small pictures have a lane of their own
		d.want("eve", "ann")
		d.finish("ann")
		for _, done := range []string{"eve", "ann", "bob", "eve", "eve"} {
			d.finish(done)
		}
		d.want("eve", "ann", "ann", "bob", "eve", "eve", "eve")
		d.finish("eve")
		d.wg.Wait()
	})
}

func TestDecodedPicturesShareMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDecodes(t, 10)
		d.ask("a", 300<<20)
		d.ask("b", 300<<20) // does not fit beside a
		d.ask("c", 40<<20)  // would fit, but b was first
		d.want("a")
		d.finish("a")
		d.wantMany(3)
		d.ask("d", 10*decodeMemory) // larger than all: alone
		d.finish("b")
		d.wantMany(3)
		d.finish("c")
		d.wantMany(4)
		d.finish("d")
		d.wg.Wait()
		if l := &d.pool.large; l.free != decodeMemory || l.slots != 10 || l.turns.Accounts() != 0 {
			t.Errorf("left behind: %+v", l)
		}
	})
}

func TestDecodeGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDecodes(t, 1)
		const large = 100 << 20
		d.ask("eve", large)
		e := New(nil, nil, Options{Now: time.Now, Limits: Limits{PixelsAMinute: 1 << 40}})
		e.pool = d.pool
		var picture bytes.Buffer
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2400, 2400))); err != nil {
			t.Fatal(err)
		}
		file := bytes.NewReader(picture.Bytes())
		for _, tc := range []struct {
			name  string
			enter func() error
			says  string // what the caller can do
		}{
			{"an upload", func() error { return e.inspect(t.Context(), "eve", "image/png", file) }, "upload it again"},
			{"a stored picture", func() error { return e.Decode(t.Context(), "eve", file, 320, nil) }, "ask for this one again"},
			{"a clip", func() error { return e.InTurn(t.Context(), "eve", large, nil) }, "ask for this one again"},
		} {
			began := time.Now()
			err := tc.enter()
			var busy *atelier.Error
			if !errors.As(err, &busy) || busy.Code.Kind != atelier.KindUnavailable || busy.RetryAfter == 0 || time.Since(began) != decodeWait {
				t.Errorf("%s: after %v: %v", tc.name, time.Since(began), err)
			}
			if err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: got %v, want %s", tc.name, err, tc.says)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.pool.enter(ctx, "ann", large); err == nil {
			t.Error("a client that has left was served")
		}
		d.ask("bob", large)
		d.finish("eve")
		d.want("eve", "bob") // those that gave up have left the queue
		d.finish("bob")
		d.wg.Wait()
		if l := &d.pool.large; l.free != decodeMemory || l.slots != 1 || l.turns.Accounts() != 0 {
			t.Errorf("left behind: %+v", l)
		}
	})
}

func TestBucket(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	var b admission.Bucket
	for i := range 4 {
		if wait := take(&b, 33, 100, now); wait > 0 {
			t.Errorf("picture %d has to wait %v", i, wait) // the last one brings it below zero
		}
	}
	if wait := take(&b, 33, 100, now); wait < 19*time.Second || wait > 20*time.Second {
		t.Errorf("below zero: wait %v, want 19.2s", wait)
	}
	now = now.Add(20 * time.Second)
	if wait := take(&b, 33, 100, now); wait > 0 {
		t.Errorf("after waiting: wait %v again", wait)
	}
	now = now.Add(-time.Hour) // a clock that goes back takes nothing away
	if wait := take(&b, 1, 100, now); wait == 0 || wait > time.Minute {
		t.Errorf("after a jump: wait %v", wait)
	}
}
