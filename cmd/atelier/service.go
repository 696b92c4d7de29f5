package main

import (
	"fmt"
	"os"
	"time"

	"github.com/atelier-project/atelier/client"
)

// service is the service that a command calls.
type service struct {
	URL     serviceURL  `help:"The service. Default: ATELIER_URL, the profile's, or http://127.0.0.1:8080." placeholder:"URL"`
	APIKey  apiKey      `help:"An API key. Default: ATELIER_API_KEY, or the profile's." name:"api-key" placeholder:"KEY"`
	Profile profileName `help:"Take the URL and the API key that atelier login stored under this name. Default: ATELIER_PROFILE, or default." placeholder:"NAME"`
}

// localURL is where a service listens that was started without flags.
const localURL serviceURL = "http://127.0.0.1:8080"

// connect makes a client for a command that a user waits for. It needs an API key.
func (s *service) connect() (*client.Client, error) {
	c, err := s.reach()
	if err == nil && s.APIKey == "" {
		err = exitError{fmt.Errorf("missing flags: --api-key=KEY: %s", keyHint()), 2}
	}
	return c, err
}

// reach makes a client that may lack an API key, for what is public.
func (s *service) reach() (*client.Client, error) {
	if err := s.resolve(); err != nil {
		return nil, exitError{err, 2}
	}
	c := client.New(string(s.URL), string(s.APIKey))
	c.Retries, c.Silence = 2, time.Minute // a user is waiting
	return c, nil
}

// resolve fills what the command line leaves out: from the environment, then from the profile,
// else with the address of a local service. A profile that a flag names comes before the
// environment.
func (s *service) resolve() error {
	if s.Profile != "" && s.URL != "" {
		return fmt.Errorf("--url and --profile cannot be used together")
	}
	if s.Profile == "" {
		if err := s.readEnvironment(); err != nil {
			return err
		}
	}
	if s.URL == "" || s.APIKey == "" {
		p, err := s.Profile.find()
		if err != nil {
			return err
		}
		if s.URL == "" {
			s.URL = p.URL
		}
		if s.APIKey == "" && s.URL == p.URL { // a key is not sent to another service than its own
			s.APIKey = p.APIKey
		}
	}
	if s.URL == "" {
		s.URL = localURL
	}
	return nil
}

// readEnvironment reads what the environment says of the service.
func (s *service) readEnvironment() error {
	if s.URL == "" {
		if text, ok := os.LookupEnv("ATELIER_URL"); ok {
			if err := s.URL.UnmarshalText([]byte(text)); err != nil {
				return fmt.Errorf("--url: %w", err)
			}
		}
	}
	if s.APIKey == "" {
		if text, ok := os.LookupEnv("ATELIER_API_KEY"); ok {
			if err := s.APIKey.UnmarshalText([]byte(text)); err != nil {
				return fmt.Errorf("--api-key: %w", err)
			}
		}
	}
	return nil
}
