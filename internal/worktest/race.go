//go:build race

package worktest

const racing = true
