package h264

// SetBeforePart sets what is called at the beginning of each part of a picture, "slices",
// "deblocking" or "bands", on its goroutine.
func SetBeforePart(f func(name string)) { beforePart = f }
