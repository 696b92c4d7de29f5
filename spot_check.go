package atelier

// SpotCheckState is where a spot check stands: a render that workers of trusted accounts make
// again, to compare the results.
type SpotCheckState string

// The states of a spot check.
const (
	SpotCheckOpen    SpotCheckState = "open"
	SpotCheckSame    SpotCheckState = "same"    // a trusted worker has made the same
	SpotCheckWrong   SpotCheckState = "wrong"   // the worker has made something else than two trusted ones
	SpotCheckUnclear SpotCheckState = "unclear" // it could not be decided
)
