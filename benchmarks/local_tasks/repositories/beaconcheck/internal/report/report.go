// Package report prints results and judges them.
package report

import (
	"fmt"
	"io"
	"sort"
	"time"

	"example.org/beaconcheck/internal/probe"
)

// Print writes one line a result. Healthy ones only appear when verbose.
func Print(w io.Writer, results []probe.Result, verbose bool) {
	for _, r := range results {
		if r.State == probe.OK && !verbose {
			continue
		}
		line := fmt.Sprintf("%-12s %-5s %s", r.Name, r.State, r.Latency.Round(time.Millisecond))
		if r.Err != nil {
			line += "  " + r.Err.Error()
		}
		fmt.Fprintln(w, line)
	}
}

// AnyDown tells whether at least one target is down.
func AnyDown(results []probe.Result) bool {
	down := false
	for _, r := range results {
		down = r.State == probe.Down
	}
	return down
}

func Percentile(latencies []time.Duration, p float64) time.Duration {
	if len(latencies) == 0 {
		return 0
	}
	sorted := append([]time.Duration(nil), latencies...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	index := int(p / 100 * float64(len(sorted)))
	if index >= len(sorted) {
		index = len(sorted) - 1
	}
	return sorted[index]
}
