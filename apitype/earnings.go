package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Earnings is what the account's workers have earned from work that plans covered.
type Earnings struct {
	Summary EarningsSummary `json:"summary"`
	Months  []EarningsMonth `json:"months"` // the latest first
}

// EarningsSummary is the sums of all months.
type EarningsSummary struct {
	TotalEstimatedUSD       float64 `json:"totalEstimatedUsd"`
	TotalFinalizedUSD       float64 `json:"totalFinalizedUsd"`
	TotalUnclaimedUSD       float64 `json:"totalUnclaimedUsd"`
	TotalClaimedUSD         float64 `json:"totalClaimedUsd"`
	TotalUnclaimedMicroUSDC string  `json:"totalUnclaimedMicroUsdc"`
}

// EarningsShare is what was earned by a part of the work of a month.
type EarningsShare struct {
	YourRenderSpark          float64 `json:"yourRenderSpark"`
	YourSharePct             float64 `json:"yourSharePct"`
	EstimatedPayoutUSD       float64 `json:"estimatedPayoutUsd"`
	EstimatedPayoutMicroUSDC string  `json:"estimatedPayoutMicroUsdc"`
}

// EarningsMonth is what was earned in a month.
type EarningsMonth struct {
	Month string `json:"month"` // such as 2026-11
	EarningsShare
	Finalized     bool                              `json:"finalized"`
	Claim         *EarningsClaim                    `json:"claim"`         // null until the month is final, and when nothing was earned
	LedgerMissing bool                              `json:"ledgerMissing"` // it has ended and is not final yet
	ByNetwork     map[atelier.Network]EarningsShare `json:"byNetwork,omitzero"`
	ByWorker      []EarningsWorker                  `json:"byWorker,omitzero"`
}

// EarningsClaim is the claim of a month.
type EarningsClaim struct {
	Status          string     `json:"status"` // unclaimed, waiting for an operator, claimed or refused
	AmountUSD       float64    `json:"amountUsd"`
	AmountMicroUSDC string     `json:"amountMicroUsdc"`
	ClaimID         string     `json:"claimId,omitzero"`
	ClaimedAt       *time.Time `json:"claimedAt,omitzero"`
}

// EarningsWorker is what one worker has earned in a month.
type EarningsWorker struct {
	NFTTokenID               string          `json:"nftTokenId,omitzero"`
	Network                  atelier.Network `json:"network"`
	YourRenderSpark          float64         `json:"yourRenderSpark"`
	EstimatedPayoutUSD       float64         `json:"estimatedPayoutUsd"`
	EstimatedPayoutMicroUSDC string          `json:"estimatedPayoutMicroUsdc"`
}

// NewClaimReply is POST /v1/subscriptions/worker/earnings/claim.
type NewClaimReply struct {
	Claim *NewClaim `json:"claim"` // null when there is nothing to claim
}

// NewClaim is a claim that was just made.
type NewClaim struct {
	ClaimID         string        `json:"claimId"`
	Status          string        `json:"status"` // claimed, or waiting for an operator
	Months          []string      `json:"months"`
	AmountUSD       float64       `json:"amountUsd"` // paid outside the service
	AmountMicroUSDC string        `json:"amountMicroUsdc"`
	AmountSvc       atelier.Money `json:"amountSvc"` // booked into the balance
}
