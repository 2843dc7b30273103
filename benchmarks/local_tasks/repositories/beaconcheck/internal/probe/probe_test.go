package probe

import (
	"net/http"
	"testing"
	"time"

	"example.org/beaconcheck/internal/config"
)

func TestClassify(t *testing.T) {
	limit := 500 * time.Millisecond
	cases := []struct {
		status  int
		latency time.Duration
		want    State
	}{
		{200, 100 * time.Millisecond, OK},
		{200, 900 * time.Millisecond, Slow},
		{404, 100 * time.Millisecond, Down},
		{503, 900 * time.Millisecond, Down},
	}
	for _, c := range cases {
		if got := Classify(c.status, c.latency, limit); got != c.want {
			t.Errorf("Classify(%d, %s) = %s, want %s", c.status, c.latency, got, c.want)
		}
	}
}

func TestVisitRealServer(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the network")
	}
	target := config.Target{Name: "example", URL: "https://example.org/", SlowAfter: 5000}
	if got := visit(http.DefaultClient, target); got.State != OK {
		t.Errorf("state %s: %v", got.State, got.Err)
	}
}
