package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Claim is a claim of what workers have earned, with what an operator should know before it is
// paid.
type Claim struct {
	ClaimID       string         `json:"claimId"`
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"`
	Status        string         `json:"status"` // waiting, paid or refused
	Months        []string       `json:"months"`
	USD           atelier.Money  `json:"usd"`
	Svc           atelier.Money  `json:"svc"`
	Reasons       []string       `json:"reasons"` // why it waits
	ClaimedAt     time.Time      `json:"claimedAt"`
	DecidedAt     *time.Time     `json:"decidedAt"`
	Decision      string         `json:"decision"` // the operator's words
	WorkerFacts
}

// WorkerFacts are what tells work that was done from work that was pretended.
type WorkerFacts struct {
	Requesters []Requester    `json:"requesters"` // the largest first
	Models     []ModelPace    `json:"models"`     // those with the largest price first
	SpotChecks SpotCheckCount `json:"spotChecks"`
}

// Requester is who asked for renders that a worker is paid for.
type Requester struct {
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"`
	Jobs          int64          `json:"jobs"`
	USD           atelier.Money  `json:"usd"` // what the renders earn at most
	Svc           atelier.Money  `json:"svc"`
	SharePct      float64        `json:"sharePct"` // of all, by value
}

// ModelPace is how long a worker had the renders of a model, in relation to their price.
type ModelPace struct {
	ModelID              string        `json:"modelId"`
	Jobs                 int64         `json:"jobs"`
	Spark                atelier.Money `json:"spark"`
	SecondsPerSpark      float64       `json:"secondsPerSpark"`
	UsualSecondsPerSpark *float64      `json:"usualSecondsPerSpark"` // of the other workers; null if there are none
}

// Claims is a part of the list of claims that wait for an operator, the oldest first.
type Claims struct {
	Claims     []Claim `json:"claims"`
	NextCursor *string `json:"nextCursor"`
}

// ClaimReply is one claim; null when there was nothing to claim.
type ClaimReply struct {
	Claim *Claim `json:"claim"`
}
