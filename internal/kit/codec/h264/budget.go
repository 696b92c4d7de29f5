package h264

// budget is the rate control. Without a bound every frame has the QP of the
// options. With one, QP follows the bytes that are left: it rises when frames
// cost more than their share and falls back when they cost less.
type budget struct {
	base      int // the QP of the requested quality
	qp        int // the QP of the frames between key frames
	bounded   bool
	left      int64
	frames    int // still to come
	interval  int
	attempts  int
	fair      int64 // the share of the frame being coded
	allowance int64 // and what it may take at most
}

// A key frame costs about this many times what the frames between cost, and
// deserves it: they are made from it.
const keyWeight = 6

// frozenSize is an upper bound for a frame that repeats the last one.
const frozenSize = 160

func newBudget(o Options) budget {
	return budget{base: o.QP, qp: o.QP, bounded: o.MaxBytes > 0 && o.Frames > 0, left: o.MaxBytes, frames: o.Frames, interval: o.KeyInterval}
}

// share returns the part of what is left that belongs to the next frame when each
// costs by its weight.
func (b *budget) share(key bool) int64 {
	frames := int64(max(b.frames, 1))
	keys := frames / int64(b.interval)
	if key {
		keys = max(1, (frames+int64(b.interval)-1)/int64(b.interval))
	}
	weights := frames - keys + keys*keyWeight
	if key {
		return b.left * keyWeight / weights
	}
	return b.left / weights
}

// choose returns the QP to begin a frame with.
func (b *budget) choose(key bool) int {
	b.attempts = 0
	qp := b.qp
	if key {
		qp = max(qp-2, MinQP)
	}
	if !b.bounded {
		return qp
	}
	// One busy frame may borrow from calm ones to come, but never so much that
	// they could not be coded at all.
	b.fair = b.share(key)
	b.allowance = min(b.fair*4, b.left-int64(max(b.frames-1, 0))*frozenSize)
	if key {
		b.allowance = min(b.fair*2, b.left)
	}
	return qp
}

// shouldRetry says whether a frame of so many bytes must be coded again, and how. A
// QP above 51 means to freeze: repeat the last frame, which costs next to
// nothing. It is the last resort for what cannot be coded in its share.
func (b *budget) shouldRetry(key bool, qp, size int) (int, bool) {
	b.attempts++
	n := int64(size)
	switch {
	case !b.bounded || qp > 51:
		return qp, false
	case qp == 51:
		return 52, !key && n > min(b.allowance, b.fair*3/2)
	case n <= b.allowance:
		return qp, false
	}
	// Six steps of QP halve the bytes, more or less.
	step := 2 * b.attempts
	for s := n * 4 / 5; s > b.allowance && step < 18; s = s * 4 / 5 {
		step += 2
	}
	return min(qp+step, 51), true
}

// spend records the size of a frame and sets the QP of the next one.
func (b *budget) spend(key bool, qp, size int) {
	if !b.bounded {
		return
	}
	b.left = max(b.left-int64(size), 0)
	b.frames--
	if qp > 51 {
		return
	}
	if key {
		qp += 2
	}
	n := int64(size)
	switch {
	case n > 2*b.fair:
		qp += 2
	case n > b.fair*5/4:
		qp++
	case n < b.fair/2:
		qp -= 2
	case n < b.fair*3/4:
		qp--
	}
	b.qp = min(max(qp, b.base), 51)
}
