// Package srt reads subtitles in the form of SubRip.
//
// Parse takes the text of a file, as people and programs write it, and gives
// its captions with their times; errors name the line. It never panics and
// reads a bounded number of captions.
//
//atelier:sequential
package srt
