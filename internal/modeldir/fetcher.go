package modeldir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/machine"
)

// Options are how files are fetched. A zero value means the default.
type Options struct {
	// Mirror is a base URL that is read in the place of scheme and host of all addresses.
	Mirror string
	// Mirrors are such base URLs for the addresses of single hosts.
	Mirrors map[string]string
	Tokens  map[string]string // by the host of the files that they are for, as TokenNames lists them
	// Tries is how often a file is requested without one more byte: 8.
	Tries int
	Idle  time.Duration // without any byte: 30 seconds

	// Wait waits before another attempt. Tests replace it.
	Wait func(context.Context, time.Duration) error
	Free func(dir string) (int64, error)                                      // bytes that are free there
	Dial func(ctx context.Context, network, address string) (net.Conn, error) // as in fetch.Options
}

// Fetcher fetches files into folders. Its methods may be called concurrently, for different files.
type Fetcher struct {
	opts   Options
	client *fetch.Client
	mirror *url.URL
	hosts  map[string]*url.URL // that are read in the place of others
	clear  bool                // tokens go over HTTP too, in tests
}

// The longest download, and the largest file.
const (
	maxTime  = 7 * 24 * time.Hour
	maxBytes = 4 << 40
)

// New makes a Fetcher for files. Their hosts need not be on the public Internet: an operator has
// named them. What they redirect to has to be.
func New(o Options, files []File) (*Fetcher, error) {
	o.Tries = cmp.Or(o.Tries, 8)
	o.Idle = cmp.Or(o.Idle, 30*time.Second)
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Free == nil {
		o.Free = machine.FreeSpace
	}
	f := &Fetcher{opts: o, hosts: map[string]*url.URL{}}
	var err error
	if o.Mirror != "" {
		if f.mirror, err = parseBase(o.Mirror); err != nil {
			return nil, err
		}
	}
	for host, base := range o.Mirrors {
		if f.hosts[host], err = parseBase(base); err != nil {
			return nil, err
		}
	}
	var named []string
	plain := map[string]bool{}
	for _, file := range files {
		at := f.address(file.URL)
		named = append(named, fetch.Address(at))
		plain[fetch.Address(at)] = at.Scheme == "http"
	}
	f.client = fetch.New(fetch.Options{
		MaxBytes: maxBytes, Timeout: maxTime, Idle: o.Idle, Dial: o.Dial, PrivateHosts: named,
		Allow: func(u *url.URL) bool { return u.Scheme == "https" || plain[fetch.Address(u)] },
	})
	return f, nil
}

// parseBase reads the address of a mirror.
func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("%q is not an http or https URL without user, query and fragment", text)
	}
	return base, nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Facts asks the site of a file how large it is and what checksum it has, where the catalog does
// not say both. It refuses a file that is not the one of the catalog.
func (f *Fetcher) Facts(ctx context.Context, file File) (Facts, error) {
	own := file.facts()
	if own.Bytes > 0 && own.SHA256 != "" {
		return own, nil
	}
	var said Facts
	err := f.insist(ctx, func() (bool, error) {
		a, err := f.open(ctx, file, 0, "", true)
		if err != nil {
			return false, err
		}
		said = a.facts
		return true, a.Close()
	})
	if err != nil {
		return Facts{}, err
	}
	return own.with(said, file)
}

// facts are what the catalog says of a file.
func (file File) facts() Facts {
	out := Facts{Bytes: cmp.Or(file.Bytes, -1), SHA256: file.SHA256}
	if out.SHA256 != "" {
		out.SaidBy = Catalog
	}
	return out
}

// with adds what another source says, which must not contradict.
func (f Facts) with(said Facts, file File) (Facts, error) {
	switch {
	case f.SHA256 != "" && said.SHA256 != "" && f.SHA256 != said.SHA256:
		return f, fmt.Errorf("%s has another %s than the catalog: its SHA-256 is %s there, %s here", said.SaidBy, file.Name, said.SHA256, f.SHA256)
	case f.Bytes >= 0 && said.Bytes >= 0 && f.Bytes != said.Bytes:
		return f, fmt.Errorf("the site has another %s than the catalog: it has %d bytes there, %d here", file.Name, said.Bytes, f.Bytes)
	}
	if f.Bytes < 0 {
		f.Bytes = said.Bytes
	}
	if f.SHA256 == "" {
		f.SHA256, f.SaidBy = said.SHA256, said.SaidBy
	}
	return f, nil
}

// The pauses between attempts.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// insist repeats what fails for a reason that may pass. do reports whether it got further.
func (f *Fetcher) insist(ctx context.Context, do func() (further bool, err error)) error {
	pause := clock.Backoff{First: firstPause, Most: lastPause}
	for left := f.opts.Tries; ; {
		further, err := do()
		var t transient
		if err == nil || !errors.As(err, &t) {
			return err
		}
		if further {
			left = f.opts.Tries
			pause.Reset()
		}
		if left--; left <= 0 {
			return fmt.Errorf("%w; gave up after %d attempts", t.error, f.opts.Tries)
		}
		if err := f.opts.Wait(ctx, max(pause.Next(), t.after)); err != nil {
			return err
		}
	}
}

// CheckSpace refuses files that do not fit. bytes are what is still to come, by directory; several
// directories may be on one disk.
func (f *Fetcher) CheckSpace(bytes map[string]int64) error {
	type place struct {
		dirs       []string
		need, free int64
	}
	places := map[string]*place{}
	for dir, n := range bytes {
		at := existing(dir)
		free, err := f.opts.Free(at)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		p := places[machine.DiskID(at)]
		if p == nil {
			p = &place{free: free}
			places[machine.DiskID(at)] = p
		}
		p.dirs, p.need = append(p.dirs, dir), p.need+n
	}
	for _, p := range places {
		if p.need+reserve > p.free {
			return fmt.Errorf("%w: %s needs %d bytes and %d are free, of which %d stay free", ErrSpace, strings.Join(p.dirs, ", "), p.need, p.free, int64(reserve))
		}
	}
	return nil
}

// reserve is what stays free on a disk.
const reserve = 256 << 20

// ErrSpace means that a disk is too full.
var ErrSpace = errors.New("there is not enough space")
