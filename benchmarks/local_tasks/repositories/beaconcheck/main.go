// Command beaconcheck reports web addresses that are down or slow.
package main

import (
	"flag"
	"fmt"
	"os"

	"example.org/beaconcheck/internal/config"
	"example.org/beaconcheck/internal/probe"
	"example.org/beaconcheck/internal/report"
)

func main() {
	path := flag.String("config", "targets.json", "file with the targets")
	verbose := flag.Bool("v", false, "print healthy targets too")
	flag.Parse()

	cfg, err := config.Load(*path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "beaconcheck:", err)
		os.Exit(2)
	}

	results := probe.All(cfg)
	report.Print(os.Stdout, results, *verbose)
	if report.AnyDown(results) {
		os.Exit(1)
	}
}
