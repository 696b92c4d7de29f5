package database

import (
	"os"
	"sync/atomic"
	"time"
)

// syncDelay is how long changes that were committed without a sync wait for one.
const syncDelay = 10 * time.Millisecond

// logSync decides for each commit of the writer of a SQLite file whether it waits for the disk. One that does not is in
// the log behind all commits before it, and the next one that does makes it durable too; so that it does not wait for
// that, the log is synced in the background, once for all commits of syncDelay.
type logSync struct {
	session *sqliteSession
	path    string      // of the log
	off     bool        // no commit ever waits
	relaxed bool        // commits do not wait now
	due     atomic.Bool // a sync in the background is coming
}

// set makes the next commits wait for the disk, or not. It is called between transactions.
func (l *logSync) set(wait bool) error {
	if l.off || wait != l.relaxed {
		return nil
	}
	level := "FULL"
	if !wait {
		level = "NORMAL" // of WAL: the log is synced before it is copied into the file, not with each commit
	}
	err := l.session.pragma("PRAGMA synchronous = " + level)
	if err == nil {
		l.relaxed = !wait
	}
	return err
}

// committed has the log synced soon, when the last commit did not wait.
func (l *logSync) committed() {
	if l.relaxed && !l.off && l.due.CompareAndSwap(false, true) {
		time.AfterFunc(syncDelay, func() {
			l.due.Store(false)
			l.sync()
		})
	}
}

// sync syncs the log. A failure shows at the next commit that waits.
func (l *logSync) sync() {
	log, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	_ = log.Sync()
	_ = log.Close() // unlike the file itself, SQLite holds no lock on the log that this would release
}
