package source

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/wire"
)

// civitaiModel is what the site's API says of a model.
type civitaiModel struct {
	ID      int64  `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Mode    string `json:"mode"` // Archived or TakenDown, or empty
	Creator struct {
		Username string `json:"username"`
	} `json:"creator"`
	Versions wire.Raw `json:"modelVersions"`
}

// civitaiVersion is what the site's API says of a version.
type civitaiVersion struct {
	ID                int64        `json:"id"`
	ModelID           int64        `json:"modelId"`
	Model             civitaiModel `json:"model"`
	Status            string       `json:"status"`
	Availability      string       `json:"availability"`
	UsageControl      string       `json:"usageControl"` // Download, or else no download
	PublishedAt       string       `json:"publishedAt"`
	EarlyAccessEndsAt string       `json:"earlyAccessEndsAt"`
	Files             wire.Raw     `json:"files"`
}

// civitaiFile is one file of a version.
type civitaiFile struct {
	Name        string  `json:"name"`
	Type        string  `json:"type"`
	SizeKB      float64 `json:"sizeKB"`
	Primary     bool    `json:"primary"`
	DownloadURL string  `json:"downloadUrl"`
	PickleScan  string  `json:"pickleScanResult"`
	VirusScan   string  `json:"virusScanResult"`
	Metadata    struct {
		Format string `json:"format"`
		Size   string `json:"size"`
		FP     string `json:"fp"`
	} `json:"metadata"`
	Hashes struct {
		SHA256 string `json:"SHA256"`
	} `json:"hashes"`
}

// How many versions of a model and files of a version are looked at.
const (
	maxVersions = 2000
	maxFiles    = 200
)

func (s *site) resolveCivitai(ctx context.Context, l Link) (Pin, error) {
	model, version, err := s.findVersion(ctx, l)
	if err != nil {
		return Pin{}, err
	}
	if model.Type != "LORA" {
		return Pin{}, fail(Access, "The model is of type %s at %s. Only the type LORA can be imported.", show(model.Type), s.Host)
	}
	if err := s.checkVersion(model, version); err != nil {
		return Pin{}, err
	}
	f, err := s.chooseFile(version, l)
	if err != nil {
		return Pin{}, err
	}
	page := modelPage(model.ID, version.ID)
	if !f.Primary && (l.size != "" || l.fp != "") { // the page stands for the primary file
		page = versionFile(version.ID, strings.ToLower(f.Metadata.Size), strings.ToLower(f.Metadata.FP))
	}
	return Pin{
		Provider: Civitai, Source: "https://" + s.Host + page, Version: strconv.FormatInt(version.ID, 10),
		Path: f.path(version.ID), Bytes: f.bytes(), SHA256: checksum(f.Hashes.SHA256),
		Creator: label(model.Creator.Username), ModelName: label(model.Name),
	}, nil
}

// findVersion asks for the version that a link means, and its model.
func (s *site) findVersion(ctx context.Context, l Link) (model civitaiModel, version civitaiVersion, err error) {
	if l.model == 0 {
		if err = s.ask(ctx, fmt.Sprintf("/api/v1/model-versions/%d", l.version), &version); err != nil {
			return model, version, err
		}
		model = version.Model
		model.ID = version.ModelID
		if version.ID != l.version || model.ID < 1 {
			err = s.unreadable()
		}
		return model, version, err
	}
	if err = s.ask(ctx, fmt.Sprintf("/api/v1/models/%d", l.model), &model); err != nil {
		return model, version, err
	}
	if model.ID != l.model {
		return model, version, s.unreadable()
	}
	version, err = s.chooseVersion(model.Versions, l.version)
	return model, version, err
}

// chooseVersion returns a version of a model: the one with an id, or with none the one that
// was published last.
func (s *site) chooseVersion(list wire.Raw, id int64) (chosen civitaiVersion, err error) {
	var at time.Time // when it was published
	err = items(list, maxVersions, func(v civitaiVersion) error {
		published, _ := time.Parse(time.RFC3339, v.PublishedAt)
		switch {
		case id > 0 && v.ID == id:
			chosen = v
		case id > 0 || v.ID < 1 || !v.isPublished() || published.After(time.Now()):
		case chosen.ID == 0 || published.After(at): // of equals the site lists the newest first
			chosen, at = v, published
		}
		return nil
	})
	switch {
	case err != nil:
		return chosen, s.explainList(err)
	case chosen.ID == 0 && id > 0:
		return chosen, fail(Access, "The model at %s has no published version %d. Check the link.", s.Host, id)
	case chosen.ID == 0:
		return chosen, fail(Access, "The model at %s has no published version.", s.Host)
	}
	return chosen, nil
}

func (v civitaiVersion) isPublished() bool { return v.Status == "" || v.Status == "Published" }

// checkVersion refuses a version that the site does not give out to the public.
func (s *site) checkVersion(model civitaiModel, v civitaiVersion) error {
	ends, _ := time.Parse(time.RFC3339, v.EarlyAccessEndsAt)
	switch {
	case model.Mode != "":
		return fail(Access, "The model was archived or taken down at %s.", s.Host)
	case !v.isPublished():
		return fail(Access, "Version %d is not published at %s.", v.ID, s.Host)
	case strings.EqualFold(v.Availability, "EarlyAccess") || ends.After(time.Now()):
		return fail(Access, "Version %d is in early access at %s. Link to another version of the model, or import it when its early access has ended.", v.ID, s.Host)
	case strings.EqualFold(v.Availability, "Private"):
		return fail(Access, "Version %d is private at %s. Only public files can be imported.", v.ID, s.Host)
	case v.UsageControl != "" && v.UsageControl != "Download":
		return fail(Access, "The creator of version %d does not allow downloads at %s.", v.ID, s.Host)
	}
	return nil
}

// chooseFile returns the file of a version that a link means.
func (s *site) chooseFile(v civitaiVersion, l Link) (civitaiFile, error) {
	var chosen *civitaiFile
	err := items(v.Files, maxFiles, func(f civitaiFile) error {
		if f.Type != "Model" || f.Metadata.Format != "SafeTensor" && f.Metadata.Format != "" || !strings.HasSuffix(f.Name, fileSuffix) ||
			l.size != "" && !strings.EqualFold(f.Metadata.Size, l.size) || l.fp != "" && !strings.EqualFold(f.Metadata.FP, l.fp) {
			return nil
		}
		if chosen == nil || f.Primary && !chosen.Primary {
			chosen = &f
		}
		return nil
	})
	switch {
	case err != nil:
		return civitaiFile{}, s.explainList(err)
	case chosen == nil:
		return civitaiFile{}, fail(Access, "Version %d has no such %s file at %s.", v.ID, fileSuffix, s.Host)
	case chosen.PickleScan == "Danger" || chosen.VirusScan == "Danger":
		return civitaiFile{}, fail(Access, "%s marks the file of version %d as dangerous.", s.Host, v.ID)
	}
	return *chosen, nil
}

// bytes is the size of a file, to the nearest byte of its kilobytes.
func (f civitaiFile) bytes() int64 {
	return int64(math.Round(min(max(f.SizeKB, 0), 1<<50) * 1024))
}

// path is what is requested for a file: the address that the site gives, or else one that
// describes the file.
func (f civitaiFile) path(version int64) string {
	plain := versionFile(version, "", "")
	if u, err := url.Parse(f.DownloadURL); err == nil && u.EscapedPath() == plain {
		if query := u.Query(); len(query) > 0 {
			return plain + "?" + query.Encode()
		}
		return plain
	}
	query := url.Values{"type": {"Model"}, "format": {"SafeTensor"}}
	if f.Metadata.Size != "" {
		query.Set("size", f.Metadata.Size)
	}
	if f.Metadata.FP != "" {
		query.Set("fp", f.Metadata.FP)
	}
	return plain + "?" + query.Encode()
}
