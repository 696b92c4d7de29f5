package media

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/store"
)

// cachedObject is one content of an object. A form can be used again while it is
// open, so the key alone does not name it.
type cachedObject struct {
	key  string
	size int64
	at   time.Time
}

// typeCache keeps the content types of inspected objects. It is emptied when it
// is full: to inspect an object again costs little.
type typeCache struct {
	mu    sync.Mutex
	kinds map[cachedObject]string
}

const maxCachedTypes = 10_000

func (s *typeCache) kind(of cachedObject) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind, ok := s.kinds[of]
	return kind, ok
}

func (s *typeCache) note(of cachedObject, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kinds == nil || len(s.kinds) >= maxCachedTypes {
		s.kinds = map[cachedObject]string{}
	}
	s.kinds[of] = kind
}

// inspectStored checks an object that the storage has not inspected against its
// slot, as the disk server does before an object appears, and returns its content
// type. It removes an object that the slot does not allow.
func (e *Engine) inspectStored(ctx context.Context, u store.Upload, o blob.Object) (string, error) {
	object := cachedObject{u.Key, o.Size, o.ModTime}
	if kind, ok := e.types.kind(object); ok {
		return kind, nil
	}
	content, _, err := e.blobs.Open(ctx, u.Key)
	if err != nil {
		return "", err
	}
	defer content.Close()
	kind, err := e.inspectSlot(ctx, u, o, content)
	if atelier.HasCode(err, atelier.CodeInvalidRequest) {
		return "", errors.Join(err, e.blobs.Delete(ctx, u.Key))
	}
	if err == nil {
		e.types.note(object, kind)
	}
	return kind, err
}

func (e *Engine) inspectSlot(ctx context.Context, u store.Upload, o blob.Object, content io.ReadSeeker) (string, error) {
	kind := o.ContentType
	if u.ContentType != "" {
		kind = u.ContentType
	}
	if kind == "" || strings.HasSuffix(kind, "/octet-stream") { // the client did not say
		head := make([]byte, filetype.HeadSize)
		n, err := io.ReadFull(content, head)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return "", err
		}
		kind = filetype.Detect(head[:n])
	}
	for _, t := range slotTypes {
		if t.worker || strings.TrimRight(t.name, "0123456789") != strings.TrimRight(u.Slot, "0123456789") {
			continue
		}
		if kind == "" {
			return "", atelier.Refuse("file", "has an unsupported type.")
		}
		if err := t.checkContentType(kind); err != nil {
			return "", err
		}
	}
	return kind, e.inspect(ctx, string(u.Wallet), kind, content)
}
