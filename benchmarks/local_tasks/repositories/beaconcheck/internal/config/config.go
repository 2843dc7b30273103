// Package config reads the file with the targets.
package config

import (
	"encoding/json"
	"fmt"
	"os"
)

const (
	fallbackTimeoutMS = 5000
	fallbackSlowMS    = 800
)

// Target is one address to visit.
type Target struct {
	Name      string `json:"name"`
	URL       string `json:"url"`
	SlowAfter int    `json:"slow_after"`
}

// Config is the whole file.
type Config struct {
	TimeoutMS int      `json:"timeout_ms"`
	Targets   []Target `json:"targets"`
}

// Load reads and completes the configuration.
func Load(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cfg Config
	if err := json.Unmarshal(data, &cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	cfg.complete()
	return &cfg, cfg.validate()
}

func (c *Config) complete() {
	if c.TimeoutMS == 0 {
		c.TimeoutMS = fallbackTimeoutMS
	}
	for i := range c.Targets {
		if c.Targets[i].SlowAfter == 0 {
			c.Targets[i].SlowAfter = fallbackSlowMS
		}
	}
}

func (c *Config) validate() error {
	seen := map[string]bool{}
	for _, t := range c.Targets {
		if t.Name == "" || t.URL == "" {
			return fmt.Errorf("a target needs a name and a url")
		}
		if seen[t.Name] {
			return fmt.Errorf("target %q is listed twice", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}
