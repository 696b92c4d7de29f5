package library

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

func TestPeaks(t *testing.T) {
	t.Parallel()
	peaksOf := func(samples []int16, atOnce int) []byte {
		var l loudness
		for block := range slices.Chunk(samples, atOnce) {
			l.add(block)
		}
		return l.peaks()
	}
	if got := peaksOf([]int16{-32768}, 1); len(got) != peakCount || got[0] != 100 {
		t.Errorf("got %v", got)
	}
	for _, tc := range []struct{ length, atOnce int }{{20_000, 20_000}, {20_000, 7}, {mostParts, 1000}, {mostParts + 1, 1000}, {3*mostParts - 1, 999}, {1_000_003, 4096}} {
		sound := make([]int16, tc.length)
		for i := range sound {
			sound[i] = int16(i*20_000/tc.length - 10_000)
		}
		got := peaksOf(sound, tc.atOnce)
		if got[0] != 30 || got[peakCount/2] != 0 || got[peakCount/4] != 15 || got[peakCount-1] != 30 {
			t.Errorf("%d samples, %d at once: got %v", tc.length, tc.atOnce, got)
		}
	}
}

// constantFLAC is a file of blocks that each have 65536 samples of one value a channel, in some
// forty bytes.
func constantFLAC(channels, blocks int) []byte {
	info := make([]byte, 34)
	binary.BigEndian.PutUint64(info[10:], 48_000<<44|uint64(channels-1)<<41|15<<36)
	frame := []byte{0xff, 0xf8, 0x70, byte(channels-1) << 4, 0, 0xff, 0xff, 0}
	for range channels {
		frame = append(frame, 0, 0x40, 0)
	}
	var sum uint16
	for _, b := range frame {
		sum ^= uint16(b) << 8
		for range 8 {
			sum = sum<<1 ^ uint16(int16(sum)>>15)&0x8005
		}
	}
	return slices.Concat([]byte("fLaC\x80\x00\x00\x22"), info, bytes.Repeat(binary.BigEndian.AppendUint16(frame, sum), blocks))
}

// A file that is a few bytes, and a minute of eight channels, takes the memory of one block. One
// that is too long has no peaks.
func TestPeaksOfAHostileFile(t *testing.T) { // alone: others would be counted
	file := constantFLAC(8, 40)
	worktest.Limit(t, len(file), worktest.Bound{Base: 20 << 20}, func() { // of 42 MB of samples
		peaks, err := readPeaks(t.Context(), bytes.NewReader(file), soundReaders["audio/flac"])
		if err != nil || peaks[0] != 50 || peaks[peakCount-1] != 50 {
			t.Errorf("got %v, %v", peaks, err)
		}
	})
	file = constantFLAC(1, soundFrames/65536+1)
	if _, err := readPeaks(t.Context(), bytes.NewReader(file), soundReaders["audio/flac"]); !errors.Is(err, errNoPreview) {
		t.Errorf("a long one: got %v", err)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	old, links := Links{Secrets: []string{"before"}}, Links{Secrets: []string{"now", "before"}, URL: "https://a.example"}
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC).Truncate(week)
	link := links.Thumbnail("x", monday)
	if link != links.Thumbnail("x", monday.Add(week-time.Second)) || link == links.Thumbnail("x", monday.Add(week)) || link == links.Thumbnail("y", monday) {
		t.Error("a link must stay the same for a week")
	}
	if !strings.HasPrefix(link, "https://a.example/v1/artifacts/x/thumbnail?") {
		t.Errorf("got %s", link)
	}
	until := monday.Add(2 * week)
	for _, tc := range []struct {
		name      string
		id        string
		signature string
		now       time.Time
		ok        bool
	}{
		{"valid", "x", sign("now", "x", "1"), time.Unix(0, 0), true},
		{"of a secret before", "x", sign(old.Secrets[0], "x", "1"), time.Unix(0, 0), true},
		{"expired", "x", sign("now", "x", "1"), time.Unix(1, 0), false},
		{"of another artifact", "y", sign("now", "x", "1"), time.Unix(0, 0), false},
		{"of a stranger", "x", sign("strange", "x", "1"), time.Unix(0, 0), false},
		{"none", "x", "", time.Unix(0, 0), false},
	} {
		if err := links.check(tc.id, 1, tc.signature, tc.now); (err == nil) != tc.ok || err != nil && !atelier.HasCode(err, atelier.CodeForbidden) {
			t.Errorf("%s: got %v", tc.name, err)
		}
	}
	if until.Sub(monday.Add(week-time.Second)) < week {
		t.Error("a link must last a week at least")
	}
}

