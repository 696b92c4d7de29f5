package probe

import (
	"encoding/binary"
	"math"
	"strings"
)

// maxEXIF is the size limit of EXIF data: a segment of a JPEG.
const maxEXIF = 1 << 16

// exifNames are the tags that are reported, by directory.
var exifNames = map[string]map[uint16]string{
	"main": {
		0x010e: "description", 0x010f: "make", 0x0110: "model", 0x0112: "orientation", 0x0131: "software", 0x0132: "modified",
		0x013b: "artist", 0x8298: "copyright",
	},
	"camera": {
		0x829a: "exposureSeconds", 0x829d: "fNumber", 0x8827: "iso", 0x9003: "taken", 0x9004: "digitised", 0x920a: "focalLength",
		0x9209: "flash", 0xa002: "exifWidth", 0xa003: "exifHeight", 0xa405: "focalLength35mm", 0xa433: "lensMake", 0xa434: "lensModel",
	},
	"place": {0x0001: "latitudeSide", 0x0002: "latitude", 0x0003: "longitudeSide", 0x0004: "longitude", 0x0006: "altitude"},
}

// exif reads the data of a camera: a TIFF header, its first directory and the
// two that it points to. Whatever points outside is passed over.
func (d *Description) exif(data []byte) {
	if len(data) > maxEXIF {
		data = data[:maxEXIF]
	}
	if len(data) < 8 || d.exifRead {
		return
	}
	d.exifRead = true
	e := exifReader{data: data, order: binary.ByteOrder(binary.LittleEndian)}
	switch string(data[:4]) {
	case "II*\x00":
	case "MM\x00*":
		e.order = binary.BigEndian
	default:
		return
	}
	place := map[string]any{}
	camera, gps := e.directory(e.order.Uint32(data[4:]), "main", d.exifTag)
	if camera > 0 {
		e.directory(camera, "camera", d.exifTag)
	}
	if gps > 0 {
		e.directory(gps, "place", func(name string, v any) { place[name] = v })
	}
	for _, axis := range []struct{ name, minus string }{{"latitude", "S"}, {"longitude", "W"}} {
		if v, ok := place[axis.name].(float64); ok {
			if side, _ := place[axis.name+"Side"].(string); side == axis.minus {
				v = -v
			}
			d.Tags[axis.name] = math.Round(v*1e6) / 1e6
		}
	}
	if v, ok := place["altitude"].(float64); ok {
		d.Tags["altitude"] = v
	}
}

func (d *Description) exifTag(name string, v any) {
	if s, ok := v.(string); ok {
		d.addTag(name, s)
		return
	}
	if n, ok := v.(float64); ok && name == "orientation" && d.Image != nil {
		d.Image.Orientation = int(n)
		return
	}
	if len(d.Tags) < maxTags {
		d.Tags[name] = v
	}
}

type exifReader struct {
	data  []byte
	order binary.ByteOrder
}

// directory reports the known tags of one directory and where those of the
// camera and of the place begin.
func (e *exifReader) directory(at uint32, which string, tell func(name string, v any)) (camera, place uint32) {
	if int64(at)+2 > int64(len(e.data)) {
		return 0, 0
	}
	count := int(e.order.Uint16(e.data[at:]))
	for i := range min(count, 512) {
		o := int64(at) + 2 + int64(i)*12
		if o+12 > int64(len(e.data)) {
			return camera, place
		}
		entry := e.data[o : o+12]
		tag, kind, n := e.order.Uint16(entry), e.order.Uint16(entry[2:]), e.order.Uint32(entry[4:])
		switch tag {
		case 0x8769:
			camera = e.order.Uint32(entry[8:])
		case 0x8825:
			place = e.order.Uint32(entry[8:])
		default:
			if name := exifNames[which][tag]; name != "" {
				if v := e.value(kind, n, entry[8:]); v != nil {
					tell(name, v)
				}
			}
		}
	}
	return camera, place
}

var exifSizes = map[uint16]int64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8}

// value returns a text, a number, or degrees that come as three fractions; nil when it
// lies outside or is of no use.
func (e *exifReader) value(kind uint16, n uint32, inline []byte) any {
	size := exifSizes[kind] * int64(n)
	if size <= 0 || n > maxText {
		return nil
	}
	data := inline
	if size > 4 {
		at := int64(e.order.Uint32(inline))
		if at+size > int64(len(e.data)) {
			return nil
		}
		data = e.data[at : at+size]
	}
	switch kind {
	case 2:
		return strings.TrimRight(string(data[:n]), "\x00 ")
	case 1, 7:
		return float64(data[0])
	case 3:
		return float64(e.order.Uint16(data))
	case 4:
		return float64(e.order.Uint32(data))
	case 9:
		return float64(int32(e.order.Uint32(data)))
	}
	var sum float64
	for i := range min(int(n), 3) {
		a, b := e.order.Uint32(data[8*i:]), e.order.Uint32(data[8*i+4:])
		v := float64(a) / float64(b)
		if kind == 10 {
			v = float64(int32(a)) / float64(int32(b))
		}
		if b == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		sum += v / math.Pow(60, float64(i))
	}
	return math.Round(sum*1e6) / 1e6
}
