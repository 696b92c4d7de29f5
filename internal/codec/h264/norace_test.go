//go:build !race

package h264_test

const racing = false