// Artifacts of all kinds come in their order, and no more of them are read ahead than what
// memory is reserved for.
func TestMerger(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		at := time.UnixMilli(1_790_000_000_000).UTC()
		wallet := atelier.Wallet("0xann")
		kinds := []string{"audio", "image", "video"}
		counts := map[string]int{"audio": 3, "image": 24, "video": 8}
		want := 0
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.InsertAccount(atelier.Account{Wallet: wallet, Username: "ann", CreatedAt: at}); err != nil {
				return err
			}
			for _, kind := range kinds {
				for i := range counts[kind] {
					id := fmt.Sprint(kind, i)
					j := store.StoredJob{Job: atelier.Job{
						ID: atelier.JobID("job-" + id), ProjectID: atelier.ProjectID("project-" + id), Wallet: wallet, Owner: atelier.JobOwner{Kind: "workflow", ID: "w", Part: id},
						Network: atelier.NetworkFast, Attempt: 1, CreatedAt: at,
					}}
					a := atelier.Artifact{ID: id, JobID: j.ID, ProjectID: j.ProjectID, Kind: kind, Key: id}
					if _, err := tx.InsertJob(j); err != nil {
						return err
					}
					if err := tx.InsertArtifact(a); err != nil {
						return err
					}
					if i%5 == 0 {
						j.Spec.Arguments = map[string]any{"prompt": "a fox"}
					}
					if err := tx.InsertLibraryItem(store.NewLibraryItem(j.Job, a, "a", at.Add(time.Duration(i/3)*time.Second))); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range counts {
			want += n
		}
		for _, atOnce := range []int{1, 2, 4, 8, 100} {
			m := merger{atOnce: atOnce}
			for _, kind := range kinds {
				m.kinds = append(m.kinds, &kindReader{filter: store.LibraryFilter{Wallet: wallet, Kind: kind}})
			}
			var got []store.LibraryItem
			for {
				item, err := m.next(t.Context(), db)
				if err != nil {
					t.Fatal(err)
				}
				if item == nil {
					break
				}
				got = append(got, *item)
				ahead := 0
				for _, k := range m.kinds {
					ahead += len(k.read)
				}
				if ahead > len(kinds)*atOnce {
					t.Fatalf("%d at once: %d are read ahead", atOnce, ahead)
				}
			}
			isOrdered := slices.IsSortedFunc(got, func(a, b store.LibraryItem) int {
				if isNewer(a, b) {
					return -1
				}
				return 1
			})
			if len(got) != want || !isOrdered {
				t.Errorf("%d at once: got %d artifacts, in order: %v", atOnce, len(got), isOrdered)
			}
		}

		// A search that stops continues where it was, and skips nothing of any kind.
		for _, looks := range [][2]int{{1, 1}, {1, 4}, {3, 5}, {7, 20}, {100, 1000}} {
			var (
				got  []string
				from *store.LibraryPosition
			)
			for pages := 1; ; pages++ {
				m := merger{atOnce: 2, lookAtOnce: looks[0], mostLooked: looks[1]}
				for _, kind := range kinds {
					m.kinds = append(m.kinds, &kindReader{filter: store.LibraryFilter{Wallet: wallet, Kind: kind, Before: from, Words: []store.LibraryWord{{Text: "fox"}}}})
				}
				for {
					item, err := m.next(t.Context(), db)
					if err != nil {
						t.Fatal(err)
					}
					if item == nil {
						break
					}
					got = append(got, item.ID)
				}
				if from = m.stop; from == nil || pages > 100 {
					break
				}
			}
			if want := "image20 image15 image10 video5 image5 video0 image0 audio0"; strings.Join(got, " ") != want {
				t.Errorf("%v: got %v, want %s", looks, got, want)
			}
		}
	})
}
