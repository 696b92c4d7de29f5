package pull

import (
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/wire"
)

// work is how far an attempt has got.
type work struct {
	now func() time.Time

	mu      sync.Mutex
	files   []apitype.PullFile
	arrived []int64 // what was there of each file before this attempt
	points  []point
}

// point is how much had come over the network at a time.
type point struct {
	at    time.Time
	bytes int64
}

func newWork(now func() time.Time) *work { return &work{now: now, files: []apitype.PullFile{}} }

// add adds a file, with the path of one that is there, and returns its index.
func (w *work) add(n modeldir.Need, path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := apitype.PullFile{Folder: n.Folder, Name: n.Name, State: apitype.PullFileMissing, Bytes: n.Bytes}
	if path != "" {
		f.State, f.Bytes = apitype.PullFilePresent, sizeOf(path)
		f.Done = f.Bytes
	}
	w.files, w.arrived = append(w.files, f), append(w.arrived, 0)
	return len(w.files) - 1
}

// expect notes how large a file is, and how much of it is there.
func (w *work) expect(i int, bytes, arrived int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[i].Bytes, w.files[i].Done, w.arrived[i] = bytes, min(arrived, bytes), arrived
}

// progress notes how much of a file is there, or has been read again.
func (w *work) progress(i int, done int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[i].Done = done
}

// end notes how a file ended, and how much of it is there.
func (w *work) end(i int, state apitype.PullFileState, done int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[i].State, w.files[i].Done = state, done
}

// encode writes the files as they are stored.
func (w *work) encode() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, err := wire.Marshal(w.files)
	if err != nil {
		return []byte("[]") // strings and numbers have no reason to fail
	}
	return text
}

// speedWindow is the time over which the speed is measured.
const speedWindow = 5 * time.Second

// speed is how many bytes come per second: between now and a point some seconds ago. What is read
// again from the disk does not count.
func (w *work) speed() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := point{at: w.now()}
	for i, f := range w.files {
		if f.State != apitype.PullFilePresent {
			last.bytes += max(f.Done-w.arrived[i], 0)
		}
	}
	w.points = append(w.points, last)
	for len(w.points) > 2 && last.at.Sub(w.points[1].at) >= speedWindow {
		w.points = w.points[1:]
	}
	first := w.points[0]
	took := last.at.Sub(first.at)
	if took <= 0 {
		return 0
	}
	return max(int64(float64(last.bytes-first.bytes)/took.Seconds()), 0)
}

// kept reports whether something has come that another attempt need not fetch again.
func (w *work) kept() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.files {
		if f.State != apitype.PullFilePresent && f.Done > 0 {
			return true
		}
	}
	return false
}

// fetchedAny reports whether a file has come.
func (w *work) fetchedAny() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.files {
		if f.State == apitype.PullFileFetched {
			return true
		}
	}
	return false
}
