package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg" // decodes what kitty cannot
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// inlineProtocol is how a terminal is told to show a picture.
type inlineProtocol func(out io.Writer, name string, data []byte) error

// protocolOf is the protocol of a terminal, or nil if it has none or does not say. Programs between
// the terminal and this one, such as tmux, do not pass pictures on.
func protocolOf(getenv func(string) string) inlineProtocol {
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case getenv("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return nil
	case term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty" || getenv("KITTY_WINDOW_ID") != "":
		return showKitty
	case program == "iTerm.app" || program == "WezTerm" || getenv("LC_TERMINAL") == "iTerm2":
		return showITerm
	}
	return nil
}

// maxInline is the largest file that is sent to a terminal.
const maxInline = 32 << 20

// showPicture shows a saved picture: always, never, or by default where the output is a terminal that
// can.
func showPicture(out io.Writer, name, setting string) error {
	protocol := protocolOf(os.Getenv)
	switch {
	case setting == "never", setting == "auto" && (protocol == nil || !isTerminal(out)):
		return nil
	case protocol == nil:
		protocol = showITerm // of the two the one that takes every format
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxInline {
		return nil // a pipe, a device, or too large
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("--inline: %w", err)
	}
	return protocol(out, name, data)
}

// showITerm writes a file in the protocol of iTerm2.
func showITerm(out io.Writer, name string, data []byte) error {
	_, err := fmt.Fprintf(out, "\x1b]1337;File=name=%s;size=%d;inline=1;preserveAspectRatio=1:%s\a\n",
		base64.StdEncoding.EncodeToString([]byte(filepath.Base(name))), len(data), base64.StdEncoding.EncodeToString(data))
	return err
}

// kittyChunk is how many characters of a picture one command of kitty's protocol may have.
const kittyChunk = 4096

// showKitty writes a picture in the protocol of kitty, which takes PNG. Formats that this program
// cannot decode are left out.
func showKitty(out io.Writer, _ string, data []byte) error {
	if !bytes.HasPrefix(data, []byte("\x89PNG")) {
		picture, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			return nil
		}
		var again bytes.Buffer
		if err := png.Encode(&again, picture); err != nil {
			return nil
		}
		data = again.Bytes()
	}
	text := base64.StdEncoding.EncodeToString(data)
	control := "a=T,f=100,q=2," // show it at once, a PNG, without an answer
	for len(text) > 0 {
		part := text[:min(len(text), kittyChunk)]
		text = text[len(part):]
		more := 0
		if len(text) > 0 {
			more = 1
		}
		if _, err := fmt.Fprintf(out, "\x1b_G%sm=%d;%s\x1b\\", control, more, part); err != nil {
			return err
		}
		control = ""
	}
	_, err := fmt.Fprintln(out)
	return err
}
