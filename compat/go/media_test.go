package compat_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"io"
	"testing"

	"github.com/openai/openai-go/v3"
)

// Pictures are made and changed, and texts spoken, with the calls of the SDK.
func TestMedia(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	made, err := client.Images.Generate(t.Context(), openai.ImageGenerateParams{Prompt: "a red fox", Model: openai.ImageModelGPTImage1, Size: "256x256"})
	if err != nil {
		t.Fatal(err)
	}
	fox := decoded(t, made)
	edited, err := client.Images.Edit(t.Context(), openai.ImageEditParams{
		Image: openai.ImageEditParamsImageUnion{OfFile: openai.File(bytes.NewReader(fox), "fox.png", "image/png")}, Prompt: "make it black and white", Model: openai.ImageModelGPTImage1,
	})
	if err != nil {
		t.Fatal(err)
	}
	decoded(t, edited)

	spoken, err := client.Audio.Speech.New(t.Context(), openai.AudioSpeechNewParams{Input: "Good morning.", Model: openai.SpeechModelTTS1, Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("nova")}, ResponseFormat: "wav"})
	if err != nil {
		t.Fatal(err)
	}
	defer spoken.Body.Close()
	if file, err := io.ReadAll(spoken.Body); err != nil || !bytes.HasPrefix(file, []byte("RIFF")) {
		t.Errorf("got %d bytes, %v", len(file), err)
	}
}

// decoded is the file of an answer with one picture of 256 by 256 pixels.
func decoded(t *testing.T, made *openai.ImagesResponse) []byte {
	t.Helper()
	if len(made.Data) != 1 {
		t.Fatalf("got %d pictures", len(made.Data))
	}
	file, err := base64.StdEncoding.DecodeString(made.Data[0].B64JSON)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := png.DecodeConfig(bytes.NewReader(file)); err != nil || p.Width != 256 || p.Height != 256 {
		t.Fatalf("got %+v, %v", p, err)
	}
	return file
}
