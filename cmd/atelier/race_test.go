//go:build race && unix

package main

func init() { underRace = true }
