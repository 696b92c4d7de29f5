package h264

// levels holds the rows of table A-1 that are of use: level_idc, macroblocks
// a second, macroblocks a frame. It begins at 3.0 because below that a busy
// little clip may exceed the bit rate of its level, and every player knows 3.0.
var levels = []struct{ idc, perSecond, perFrame int }{
	{30, 40500, 1620},
	{31, 108000, 3600},
	{32, 216000, 5120},
	{40, 245760, 8192},
	{42, 522240, 8704},
	{50, 589824, 22080},
	{51, 983040, 36864},
	{52, 2073600, 36864},
}

// levelFor returns the lowest level that holds the picture size at the rate, or 0.
func levelFor(mbWidth, mbHeight int, rate Rate) int {
	frame := mbWidth * mbHeight
	second := (int64(frame)*int64(rate.Num) + int64(rate.Den) - 1) / int64(rate.Den)
	for _, l := range levels {
		// Neither side may exceed the square root of eight times the area (A.3.1).
		if frame <= l.perFrame && second <= int64(l.perSecond) && mbWidth*mbWidth <= 8*l.perFrame && mbHeight*mbHeight <= 8*l.perFrame {
			return l.idc
		}
	}
	return 0
}
