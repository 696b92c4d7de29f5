package library

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
)

// Links signs the links of thumbnails. Browsers open them without a credential.
type Links struct {
	Secrets []string // the first signs, signatures of all are accepted
	URL     string   // of the service
}

// week is how long a link stays the same, and how long it lasts at least.
const week = 7 * 24 * time.Hour

// Thumbnail is the link of an artifact's thumbnail.
func (l Links) Thumbnail(id string, now time.Time) string {
	until := strconv.FormatInt(now.UTC().Truncate(week).Add(2*week).Unix(), 10)
	q := url.Values{"until": {until}, "signature": {sign(l.Secrets[0], id, until)}}
	return l.URL + "/v1/artifacts/" + url.PathEscape(id) + "/thumbnail?" + q.Encode()
}

// check refuses a link that was not signed here, or has ended.
func (l Links) check(id string, until int64, signature string, now time.Time) error {
	for _, secret := range l.Secrets {
		if hmac.Equal([]byte(sign(secret, id, strconv.FormatInt(until, 10))), []byte(signature)) {
			if now.Unix() >= until {
				return atelier.Errorf(atelier.CodeForbidden, "The link has expired. Read the artifact again.")
			}
			return nil
		}
	}
	return atelier.Errorf(atelier.CodeForbidden, "The signature of the link is not valid.")
}

func sign(secret, id, until string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("thumbnail\n" + id + "\n" + until))
	return hex.EncodeToString(mac.Sum(nil))
}
