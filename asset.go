package atelier

import "time"

// MaxPixels bounds the pictures that the service accepts and makes: one 8K frame.
const MaxPixels = 7680 * 4320

// AssetState is the state of a saved asset.
type AssetState string

// The states. An upload that is not finalized in time is removed.
const (
	AssetUploading AssetState = "uploading"
	AssetReady     AssetState = "ready"
)

// Values lists the states for the OpenAPI document.
func (AssetState) Values() []string { return []string{string(AssetUploading), string(AssetReady)} }

// Asset is a saved upload of a subscriber.
type Asset struct {
	ID            string
	Wallet        Wallet
	Name          string
	Bytes         int64
	ContentType   string
	SHA256        string
	State         AssetState
	BlobKey       string
	CreatedAt     time.Time
	FinalizeUntil time.Time // an upload that is not finalized by then is removed
	UsedAt        time.Time // when it was last saved or reused
}

// AssetIdle is how long a saved asset is kept after the later of the end of
// the paid period and its last use.
const AssetIdle = 30 * 24 * time.Hour

// ExpiresAt is when an asset of an account with the given plan is removed.
func (a Asset) ExpiresAt(plan Subscription) time.Time {
	if a.State == AssetUploading {
		return a.FinalizeUntil
	}
	last := a.UsedAt
	if plan.PeriodEnd.After(last) {
		last = plan.PeriodEnd
	}
	return last.Add(AssetIdle)
}
