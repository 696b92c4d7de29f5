package node

import (
	"log/slog"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/machine"
)

// spaceCheck refuses to store anything new while less than limits.free_space_bytes is free on a
// disk of this machine: what is under way needs the rest.
type spaceCheck struct {
	bytes       int64
	rows, media *disk // nil where they are elsewhere
	log         *slog.Logger
}

// spaceAge is how long a reading of the free space is used.
const spaceAge = time.Second

// disk is the disk of a directory.
type disk struct {
	dir string

	mu   sync.Mutex
	read time.Time // last
	low  bool
}

func newSpaceCheck(c *config.Config, log *slog.Logger) *spaceCheck {
	s := &spaceCheck{bytes: c.Limits.FreeSpaceBytes, log: log}
	if c.DatabaseURL == "" {
		s.rows = &disk{dir: c.DataDir}
	}
	if c.StorageURL == "" {
		s.media = &disk{dir: c.MediaDir()}
	}
	return s
}

// check refuses a request that stores something where too little space is free.
func (s *spaceCheck) check(what endpoint.Storage) error {
	if s.isLow(s.rows) || what == endpoint.StoresMedia && s.isLow(s.media) {
		full := atelier.Errorf(atelier.CodeUnavailable, "The service has no space to store anything new now. Reading, cancelling and deleting work. Try again later.")
		full.RetryAfter = 5 * time.Minute
		return full
	}
	return nil
}

// isLow reports whether too little space is free on a disk. Where it cannot be read, the
// write itself shows whether there is any.
func (s *spaceCheck) isLow(d *disk) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); now.Sub(d.read) >= spaceAge {
		d.read = now
		free, err := machine.FreeSpace(d.dir)
		if err != nil {
			s.log.Warn("read free space failed", "directory", d.dir, "error", err)
			d.low = false
			return false
		}
		if low := free < s.bytes; low != d.low {
			d.low = low
			if low {
				s.log.Warn("free space is below limits.free_space_bytes: nothing new is stored", "directory", d.dir, "free", free, "required", s.bytes)
			} else {
				s.log.Info("free space is above limits.free_space_bytes again", "directory", d.dir, "free", free)
			}
		}
	}
	return d.low
}
