package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/atelier-project/atelier"
)

// Form is a signed form to upload one file with.
type Form struct {
	URL    string            `json:"url"`
	Fields map[string]string `json:"fields"`
}

// UploadResult uploads a result of a render. Pictures use the image endpoint, other
// files the media endpoint.
func (c *Client) UploadResult(ctx context.Context, projectID atelier.ProjectID, artifactID, contentType string, file io.Reader) error {
	return c.upload(ctx, "complete", projectID, artifactID, contentType, file)
}

// UploadPreview uploads a preview of a running render.
func (c *Client) UploadPreview(ctx context.Context, projectID atelier.ProjectID, artifactID, contentType string, file io.Reader) error {
	return c.upload(ctx, "preview", projectID, artifactID, contentType, file)
}

func (c *Client) upload(ctx context.Context, kind string, projectID atelier.ProjectID, artifactID, contentType string, file io.Reader) error {
	q := url.Values{"type": {kind}, "jobId": {string(projectID)}, "contentType": {contentType}}
	path := "/v2/media/uploadUrl"
	if strings.HasPrefix(contentType, "image/") {
		path = "/v2/image/uploadUrl"
		q.Set("imageId", artifactID)
	} else {
		q.Set("id", artifactID)
	}
	var f Form
	if _, err := c.call(ctx, http.MethodGet, path+"?"+q.Encode(), nil, &f); err != nil {
		return err
	}
	return c.Post(ctx, f, contentType, file)
}

// Post uploads a file with a signed form. The file is streamed. S3 needs its length
// first: pass a file that can seek.
func (c *Client) Post(ctx context.Context, f Form, contentType string, file io.Reader) error {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	for name, value := range f.Fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	if _, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="file"`}, "Content-Type": {contentType}}); err != nil {
		return err
	}
	end := "\r\n--" + form.Boundary() + "--\r\n"
	length := int64(head.Len() + len(end))
	size, known, err := remaining(file)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.URL, io.MultiReader(&head, file, strings.NewReader(end)))
	if err != nil {
		return err
	}
	if known {
		req.ContentLength = length + size
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := c.send(req, c.Silence)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return fmt.Errorf("upload: %w", refusal(resp, text))
	}
	return nil
}

// remaining is how much of a file is left to read, where that can be known.
func remaining(file io.Reader) (size int64, known bool, err error) {
	s, ok := file.(io.Seeker)
	if !ok {
		return 0, false, nil
	}
	at, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, false, nil // such as a pipe
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = s.Seek(at, io.SeekStart)
	}
	return end - at, true, err
}

// Download opens a signed URL.
func (c *Client) Download(ctx context.Context, link string) (io.ReadCloser, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, "", err
	}
	resp, err := c.send(req, c.Silence)
	if err != nil {
		return nil, "", err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return nil, "", fmt.Errorf("download: %w", refusal(resp, text))
	}
	return resp.Body, resp.Header.Get("Content-Type"), nil
}

// UploadImage uploads a picture into a slot of a project and returns a URL at
// which the service, and anyone who has it, can read the file.
func (c *Client) UploadImage(ctx context.Context, projectID, slot, contentType string, file io.Reader) (string, error) {
	return c.uploadInput(ctx, "/v2/image/", projectID, slot, contentType, file)
}

// UploadMedia uploads a video or a recording, into the slot referenceVideo or referenceAudio, as
// UploadImage does a picture.
func (c *Client) UploadMedia(ctx context.Context, projectID, slot, contentType string, file io.Reader) (string, error) {
	return c.uploadInput(ctx, "/v2/media/", projectID, slot, contentType, file)
}

func (c *Client) uploadInput(ctx context.Context, path, projectID, slot, contentType string, file io.Reader) (string, error) {
	q := url.Values{"type": {slot}, "jobId": {projectID}, "contentType": {contentType}}
	var f Form
	if _, err := c.call(ctx, http.MethodGet, path+"uploadUrl?"+q.Encode(), nil, &f); err != nil {
		return "", err
	}
	if err := c.Post(ctx, f, contentType, file); err != nil {
		return "", err
	}
	var reply struct {
		DownloadURL string `json:"downloadUrl"`
	}
	_, err := c.call(ctx, http.MethodGet, path+"downloadUrl?"+q.Encode(), nil, &reply)
	return reply.DownloadURL, err
}
