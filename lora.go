package atelier

import (
	"strings"
	"time"
)

// LoraID is the id of a personal LoRA.
type LoraID string

// loraPrefix begins the id of every personal LoRA. A UUID follows.
const loraPrefix = "personal-"

// NewLoraID is the id of a personal LoRA with the given UUID.
func NewLoraID(uuid string) LoraID { return LoraID(loraPrefix + uuid) }

// IsPersonalLora reports whether an id is one of a personal LoRA, and not of a LoRA
// of the public catalog. It may be malformed.
func IsPersonalLora(id string) bool { return strings.HasPrefix(id, loraPrefix) }

// Valid reports whether an id has the form of personal LoRAs.
func (id LoraID) Valid() bool {
	uuid, ok := strings.CutPrefix(string(id), loraPrefix)
	return ok && IsUUID(uuid)
}

// LoraStatus is the status of a personal LoRA.
type LoraStatus string

// The statuses.
const (
	LoraQueued     LoraStatus = "queued"     // its import waits
	LoraValidating LoraStatus = "validating" // its file is being downloaded or uploaded, and checked
	LoraReview     LoraStatus = "review"     // not usable now
	LoraReady      LoraStatus = "ready"      // usable on every model of its family
	LoraRejected   LoraStatus = "rejected"   // not imported, or found unusable
	LoraRevoked    LoraStatus = "revoked"    // withdrawn by the operator
)

// Values lists the statuses for the OpenAPI document.
func (LoraStatus) Values() []string {
	return []string{string(LoraQueued), string(LoraValidating), string(LoraReview), string(LoraReady), string(LoraRejected), string(LoraRevoked)}
}

// Importing reports whether the import is under way.
func (s LoraStatus) Importing() bool { return s == LoraQueued || s == LoraValidating }

// LoraMoves is the state table of personal LoRAs. The store refuses every other
// move.
var LoraMoves = []Move[LoraStatus]{
	{"", "import", LoraQueued},
	{"", "upload", LoraValidating},
	{LoraQueued, "a node begins the import", LoraValidating},
	{LoraQueued, "the import failed too often, or its owner has no plan any more", LoraRejected},
	{LoraQueued, "its model is no longer offered", LoraReview},
	{LoraQueued, "the operator withdraws it", LoraRevoked},
	{LoraValidating, "the site did not answer, or the node stopped", LoraQueued},
	{LoraValidating, "the file fits the family and is stored", LoraReady},
	{LoraValidating, "the file cannot be used or read", LoraRejected},
	{LoraValidating, "the operator withdraws it", LoraRevoked},
	{LoraReady, "a worker finds that the file does not fit the model", LoraRejected},
	{LoraReady, "its model is no longer offered, or the operator holds it back", LoraReview},
	{LoraReady, "the operator withdraws it", LoraRevoked},
	{LoraReview, "its model is offered again, or the operator releases it", LoraReady},
	{LoraReview, "its model is offered again, and its file was never stored", LoraQueued},
	{LoraReview, "the operator withdraws it", LoraRevoked},
	{LoraRejected, "the same link is imported again, or the import rules have changed", LoraQueued},
	{LoraRejected, "the operator withdraws it", LoraRevoked},
}

// May reports whether a personal LoRA may move between two statuses.
func (s LoraStatus) May(to LoraStatus) bool { return hasMove(LoraMoves, s, to) }

// LoraFailure says why a personal LoRA was rejected.
type LoraFailure string

// The failures of imports.
const (
	LoraSourceAccess         LoraFailure = "source_access"         // the site does not give the file out, or did not answer
	LoraSubscriptionRequired LoraFailure = "subscription_required" // its owner had no plan when it was imported
	LoraCatalogDuplicate     LoraFailure = "catalog_duplicate"     // the public catalog has the file
	LoraInvalidArtifact      LoraFailure = "invalid_artifact"      // the file is not one that can be used
)

// Values lists the failures for the OpenAPI document.
func (LoraFailure) Values() []string {
	return []string{string(LoraSourceAccess), string(LoraSubscriptionRequired), string(LoraCatalogDuplicate), string(LoraInvalidArtifact)}
}

// LoraUpload is the provider of files that their owners have sent. Other providers are sites.
const LoraUpload = "upload"

// PersonalLora is a LoRA file that an account has imported for itself.
type PersonalLora struct {
	ID      LoraID
	Wallet  Wallet
	Name    string
	ModelID string // that it was imported for
	Family  string // of that model: every model of it can load the file
	Link    string // as its owner sent it, in one spelling; empty for an upload
	Source  string // pinned to an exact version; upload: and the name of the file for an upload

	Status       LoraStatus
	Reason       string      // why it is not usable, for its owner
	Failure      LoraFailure // of a rejection; empty for one found while rendering
	Requirements []string    // rules for using it

	Provider string
	Version  string
	Bytes    int64 // zero when not known yet
	SHA256   string
	Key      string  // of the object
	Progress float64 // of the download, from 0 to 1

	CreatedAt time.Time
	UpdatedAt time.Time
}

// Uploaded reports whether the owner has sent the file, so that no site has it.
func (l PersonalLora) Uploaded() bool { return l.Provider == LoraUpload }
