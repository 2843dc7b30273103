// Package probe visits targets.
package probe

import (
	"net/http"
	"sync"
	"time"

	"example.org/beaconcheck/internal/config"
)

// State is the outcome of a visit.
type State string

const (
	OK   State = "ok"
	Slow State = "slow"
	Down State = "down"
)

// Result is one visit.
type Result struct {
	Name    string
	State   State
	Latency time.Duration
	Err     error
}

// All visits every target at the same time and keeps their order.
func All(cfg *config.Config) []Result {
	client := &http.Client{Timeout: time.Duration(cfg.TimeoutMS) * time.Millisecond}
	results := make([]Result, len(cfg.Targets))
	var wg sync.WaitGroup
	for i, target := range cfg.Targets {
		wg.Add(1)
		go func() {
			defer wg.Done()
			results[i] = visit(client, target)
		}()
	}
	wg.Wait()
	return results
}

func visit(client *http.Client, target config.Target) Result {
	start := time.Now()
	req, err := http.NewRequest(http.MethodGet, target.URL, nil)
	if err != nil {
		return Result{Name: target.Name, State: Down, Err: err}
	}
	resp, err := client.Do(req)
	latency := time.Since(start)
	if err != nil {
		return Result{Name: target.Name, State: Down, Latency: latency, Err: err}
	}
	defer resp.Body.Close()
	limit := time.Duration(target.SlowAfter) * time.Millisecond
	return Result{Name: target.Name, State: Classify(resp.StatusCode, latency, limit), Latency: latency}
}

// Classify turns a status code and a latency into a state.
func Classify(status int, latency, limit time.Duration) State {
	if status >= 400 {
		return Down
	}
	if latency > limit {
		return Slow
	}
	return OK
}
