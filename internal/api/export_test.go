package api

import "time"

// WriteTimeout is how long tests wait for a stuck reader of a stream.
const WriteTimeout = 2 * time.Second

func init() { writeTimeout = WriteTimeout }
