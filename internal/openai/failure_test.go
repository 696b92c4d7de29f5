package openai_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/wire"
)

// Clients of OpenAI's API find the type that they know, the field and the code.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  *atelier.Error
		want string
	}{
		{atelier.Refuse("a.b", "is wrong.").With("x", 1), `{"error":{"message":"a.b is wrong.","type":"invalid_request_error","param":"a.b","code":"invalid_request","details":{"x":1}}}`},
		{atelier.Errorf(atelier.CodeRateLimited, "Slow down."), `{"error":{"message":"Slow down.","type":"rate_limit_error","param":null,"code":"rate_limited"}}`},
		{atelier.Errorf(atelier.CodeSubscriptionLimit, "No."), `"type":"subscription_unavailable"`},
		{atelier.Errorf(atelier.CodeBadCredential, "No."), `"type":"authentication_error"`},
		{atelier.Errorf(atelier.CodeAPIKeyRequired, "No."), `"type":"permission_error"`},
		{atelier.Errorf(atelier.CodeRouteNotFound, "No."), `"type":"invalid_request_error"`},
		{atelier.Errorf(atelier.CodeUnavailable, "No."), `"type":"server_error"`},
		{atelier.Errorf(atelier.CodeInternal, "No."), `"type":"server_error"`},
	} {
		got, err := wire.Marshal(openai.Failure(tc.err))
		if err != nil || !strings.Contains(string(got), tc.want) {
			t.Errorf("got %s, %v; want %s", got, err, tc.want)
		}
	}
}
