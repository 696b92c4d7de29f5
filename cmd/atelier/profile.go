package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// profile is a service and an API key that the user has stored.
type profile struct {
	URL    serviceURL `json:"url"`
	APIKey apiKey     `json:"apiKey"`
}

// profileName names a profile.
type profileName string

// defaultProfile is the name of the profile of a user who has one.
const defaultProfile profileName = "default"

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// UnmarshalText reads the flag.
func (n *profileName) UnmarshalText(b []byte) error {
	if !plainName.Match(b) {
		return fmt.Errorf("%q is not a name of letters, digits, dots and dashes", b)
	}
	*n = profileName(b)
	return nil
}

// orDefault is the name, else the one of the environment, else the default one. It says whether
// the user has named it.
func (n profileName) orDefault() (name profileName, named bool, err error) {
	if text := os.Getenv("ATELIER_PROFILE"); n == "" && text != "" {
		if err := n.UnmarshalText([]byte(text)); err != nil {
			return n, true, fmt.Errorf("ATELIER_PROFILE: %w", err)
		}
	}
	return cmp.Or(n, defaultProfile), n != "", nil
}

// find reads the profile. The default one may be missing.
func (n profileName) find() (profile, error) {
	name, named, err := n.orDefault()
	if err != nil {
		return profile{}, err
	}
	_, list, err := readProfiles()
	if errors.Is(err, errNoPlace) && !named {
		return profile{}, nil
	}
	if err != nil {
		return profile{}, err
	}
	p, ok := list[name]
	if !ok && named {
		return p, list.missing(name)
	}
	return p, nil
}

// profiles are what the user has stored, by name.
type profiles map[profileName]profile

// missing says that there is no such profile, and which there are.
func (l profiles) missing(name profileName) error {
	text := fmt.Sprintf("there is no profile %s: %s login --profile %s stores one", name, program(), name)
	if len(l) > 0 {
		var names []string
		for _, n := range slices.Sorted(maps.Keys(l)) {
			names = append(names, string(n))
		}
		text += "; there are " + strings.Join(names, ", ")
	}
	return errors.New(text)
}

// errNoPlace means that the system names no directory for configuration.
var errNoPlace = errors.New("there is no place for profiles")

// readProfiles reads the stored profiles, and says which file they belong in.
func readProfiles() (file string, list profiles, err error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", errNoPlace, err)
	}
	file, list = filepath.Join(dir, "atelier", "profiles.json"), profiles{}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, list, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return file, nil, fmt.Errorf("profiles: %s: %w", file, err)
	}
	return file, list, nil
}

// writeProfiles replaces the stored profiles. The file has API keys in it: only its owner reads it.
func writeProfiles(file string, list profiles) error {
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	temp, err := os.CreateTemp(dir, ".profiles-*") // which only its owner reads
	if err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(append(data, '\n'))
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	return nil
}
