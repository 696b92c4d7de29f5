package atelier

import "time"

// MaxPixels bounds the pictures that are taken and made: a picture of 8K.
const MaxPixels = 7680 * 4320

// AssetState is where a saved asset stands.
type AssetState string

// The states. An upload that is not finalized in time is removed.
const (
	AssetUploading AssetState = "uploading"
	AssetReady     AssetState = "ready"
)

// Values lists the states for documents.
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
	FinalizeUntil time.Time // an upload ends then
	UsedAt        time.Time // last saved or reused
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
