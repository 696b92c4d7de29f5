package mp4

// head returns everything before the samples: ftyp, moov and the header of mdat.
// base is where the samples begin.
func (w *Writer) head(base int64) []byte {
	b := &boxes{}
	b.box("ftyp", func() {
		if w.opts.Format == MOV {
			b.text("qt  ")
			b.u32(0x200)
			b.text("qt  ")
			return
		}
		b.text("isom")
		b.u32(0x200)
		b.text("isomiso2avc1mp41")
	})
	b.box("moov", func() { w.movie(b, base) })
	if w.wide() {
		b.u32(1)
		b.text("mdat")
		b.u64(uint64(w.size) + 16)
	} else {
		b.u32(uint32(w.size) + 8)
		b.text("mdat")
	}
	return b.buf
}

// wide reports whether offsets need 64 bits. The margin is for the index.
func (w *Writer) wide() bool { return w.size > 1<<32-1<<28 }

func (w *Writer) movie(b *boxes, base int64) {
	scale, _ := w.videoScale()
	video := w.video.total
	audio := uint64(0)
	tracks := uint32(1)
	if w.opts.Audio != nil {
		tracks = 2
		heard := w.audio.total - min(w.audio.total, uint64(w.opts.Audio.Skip))
		audio = heard * uint64(scale) / uint64(w.opts.Audio.Rate)
	}
	b.full("mvhd", 0, 0, func() {
		b.words(0, 0, scale, uint32(max(video, audio)), 0x10000)
		b.u16(0x100)
		b.zeros(10)
		b.matrix()
		b.zeros(24)
		b.u32(tracks + 1)
	})
	b.box("trak", func() {
		w.trackHeader(b, 1, uint32(video), 0, w.opts.Video.Width, w.opts.Video.Height)
		w.media(b, &w.video, "vide", scale, base)
	})
	if w.opts.Audio != nil {
		b.box("trak", func() {
			w.trackHeader(b, 2, uint32(audio), 0x100, 0, 0)
			if w.opts.Audio.Skip > 0 {
				b.box("edts", func() {
					b.full("elst", 0, 0, func() { b.words(1, uint32(audio), uint32(w.opts.Audio.Skip), 0x10000) })
				})
			}
			w.media(b, &w.audio, "soun", uint32(w.opts.Audio.Rate), base)
		})
	}
	w.tags(b)
}

func (w *Writer) trackHeader(b *boxes, id, duration uint32, volume uint16, width, height int) {
	b.full("tkhd", 0, 3, func() {
		b.words(0, 0, id, 0, duration, 0, 0)
		b.u16(0) // layer
		b.u16(0) // alternate group
		b.u16(volume)
		b.u16(0)
		b.matrix()
		b.words(uint32(width)<<16, uint32(height)<<16)
	})
}

func (w *Writer) media(b *boxes, t *table, kind string, scale uint32, base int64) {
	b.box("mdia", func() {
		b.full("mdhd", 0, 0, func() {
			b.words(0, 0, scale, uint32(t.total))
			b.u16(0x55c4) // undetermined language
			b.u16(0)
		})
		w.handler(b, "mhlr", kind)
		b.box("minf", func() {
			if kind == "vide" {
				b.full("vmhd", 0, 1, func() { b.zeros(8) })
			} else {
				b.full("smhd", 0, 0, func() { b.zeros(4) })
			}
			if w.opts.Format == MOV {
				w.handler(b, "dhlr", "url ")
			}
			b.box("dinf", func() {
				b.full("dref", 0, 0, func() {
					b.u32(1)
					b.full("url ", 0, 1, func() {})
				})
			})
			b.box("stbl", func() { w.sampleTable(b, t, base) })
		})
	})
}

// handler is hdlr. QuickTime names its component and counts the letters of
// the name; MP4 leaves the one zero and ends the other with a zero.
func (w *Writer) handler(b *boxes, component, kind string) {
	name := map[string]string{"vide": "VideoHandler", "soun": "SoundHandler", "url ": "DataHandler"}[kind]
	b.full("hdlr", 0, 0, func() {
		if w.opts.Format != MOV {
			component = "\x00\x00\x00\x00"
		}
		b.text(component)
		b.text(kind)
		b.zeros(12)
		if w.opts.Format == MOV {
			b.u8(byte(len(name)))
			b.text(name)
			return
		}
		b.text(name)
		b.u8(0)
	})
}

// sampleTable is stbl (14496-12, 8.5 to 8.7).
func (w *Writer) sampleTable(b *boxes, t *table, base int64) {
	b.full("stsd", 0, 0, func() {
		b.u32(1)
		if t == &w.video {
			w.videoEntry(b)
		} else {
			w.audioEntry(b)
		}
	})
	w.sampleTimes(b, t)
	if t == &w.video && len(t.keys) < len(t.sizes) {
		b.full("stss", 0, 0, func() {
			b.u32(uint32(len(t.keys)))
			b.words(t.keys...)
		})
	}
	samples := func(c chunk) uint32 {
		if w.framesOfPCM(t) {
			return uint32(c.ticks)
		}
		return c.samples
	}
	b.full("stsc", 0, 0, func() {
		at := len(b.buf)
		b.u32(0)
		runs, last := uint32(0), uint32(0)
		for i, c := range t.chunks {
			if n := samples(c); n != last {
				b.words(uint32(i+1), n, 1)
				runs, last = runs+1, n
			}
		}
		copy(b.buf[at:], []byte{byte(runs >> 24), byte(runs >> 16), byte(runs >> 8), byte(runs)})
	})
	b.full("stsz", 0, 0, func() {
		if w.framesOfPCM(t) {
			b.words(uint32(2*w.opts.Audio.Channels), uint32(t.total))
			return
		}
		b.words(0, uint32(len(t.sizes)))
		b.words(t.sizes...)
	})
	if w.wide() {
		b.full("co64", 0, 0, func() {
			b.u32(uint32(len(t.chunks)))
			for _, c := range t.chunks {
				b.u64(uint64(base + c.offset))
			}
		})
		return
	}
	b.full("stco", 0, 0, func() {
		b.u32(uint32(len(t.chunks)))
		for _, c := range t.chunks {
			b.u32(uint32(base + c.offset))
		}
	})
}

// framesOfPCM reports whether the index counts single frames of sound rather
// than packets, as it does for PCM.
func (w *Writer) framesOfPCM(t *table) bool {
	return t == &w.audio && w.opts.Audio.Codec == PCM
}

func (w *Writer) sampleTimes(b *boxes, t *table) {
	b.full("stts", 0, 0, func() {
		switch {
		case t == &w.video:
			_, delta := w.videoScale()
			b.words(1, uint32(len(t.sizes)), delta)
			return
		case w.framesOfPCM(t):
			b.words(1, uint32(t.total), 1)
			return
		}
		at := len(b.buf)
		b.u32(0)
		runs := uint32(0)
		for i := 0; i < len(t.times); {
			j := i
			for j < len(t.times) && t.times[j] == t.times[i] {
				j++
			}
			b.words(uint32(j-i), t.times[i])
			runs++
			i = j
		}
		copy(b.buf[at:], []byte{byte(runs >> 24), byte(runs >> 16), byte(runs >> 8), byte(runs)})
	})
}
