package h264

import "fmt"

const (
	sliceP = 0
	sliceI = 2
)

// sliceHeader is slice_header of 7.3.3 for one reference picture and CAVLC.
type sliceHeader struct {
	first    int // address of the first macroblock
	kind     int // sliceP or sliceI
	idr      bool
	refIDC   byte
	frameNum int
	idrID    int
	poc      int
	qp       int
	deblock  int // disable_deblocking_filter_idc
	alpha    int // slice_alpha_c0_offset_div2, times two
	beta     int
}

func (h *sliceHeader) write(w *bitWriter, p *pictureSet) {
	w.ue(uint32(h.first))
	w.ue(uint32(h.kind + 5)) // every slice of the picture has this type
	w.ue(0)                  // pic_parameter_set_id
	w.put(uint32(h.frameNum), frameNumBits)
	if h.idr {
		w.ue(uint32(h.idrID))
	}
	if h.kind == sliceP {
		w.flag(false) // num_ref_idx_active_override
		w.flag(false) // ref_pic_list_modification
	}
	if h.idr {
		w.flag(false) // no_output_of_prior_pics
		w.flag(false) // long_term_reference
	} else {
		w.flag(false) // adaptive_ref_pic_marking_mode
	}
	w.se(h.qp - p.initQP)
	w.ue(uint32(h.deblock))
	if h.deblock != 1 {
		w.se(h.alpha / 2)
		w.se(h.beta / 2)
	}
}

func parseSliceHeader(r *bitReader, idr bool, refIDC byte, s *sequence, p *pictureSet) (*sliceHeader, error) {
	h := &sliceHeader{idr: idr, refIDC: refIDC}
	h.first = int(r.ue())
	if h.first >= s.mbWidth*s.mbHeight {
		return nil, errSyntax
	}
	switch k := r.ue(); k {
	case sliceP, sliceI:
		h.kind = int(k)
	case sliceP + 5, sliceI + 5:
		h.kind = int(k) - 5
	default:
		return nil, fmt.Errorf("h264: slices of type %d are not decoded here", k)
	}
	if r.ue() != 0 {
		return nil, fmt.Errorf("h264: more than one parameter set is not decoded here")
	}
	h.frameNum = int(r.bits(s.frameNumBits))
	if idr {
		if h.kind != sliceI {
			return nil, errSyntax
		}
		h.idrID = int(r.ue())
	}
	if s.pocType == 0 {
		h.poc = int(r.bits(s.pocBits))
	}
	if h.kind == sliceP {
		if r.flag() && r.ue() != 0 {
			return nil, fmt.Errorf("h264: several reference pictures are not decoded here")
		}
		if r.flag() {
			return nil, fmt.Errorf("h264: reordered reference pictures are not decoded here")
		}
	}
	if refIDC != 0 {
		if idr {
			r.flag()
			if r.flag() {
				return nil, fmt.Errorf("h264: long-term reference pictures are not decoded here")
			}
		} else if r.flag() {
			return nil, fmt.Errorf("h264: adaptive reference marking is not decoded here")
		}
	}
	h.qp = p.initQP + r.se()
	if p.deblockControl {
		h.deblock = int(r.ue())
		if h.deblock > 2 {
			return nil, errSyntax
		}
		if h.deblock != 1 {
			h.alpha, h.beta = 2*r.se(), 2*r.se()
		}
	}
	if h.qp < 0 || h.qp > 51 || h.alpha < -12 || h.alpha > 12 || h.beta < -12 || h.beta > 12 {
		return nil, errSyntax
	}
	return h, r.fail
}
