package mp4

// videoEntry is avc1 with its configuration (14496-15, 5.3.3 and 5.4.2), the
// shape of a sample and the colour.
func (w *Writer) videoEntry(b *boxes) {
	v := &w.opts.Video
	b.box("avc1", func() {
		b.zeros(6)
		b.u16(1) // data reference
		b.zeros(16)
		b.u16(uint16(v.Width))
		b.u16(uint16(v.Height))
		b.words(0x480000, 0x480000, 0) // 72 dots an inch
		b.u16(1)                       // frames a sample
		b.zeros(32)                    // compressor's name
		b.u16(24)
		b.u16(0xffff)
		b.box("avcC", func() {
			b.u8(1)
			b.bytes(v.SPS[1:4]) // profile, constraints, level
			b.u8(0xff)          // lengths of four bytes
			b.u8(0xe1)          // one sequence parameter set
			b.u16(uint16(len(v.SPS)))
			b.bytes(v.SPS)
			b.u8(1)
			b.u16(uint16(len(v.PPS)))
			b.bytes(v.PPS)
		})
		b.box("colr", func() {
			if w.opts.Format == MOV {
				b.text("nclc")
			} else {
				b.text("nclx")
			}
			b.u16(1)
			b.u16(1)
			b.u16(1)
			if w.opts.Format != MOV {
				b.u8(0) // limited range
			}
		})
		b.box("pasp", func() { b.words(1, 1) })
	})
}

// audioEntry is the sample entry of the sound.
func (w *Writer) audioEntry(b *boxes) {
	a := w.opts.Audio
	b.box(a.Codec, func() {
		b.zeros(6)
		b.u16(1)
		b.zeros(8)
		b.u16(uint16(a.Channels))
		b.u16(16)
		b.zeros(4)
		if a.Rate < 1<<16 {
			b.u32(uint32(a.Rate) << 16)
		} else {
			b.u32(0) // does not fit; the configuration says it
		}
		switch a.Codec {
		case FLAC:
			b.full("dfLa", 0, 0, func() {
				b.u32(0x80<<24 | uint32(len(a.Config))) // the last block, and STREAMINFO
				b.bytes(a.Config)
			})
		case AAC:
			b.full("esds", 0, 0, func() { descriptors(b, a.Config) })
		}
	})
}

// descriptors is the elementary stream descriptor of AAC (14496-1, 7.2.6).
func descriptors(b *boxes, config []byte) {
	n := byte(len(config))
	b.bytes([]byte{3, 23 + n, 0, 2, 0})              // ES_Descriptor of stream 2
	b.bytes([]byte{4, 15 + n, 0x40, 0x15})           // AAC, audio stream
	b.bytes([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) // buffer and bit rates unknown
	b.bytes([]byte{5, n})
	b.bytes(config)
	b.bytes([]byte{6, 1, 2}) // SLConfigDescriptor: MP4
}

// tags writes what made the clip: in MP4 in the form of iTunes, which every
// player reads, in MOV as plain user data.
func (w *Writer) tags(b *boxes) {
	if w.opts.Tool == "" && w.opts.Comment == "" {
		return
	}
	b.box("udta", func() {
		if w.opts.Format == MOV {
			w.tag(b, "\xa9swr", w.opts.Tool)
			w.tag(b, "\xa9cmt", w.opts.Comment)
			return
		}
		b.full("meta", 0, 0, func() {
			b.full("hdlr", 0, 0, func() {
				b.zeros(4)
				b.text("mdirappl")
				b.zeros(9)
			})
			b.box("ilst", func() {
				w.tag(b, "\xa9too", w.opts.Tool)
				w.tag(b, "\xa9cmt", w.opts.Comment)
			})
		})
	})
}

func (w *Writer) tag(b *boxes, name, value string) {
	switch {
	case value == "":
	case w.opts.Format == MOV:
		value = value[:min(len(value), 65535)]
		b.box(name, func() {
			b.u16(uint16(len(value)))
			b.u16(0x55c4)
			b.text(value)
		})
	default:
		b.box(name, func() {
			b.box("data", func() {
				b.words(1, 0) // UTF-8
				b.text(value)
			})
		})
	}
}
