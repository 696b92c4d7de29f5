package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Action is something that an operator did, or an account with its keys and sessions.
type Action struct {
	ID            string          `json:"id"`
	At            time.Time       `json:"at"`
	Operator      string          `json:"operator"`     // the wallet of who did it, or "command line"
	OperatorName  string          `json:"operatorName"` // the username, if there is one
	KeyID         *string         `json:"keyId"`        // of the API key that they acted with
	Action        string          `json:"action"`
	WalletAddress *atelier.Wallet `json:"walletAddress"` // of the account concerned
	Username      string          `json:"username"`      // of that account
	TargetID      *string         `json:"targetId"`      // of the thing concerned
	Detail        string          `json:"detail"`
	Reason        string          `json:"reason"`
}

// ActionQuery selects actions. An empty field selects all.
type ActionQuery struct {
	Operator string // the wallet of who did it, or "command line"
	Wallet   string // of the account concerned
	KeyID    string // of the API key that they acted with
	Action   string
	TargetID string
	From, To time.Time // To is not included
	Page
}

// Actions is a part of the list of actions, newest first.
type Actions struct {
	Actions    []Action `json:"actions"`
	NextCursor *string  `json:"nextCursor"`
}

// ActionBy is who did something to an account.
type ActionBy string

// The account itself, and an operator of the service.
const (
	ByAccount  ActionBy = "account"
	ByOperator ActionBy = "operator"
)

// AccountAction is something that happened to an account, its keys and its sessions, as it is shown to the account.
type AccountAction struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	By       ActionBy  `json:"by"`
	KeyID    *string   `json:"keyId"`  // of the API key of the account that did it
	Member   *string   `json:"member"` // what the member is called who did it; null for the account itself
	Action   string    `json:"action"`
	TargetID *string   `json:"targetId"` // of the key or thing concerned
	Detail   string    `json:"detail"`
}

// AccountActions is a part of the list of what happened to an account, newest first.
type AccountActions struct {
	Actions    []AccountAction `json:"actions"`
	NextCursor *string         `json:"nextCursor"`
}
