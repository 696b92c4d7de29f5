package blobtest

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
)

// Served is a signed store that clients can reach over HTTP.
type Served struct {
	blob.SignedStore

	// S3 says that an S3 service answers. Both refuse the same things, but not
	// with the same status, and where S3 is different by design the tests say
	// how.
	S3 bool

	// Wait returns when terms that end at the given time have ended.
	Wait func(t *testing.T, until time.Time)

	// Now is the clock of the store.
	Now func() time.Time
}

// RunSigned tests what clients can do at the stores that newStore gives. Each call
// must give an empty one, which newStore closes when its test ends.
func RunSigned(t *testing.T, newStore func(t *testing.T) Served) {
	for name, test := range map[string]func(*testing.T, *signedClient){
		"form":                     form,
		"form without a type":      formWithoutType,
		"form twice":               formTwice,
		"form altered":             formAltered,
		"form with other terms":    formWithOtherTerms,
		"form with more fields":    formWithMoreFields,
		"form too large":           formTooLarge,
		"form too large, streamed": formTooLargeStreamed,
		"form cut short":           formCutShort,
		"form aborted":             formAborted,
		"form with its file early": formWithFileEarly,
		"form empty":               formEmpty,
		"put":                      putExact,
		"put altered":              putAltered,
		"put of other bytes":       putOtherBytes,
		"put twice":                putTwice,
		"puts at once":             putsOfOneKeyAtOnce,
		"put forged digest":        putForgedDigest,
		"get":                      get,
		"get from a cache":         getCached,
		"get ranges":               getRanges,
		"get conditions":           getConditions,
		"get names":                getNames,
		"get what is not there":    getMissing,
		"get altered":              getAltered,
		"get a page":               getPage,
		"expired":                  expired,
		"other methods":            otherMethods,
		"paths":                    paths,
		"signed keys":              signedKeys,
		"copy":                     copies,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, &signedClient{Served: newStore(t), t: t})
		})
	}
}

// ServeDisk serves a disk over HTTP until the test ends. It answers as the API
// does, with a status for each kind of error.
func ServeDisk(t testing.TB, d *blob.Disk, o blob.DiskServerOptions) *blob.DiskServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ServeDiskOn(t, l, d, o)
}

// ServeDiskOn is ServeDisk on a listener.
func ServeDiskOn(t testing.TB, l net.Listener, d *blob.Disk, o blob.DiskServerOptions) *blob.DiskServer {
	t.Helper()
	const base = "/storage"
	var disk *blob.DiskServer
	serve := func(w http.ResponseWriter, r *http.Request) {
		err := disk.Serve(w, r, r.PathValue("key"))
		var e *atelier.Error
		switch {
		case errors.As(err, &e):
			http.Error(w, e.Error(), statuses[e.Code.Kind])
		case err != nil:
			t.Logf("%s %s: %v", r.Method, r.URL.Path, err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc(base, serve)
	mux.HandleFunc(base+"/{key...}", serve)
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: mux}}
	server.Start()
	t.Cleanup(server.Close)
	o.URL = server.URL + base
	disk = blob.NewDiskServer(d, o)
	return disk
}

var statuses = map[atelier.Kind]int{
	atelier.KindInvalid:          http.StatusBadRequest,
	atelier.KindForbidden:        http.StatusForbidden,
	atelier.KindNotFound:         http.StatusNotFound,
	atelier.KindMethodNotAllowed: http.StatusMethodNotAllowed,
	atelier.KindPrecondition:     http.StatusPreconditionFailed,
	atelier.KindTooLarge:         http.StatusRequestEntityTooLarge,
	atelier.KindUnsupportedMedia: http.StatusUnsupportedMediaType,
	atelier.KindTooMany:          http.StatusTooManyRequests,
	atelier.KindUnavailable:      http.StatusServiceUnavailable,
}
