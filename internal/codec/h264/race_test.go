//go:build race

package h264_test

// racing says that the detector watches, which makes everything ten times
// slower; then fewer pictures are coded.
const racing = true
