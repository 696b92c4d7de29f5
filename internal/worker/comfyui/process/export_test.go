package process

import "time"

// Split is split.
var Split = split

// NextWait is nextWait.
func (o *Options) NextWait(last, ran time.Duration) time.Duration { return o.nextWait(last, ran) }
