package atelier

// ClaimState is where a claim of what workers have earned stands.
type ClaimState string

// The states of claims. One that waits moves to another; the others are final.
const (
	ClaimWaiting ClaimState = "waiting" // for an operator
	ClaimPaid    ClaimState = "paid"
	ClaimRefused ClaimState = "refused"
)
