package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/mint"
)

// upload sends a picture, a clip or a recording, and returns a URL that the service can read.
func upload(ctx context.Context, c *client.Client, kind atelier.InputType, name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	found := http.DetectContentType(head[:n])
	if !strings.HasPrefix(found, string(kind)+"/") {
		return "", fmt.Errorf("%s is not of the type %s but %s", name, kind, found)
	}
	switch kind {
	case atelier.InputVideo:
		return c.UploadMedia(ctx, mint.UUID(), "referenceVideo", found, f)
	case atelier.InputAudio:
		return c.UploadMedia(ctx, mint.UUID(), "referenceAudio", found, f)
	}
	return c.UploadImage(ctx, mint.UUID(), "startingImage", found, f)
}

// uploadPicture is upload for the flag --image.
func uploadPicture(ctx context.Context, c *client.Client, name string) (string, error) {
	link, err := upload(ctx, c, atelier.InputImage, name)
	if err != nil {
		err = fmt.Errorf("--image: %w", err)
	}
	return link, err
}
