package mediameta

import (
	"encoding/binary"
	"encoding/xml"
	"io"
	"strings"
)

// The flags of a VP8X chunk.
const (
	flagXMP   = 0x04
	flagEXIF  = 0x08
	flagAlpha = 0x10
)

const headSize = 12 // of a RIFF file

// riffChunks calls a function for each chunk of a RIFF file; size is that of the data.
func (f *source) riffChunks(do func(kind string, at, size int64) error) error {
	at := int64(headSize)
	for range maxParts {
		if at+8 > f.size {
			return nil
		}
		head, err := f.bytes(at, 8)
		if err != nil {
			return err
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		if size > f.size-at-8 {
			return ErrFormat
		}
		if err := do(string(head[:4]), at+8, size); err != nil {
			return err
		}
		at += 8 + size + size&1
	}
	return ErrFormat
}

func readWebP(f *source) (map[string]string, error) {
	found := map[string]string{}
	err := f.riffChunks(func(kind string, at, size int64) error {
		if kind != "EXIF" && kind != "XMP " {
			return nil
		}
		data, err := f.text(at, size)
		switch {
		case err != nil || data == nil:
		case kind == "EXIF":
			readEXIF([]byte(strings.TrimPrefix(string(data), exifHead)), found)
		default:
			if document, ok := readXMP(string(data)); ok {
				found[keyDocument] = document
			}
		}
		return err
	})
	return found, err
}

// An XMP packet with settings. It is written in exactly this form, and read in no other.
const (
	xmpHead = `<?xpacket begin="` + "\ufeff" + `" id="W5M0MpCehiHzreSzNTczkc9d"?>` +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:atelier="urn:atelier:settings"><atelier:settings>`
	xmpTail = `</atelier:settings></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>`
)

func makeXMP(document string) (string, error) {
	var b strings.Builder
	b.WriteString(xmpHead)
	err := xml.EscapeText(&b, []byte(document))
	b.WriteString(xmpTail)
	return b.String(), err
}

func readXMP(packet string) (string, bool) {
	_, rest, ok := strings.Cut(packet, "<atelier:settings>")
	inner, _, ends := strings.Cut(rest, "</atelier:settings>")
	if !ok || !ends || strings.Contains(inner, "<") {
		return "", false
	}
	var text string
	err := xml.Unmarshal([]byte("<a>"+inner+"</a>"), &text)
	return text, err == nil
}

// webpPlan is what a WebP consists of.
type webpPlan struct {
	chunks          []riffChunk // but for VP8X and old settings
	extended        []byte      // the data of the VP8X chunk; nil without one
	hasEXIF, hasXMP bool
	width, height   int
	hasAlpha        bool
}

type riffChunk struct {
	at, size int64
}

func (f *source) planWebP() (p webpPlan, err error) {
	err = f.riffChunks(func(kind string, at, size int64) error {
		head, err := f.bytes(at, min(size, 10))
		if err != nil {
			return err
		}
		switch {
		case kind == "VP8X" && len(head) == 10:
			p.extended = head
			return nil
		case kind == "XMP " && f.startsWith(at, size, xmpHead), kind == "EXIF" && f.startsWith(at, size, ourEXIF):
			return nil
		case kind == "XMP ":
			p.hasXMP = true
		case kind == "EXIF":
			p.hasEXIF = true
		case kind == "VP8L" && len(head) >= 5:
			bits := binary.LittleEndian.Uint32(head[1:])
			p.width, p.height, p.hasAlpha = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1, bits>>28&1 == 1
		case kind == "VP8 " && len(head) == 10:
			p.width, p.height = int(binary.LittleEndian.Uint16(head[6:])&0x3fff), int(binary.LittleEndian.Uint16(head[8:])&0x3fff)
		}
		p.chunks = append(p.chunks, riffChunk{at, size})
		return nil
	})
	if p.extended != nil {
		setFlag(p.extended, flagEXIF, p.hasEXIF)
		setFlag(p.extended, flagXMP, p.hasXMP)
	}
	if err == nil && p.extended == nil && (p.width == 0 || p.height == 0) {
		err = ErrFormat
	}
	return p, err
}

func writeWebP(f *source, w io.Writer, t *texts) error {
	p, err := f.planWebP()
	if err != nil {
		return err
	}
	var added []byte
	if t != nil {
		if added, err = p.add(t); err != nil {
			return err
		}
	}
	total := int64(4 + len(added))
	if p.extended != nil {
		total += 18
	}
	for _, c := range p.chunks {
		total += 8 + c.size + c.size&1
	}
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(total))
	head = append(head, "WEBP"...)
	if p.extended != nil {
		head = appendChunk(head, "VP8X", p.extended)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	if err := f.copyChunks(w, p.chunks); err != nil {
		return err
	}
	_, err = w.Write(added)
	return err
}

// copyChunks writes chunks of a RIFF file as they are, each padded to an even length.
func (f *source) copyChunks(w io.Writer, chunks []riffChunk) error {
	for _, c := range chunks {
		if err := f.copy(w, c.at-8, 8+c.size); err != nil {
			return err
		}
		if c.size&1 == 1 {
			if _, err := w.Write([]byte{0}); err != nil {
				return err
			}
		}
	}
	return nil
}

// add returns the chunks with the settings, and sets the flags for them.
func (p *webpPlan) add(t *texts) (out []byte, err error) {
	if p.extended == nil {
		p.extended = make([]byte, 10)
		setFlag(p.extended, flagAlpha, p.hasAlpha)
		putUint24(p.extended[4:], p.width-1)
		putUint24(p.extended[7:], p.height-1)
	}
	if !p.hasEXIF {
		setFlag(p.extended, flagEXIF, true)
		out = appendChunk(out, "EXIF", makeEXIF(t.parameters))
	}
	if p.hasXMP {
		return out, nil
	}
	packet, err := makeXMP(t.document)
	setFlag(p.extended, flagXMP, true)
	return appendChunk(out, "XMP ", []byte(packet)), err
}

func setFlag(extended []byte, flag byte, on bool) {
	if extended[0] &^= flag; on {
		extended[0] |= flag
	}
}

func putUint24(b []byte, n int) { b[0], b[1], b[2] = byte(n), byte(n>>8), byte(n>>16) }

func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.LittleEndian.AppendUint32(append(out, kind...), uint32(len(data)))
	if out = append(out, data...); len(data)%2 == 1 {
		out = append(out, 0)
	}
	return out
}
