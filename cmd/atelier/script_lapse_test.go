package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// lapse NAME OWNER CUSTOMER TIMES connects two workers, of which one with the name fails at jobs of the
// customer that the other, which is called steady, completes. OWNER and CUSTOMER are API keys.
func scriptLapse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: lapse NAME OWNER CUSTOMER TIMES, after serve")
	}
	times, err := strconv.Atoi(args[3])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	owner, customer := client.New(ts.Getenv("URL"), args[1]), client.New(ts.Getenv("URL"), args[2])
	connect := func(name string) *client.Session {
		s, err := owner.Connect(ctx, apitype.WorkerSpec{Name: name, Network: "fast", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
		ts.Check(err)
		return s
	}
	claim := func(s *client.Session) apitype.Assignment {
		j, err := s.Claim(ctx, 25*time.Second)
		ts.Check(err)
		if j == nil {
			ts.Fatalf("no job came")
		}
		return *j
	}
	bad, good := connect(args[0]), connect("steady")
	for range times {
		_, err := customer.StartRequest(ctx, json.RawMessage(`{"input": {"steps": [{"id": "picture", "toolName": "generate_image", "arguments": {"prompt": "a fox"}}]}}`), "")
		ts.Check(err)
		ts.Check(bad.Fail(ctx, claim(bad).JobID, apitype.JobFailure{Code: "dropped", Message: "No space left on device"}))
		j := claim(good)
		var picture bytes.Buffer
		ts.Check(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1024, 1024))))
		_, err = good.Complete(ctx, j.JobID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: j.Artifacts[0].ID, ContentType: "image/png", Data: picture.Bytes()}}})
		ts.Check(err)
	}
}
