package mp4

import (
	"fmt"
	"io"
)

// WriteFLAC writes interleaved samples as a file of FLAC by itself, without a
// clip around it.
func WriteFLAC(w io.Writer, rate, channels int, interleaved []int16) error {
	e, err := NewFLACEncoder(rate, channels)
	if err != nil {
		return err
	}
	if len(interleaved)%channels != 0 {
		return errFLAC
	}
	// STREAMINFO stands first and is known last, so the frames wait.
	var frames [][]byte
	for step := FLACBlock * channels; len(interleaved) > 0; {
		n := min(step, len(interleaved))
		frame, err := e.Encode(interleaved[:n])
		if err != nil {
			return err
		}
		frames, interleaved = append(frames, frame), interleaved[n:]
	}
	head := append([]byte("fLaC\x80\x00\x00\x22"), e.StreamInfo()...)
	for _, part := range append([][]byte{head}, frames...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// ReadFLAC reads a file of FLAC by itself: 16 bits, one or two channels, at most
// max samples of each.
func ReadFLAC(data []byte, max int) (rate, channels int, interleaved []int16, err error) {
	if len(data) < 8+34 || string(data[:4]) != "fLaC" || data[4]&0x7f != 0 {
		return 0, 0, nil, errFLAC
	}
	d, err := newFLACDecoder(data[8:])
	if err != nil {
		return 0, 0, nil, err
	}
	at := 4
	for last := false; !last; {
		if at+4 > len(data) {
			return 0, 0, nil, errFLAC
		}
		last = data[at]&0x80 != 0
		at += 4 + int(data[at+1])<<16 + int(data[at+2])<<8 + int(data[at+3])
	}
	for at < len(data) {
		var used int
		if interleaved, used, err = d.frame(interleaved, data[at:]); err != nil {
			return 0, 0, nil, err
		}
		if at += used; len(interleaved) > max*d.Channels {
			return 0, 0, nil, fmt.Errorf("mp4: the recording is longer than %d s", max/d.Rate)
		}
	}
	return d.Rate, d.Channels, interleaved, nil
}
