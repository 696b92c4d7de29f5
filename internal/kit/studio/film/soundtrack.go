package film

import (
	"encoding/binary"
	"math"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/mp4"
)

// soundtrack feeds the sound into a file beside the pictures, so that a
// player finds both in the same place. A nil one is silence.
type soundtrack struct {
	sound   *Sound
	audio   *mp4.Audio
	packets [][]byte // encoded first, because lossless sound takes its share of the bytes first
	counts  []int
	next    int
	samples int // of the packets given so far
	flac    *flac.Encoder
	bytes   int64
}

// newSoundtrack codes the sound: FLAC for MP4, PCM for MOV.
func newSoundtrack(o Options) (*soundtrack, error) {
	if o.Sound == nil {
		return nil, nil
	}
	s := &soundtrack{sound: o.Sound, audio: &mp4.Audio{Codec: mp4.PCM, Rate: o.Sound.Rate, Channels: o.Sound.Channels}}
	if o.Format != mp4.MOV {
		var err error
		if s.flac, err = flac.NewEncoder(o.Sound.Rate, o.Sound.Channels); err != nil {
			return nil, err
		}
		s.audio.Codec = mp4.FLAC
	}
	total := o.soundFrames()
	for from := 0; from < total; from += flac.Block {
		n := min(flac.Block, total-from)
		block := o.Sound.Samples[from*o.Sound.Channels : (from+n)*o.Sound.Channels]
		var packet []byte
		if s.flac != nil {
			var err error
			if packet, err = s.flac.Encode(block); err != nil {
				return nil, err
			}
		} else {
			for _, v := range block {
				packet = binary.LittleEndian.AppendUint16(packet, uint16(v))
			}
		}
		s.packets, s.counts = append(s.packets, packet), append(s.counts, n)
		s.bytes += int64(len(packet)) + 16
	}
	if s.flac != nil {
		s.audio.Config = s.flac.StreamInfo()
	}
	return s, nil
}

func (s *soundtrack) track() *mp4.Audio {
	if s == nil {
		return nil
	}
	return s.audio
}

func (s *soundtrack) codec() string {
	if s == nil {
		return ""
	}
	return s.audio.Codec
}

func (s *soundtrack) size() int64 {
	if s == nil {
		return 0
	}
	return s.bytes
}

// until adds the packets that begin before half a second after t.
func (s *soundtrack) until(file *mp4.Writer, t float64) error {
	if s == nil {
		return nil
	}
	// Half a second ahead, in bunches, keeps the chunks few.
	if s.next > 0 && float64(s.samples)/float64(s.sound.Rate) > t+0.1 {
		return nil
	}
	for s.next < len(s.packets) && float64(s.samples)/float64(s.sound.Rate) < t+0.5 {
		if err := file.AddAudio(s.packets[s.next], s.counts[s.next]); err != nil {
			return err
		}
		s.samples += s.counts[s.next]
		s.packets[s.next] = nil
		s.next++
	}
	return nil
}

func (s *soundtrack) finish(file *mp4.Writer) error {
	return s.until(file, math.Inf(1))
}
