package atelier

// SpotCheckState is where a spot check stands: a render that other workers make again, to
// compare the results.
type SpotCheckState string

// The states of a spot check.
const (
	SpotCheckOpen    SpotCheckState = "open"
	SpotCheckSame    SpotCheckState = "same"    // two workers have made the same
	SpotCheckWrong   SpotCheckState = "wrong"   // one worker has made something else than two others
	SpotCheckUnclear SpotCheckState = "unclear" // it could not be decided
)
