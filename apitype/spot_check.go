package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// SpotCheck is a render that workers of trusted accounts have made again, to compare the results.
type SpotCheck struct {
	JobID     atelier.JobID          `json:"jobId"`         // of the render that is checked
	Wallet    atelier.Wallet         `json:"walletAddress"` // who asked for it
	Username  string                 `json:"username"`
	ModelID   string                 `json:"modelId"`
	Network   atelier.Network        `json:"network"`
	Status    atelier.SpotCheckState `json:"status" enum:"open|same|wrong|unclear"`
	AtFault   *atelier.Wallet        `json:"atFault"` // whose worker has made something else than two of those
	Reason    string                 `json:"reason"`
	CreatedAt time.Time              `json:"createdAt"`
	DecidedAt *time.Time             `json:"decidedAt"`
	Renders   []SpotCheckRender      `json:"renders"` // the one that is checked first
}

// SpotCheckRender is one of the renders that are compared.
type SpotCheckRender struct {
	WalletAddress *atelier.Wallet `json:"walletAddress"` // whose worker has made it; null before
	Username      string          `json:"username"`
	Worker        string          `json:"worker"` // its name
}

// SpotChecks is a part of the list of spot checks, newest first.
type SpotChecks struct {
	SpotChecks []SpotCheck `json:"spotChecks"`
	NextCursor *string     `json:"nextCursor"`
}

// SpotCheckCount is how many renders of an account's workers were compared, and how many were
// something else than two trusted workers have made.
type SpotCheckCount struct {
	Compared int64 `json:"compared"`
	Wrong    int64 `json:"wrong"`
}
