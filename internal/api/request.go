package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// How much of a body is read, and for how long.
const (
	maxBody     = 2 << 20
	maxChatBody = 20*14<<20 + 8<<20 // as many images as may be shown, in base64, and words
	bodyTimeout = 30 * time.Second
)

// reader returns the function with which a handler reads its request: the
// query of a GET, the JSON body of anything else, and what the path holds.
func (s *Server) reader(c *call, rt *route) func(any) error {
	return func(dst any) error {
		if rt.handler.shape == nil {
			return nil
		}
		if err := readInto(c, rt.handler, dst); err != nil {
			return err
		}
		v := reflect.ValueOf(dst).Elem()
		for _, p := range rt.handler.paths {
			value := c.r.PathValue(p.name)
			if !wire.IsText(value) {
				return atelier.Refuse(p.name, "must be valid UTF-8 text.")
			}
			v.Field(p.index).SetString(value)
		}
		return nil
	}
}

func readInto(c *call, h handler, dst any) error {
	switch c.r.Method {
	case http.MethodGet, http.MethodHead, http.MethodDelete:
		return h.shape.Query(c.r.URL.RawQuery, c.r.Header, dst)
	}
	limit := h.maxBody
	if limit == 0 {
		limit = maxBody
	}
	body, err := readBody(c, limit)
	if err != nil {
		return err
	}
	return h.shape.Body(body, c.r.Header, dst)
}

func readBody(c *call, limit int64) ([]byte, error) {
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, atelier.Errorf(atelier.CodeBodyTooLarge, "The body is larger than %d bytes.", over.Limit)
	case err != nil:
		return nil, atelier.Refuse("", "The body could not be read to its end.")
	case len(body) > 0 && !isJSON(c.r.Header.Get("Content-Type")):
		return nil, atelier.Errorf(atelier.CodeUnsupportedMedia, "Send the body as JSON, with the header \"Content-Type: application/json\".")
	}
	return body, nil
}

// isJSON reports whether a content type is JSON in UTF-8. A client that sends
// none is taken at its word: the body will show.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return kind == "application/json" || (strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}
