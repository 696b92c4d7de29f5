package h264

import "fmt"

// Rate is frames a second as a fraction.
type Rate struct{ Num, Den int }

// sequence is what a sequence parameter set says, as far as this package writes
// and reads it (7.3.2.1.1).
type sequence struct {
	level             int
	mbWidth, mbHeight int
	width, height     int // after cropping
	frameNumBits      int
	pocType           int
	pocBits           int
	rate              Rate
}

const (
	profileBaseline = 66
	frameNumBits    = 8
)

// write encodes the set for a stream that this package writes.
func (s *sequence) write(w *bitWriter) []byte {
	w.reset()
	w.put(profileBaseline, 8)
	w.put(0b11000000, 8) // constraint_set0 and 1: Constrained Baseline
	w.put(uint32(s.level), 8)
	w.ue(0) // seq_parameter_set_id
	w.ue(frameNumBits - 4)
	w.ue(2) // pic_order_cnt_type: output order is decoding order
	w.ue(1) // max_num_ref_frames
	w.flag(false)
	w.ue(uint32(s.mbWidth - 1))
	w.ue(uint32(s.mbHeight - 1))
	w.flag(true) // frame_mbs_only
	w.flag(true) // direct_8x8_inference
	right, bottom := s.mbWidth*16-s.width, s.mbHeight*16-s.height
	w.flag(right != 0 || bottom != 0)
	if right != 0 || bottom != 0 {
		// Cropping counts chroma samples (equations 7-19 to 7-22), which is why
		// sizes are even.
		w.ue(0)
		w.ue(uint32(right / 2))
		w.ue(0)
		w.ue(uint32(bottom / 2))
	}
	w.flag(true)
	s.writeVUI(w)
	return appendNAL(nil, 3, nalSPS, w.finish())
}

// writeVUI encodes the VUI of annex E: colour, where chroma lies, timing, and
// that no picture waits for another, so that players show the first one at
// once.
func (s *sequence) writeVUI(w *bitWriter) {
	w.flag(true) // aspect_ratio_info_present
	w.put(1, 8)  // square samples
	w.flag(false)
	w.flag(true)  // video_signal_type_present
	w.put(5, 3)   // video_format: unspecified
	w.flag(false) // video_full_range
	w.flag(true)  // colour_description_present
	w.put(1, 8)   // BT.709 primaries
	w.put(1, 8)   // BT.709 transfer
	w.put(1, 8)   // BT.709 matrix
	w.flag(true)  // chroma_loc_info_present
	w.ue(1)       // between the four luma samples that it averages
	w.ue(1)
	w.flag(true) // timing_info_present, in fields
	w.put(uint32(s.rate.Den), 32)
	w.put(uint32(2*s.rate.Num), 32)
	w.flag(true)  // fixed_frame_rate
	w.flag(false) // nal_hrd
	w.flag(false) // vcl_hrd
	w.flag(false) // pic_struct_present
	w.flag(true)  // bitstream_restriction
	w.flag(true)  // motion_vectors_over_pic_boundaries
	w.ue(0)
	w.ue(0)
	w.ue(10)
	w.ue(10)
	w.ue(0) // max_num_reorder_frames
	w.ue(1) // max_dec_frame_buffering
}

// parseSequence reads a set and refuses what the decoder cannot do.
func parseSequence(payload []byte) (*sequence, error) {
	r := &bitReader{buf: payload}
	s := &sequence{}
	profile := r.bits(8)
	constraints := r.bits(8)
	s.level = int(r.bits(8))
	if profile != profileBaseline && (profile != 77 || constraints&0x40 == 0) {
		return nil, fmt.Errorf("h264: profile %d is not decoded here, only Constrained Baseline", profile)
	}
	if r.ue() != 0 {
		return nil, fmt.Errorf("h264: more than one sequence parameter set is not decoded here")
	}
	s.frameNumBits = int(r.ue()) + 4
	s.pocType = int(r.ue())
	switch s.pocType {
	case 0:
		s.pocBits = int(r.ue()) + 4
	case 2:
	default:
		return nil, fmt.Errorf("h264: picture order type %d is not decoded here", s.pocType)
	}
	if s.frameNumBits > 16 || s.pocBits > 16 {
		return nil, errSyntax
	}
	if refs := r.ue(); refs > 1 {
		return nil, fmt.Errorf("h264: %d reference pictures are not decoded here, only one", refs)
	}
	r.flag()
	wide, high := r.ue(), r.ue()
	if wide >= 1024 || high >= 1024 {
		return nil, fmt.Errorf("h264: a picture of %dx%d macroblocks is too large", wide+1, high+1)
	}
	s.mbWidth, s.mbHeight = int(wide)+1, int(high)+1
	if !r.flag() {
		return nil, fmt.Errorf("h264: interlaced streams are not decoded here")
	}
	r.flag()
	s.width, s.height = 16*s.mbWidth, 16*s.mbHeight
	if r.flag() {
		left, right, top, bottom := r.ue(), r.ue(), r.ue(), r.ue()
		if left != 0 || top != 0 {
			return nil, fmt.Errorf("h264: cropping from the left or the top is not decoded here")
		}
		if right > 7 || bottom > 7 {
			return nil, errSyntax
		}
		s.width -= int(2 * right)
		s.height -= int(2 * bottom)
	}
	// What follows is annex E, which does not change a sample.
	return s, r.fail
}

// picture parameter set (7.3.2.2).
type pictureSet struct {
	initQP          int
	chromaOffset    int
	deblockControl  bool
	constrainedPred bool
	redundant       bool
}

func (p *pictureSet) write(w *bitWriter) []byte {
	w.reset()
	w.ue(0)       // pic_parameter_set_id
	w.ue(0)       // seq_parameter_set_id
	w.flag(false) // CAVLC
	w.flag(false) // bottom_field_pic_order
	w.ue(0)       // one slice group
	w.ue(0)       // num_ref_idx_l0_default_active_minus1
	w.ue(0)
	w.flag(false) // weighted_pred
	w.put(0, 2)
	w.se(p.initQP - 26)
	w.se(0)
	w.se(p.chromaOffset)
	w.flag(p.deblockControl)
	w.flag(p.constrainedPred)
	w.flag(p.redundant)
	return appendNAL(nil, 3, nalPPS, w.finish())
}

func parsePictureSet(payload []byte) (*pictureSet, error) {
	r := &bitReader{buf: payload}
	p := &pictureSet{}
	if set, sequence := r.ue(), r.ue(); set != 0 || sequence != 0 {
		return nil, fmt.Errorf("h264: more than one parameter set is not decoded here")
	}
	if r.flag() {
		return nil, fmt.Errorf("h264: CABAC is not decoded here")
	}
	if r.flag() {
		return nil, fmt.Errorf("h264: interlaced streams are not decoded here")
	}
	if r.ue() != 0 {
		return nil, fmt.Errorf("h264: slice groups are not decoded here")
	}
	if r.ue() != 0 {
		return nil, fmt.Errorf("h264: several reference pictures are not decoded here")
	}
	r.ue()
	if r.flag() {
		return nil, fmt.Errorf("h264: weighted prediction is not decoded here")
	}
	r.bits(2)
	p.initQP = 26 + r.se()
	r.se()
	p.chromaOffset = r.se()
	p.deblockControl = r.flag()
	p.constrainedPred = r.flag()
	p.redundant = r.flag()
	if p.initQP < 0 || p.initQP > 51 || p.chromaOffset != 0 || p.constrainedPred || p.redundant {
		return nil, fmt.Errorf("h264: this picture parameter set is not decoded here")
	}
	return p, r.fail
}
