package blob

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// signGet replaces the signature of a GET that the client library has signed by one
// with another signing time: Signature Version 4 of a request with no header but
// its host.
func (s *S3) signGet(signed string, at time.Time, term time.Duration) (string, error) {
	const stamp, day = "20060102T150405Z", "20060102"
	u, err := url.Parse(signed)
	if err != nil {
		return "", fmt.Errorf("blob: sign: %w", err)
	}
	creds, err := s.core.GetCreds()
	if err != nil {
		return "", fmt.Errorf("blob: sign: %w", err)
	}
	q := u.Query()
	scope := strings.Split(q.Get("X-Amz-Credential"), "/") // key, day, region, service, end
	if len(scope) != 5 {
		return signed, nil // a service without credentials
	}
	scope[1] = at.Format(day)
	q.Set("X-Amz-Credential", strings.Join(scope, "/"))
	q.Set("X-Amz-Date", at.Format(stamp))
	q.Set("X-Amz-Expires", strconv.FormatInt(int64(term/time.Second), 10))
	q.Del("X-Amz-Signature")
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")

	request := strings.Join([]string{"GET", s3utils.EncodePath(u.Path), u.RawQuery, "host:" + u.Host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")
	digest := sha256.Sum256([]byte(request))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", at.Format(stamp), strings.Join(scope[1:], "/"), hex.EncodeToString(digest[:])}, "\n")
	key := []byte("AWS4" + creds.SecretAccessKey)
	for _, part := range scope[1:] {
		key = sum(key, part)
	}
	u.RawQuery += "&X-Amz-Signature=" + hex.EncodeToString(sum(key, text))
	return u.String(), nil
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
