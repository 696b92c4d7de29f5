package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

const loras = "/v1/loras/personal"

func loraPath(id atelier.LoraID) string { return loras + "/" + url.PathEscape(string(id)) }

// ImportLora asks the service to import a LoRA, and returns its entry, which is queued.
// Read the entry about every ten seconds until its status is no longer one of an import.
// A link that was imported before returns its entry, so a retry imports nothing twice.
func (c *Client) ImportLora(ctx context.Context, i apitype.LoraImport) (l apitype.PersonalLora, err error) {
	_, err = c.call(ctx, http.MethodPost, loras, i, &l)
	return l, err
}

// UploadLora adds a LoRA file to the library, and returns its entry, which is ready, or the
// entry that has the same file. The file is streamed, and sent only when the service is ready
// to take it; a file that can seek has its length announced, so that a wrong one is refused
// by its beginning. It is not tried again.
func (c *Client) UploadLora(ctx context.Context, u apitype.LoraUpload, file io.Reader) (l apitype.PersonalLora, err error) {
	size, known, err := remaining(file)
	if err != nil {
		return l, err
	}
	q := url.Values{"name": {u.Name}, "modelId": {u.ModelID}, "rightsConfirmed": {strconv.FormatBool(u.RightsConfirmed)}}
	if u.FileName != "" {
		q.Set("fileName", u.FileName)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+loras+"/upload?"+q.Encode(), io.NopCloser(file))
	if err != nil {
		return l, err
	}
	if req.ContentLength = -1; known {
		req.ContentLength = size
	}
	if size == 0 && known {
		req.Body = http.NoBody
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Expect", "100-continue")
	_, err = c.do(req, &l)
	return l, err
}

// Loras lists the personal LoRAs of the account.
func (c *Client) Loras(ctx context.Context) (lib apitype.LoraLibrary, err error) {
	_, err = c.call(ctx, http.MethodGet, loras, nil, &lib)
	return lib, err
}

// Lora reads a personal LoRA of the account.
func (c *Client) Lora(ctx context.Context, id atelier.LoraID) (l apitype.PersonalLora, err error) {
	_, err = c.call(ctx, http.MethodGet, loraPath(id), nil, &l)
	return l, err
}

// DeleteLora removes a personal LoRA of the account. Jobs that wait to be rendered with it
// are cancelled. The service answers 409 when the entry changes at the same time: try
// again.
func (c *Client) DeleteLora(ctx context.Context, id atelier.LoraID) error {
	_, err := c.call(ctx, http.MethodDelete, loraPath(id), nil, nil)
	return err
}
