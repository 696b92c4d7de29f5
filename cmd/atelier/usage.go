package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
)

// usageCommand shows what accounts used.
type usageCommand struct {
	installation
	Wallet text   `arg:"" optional:"" help:"Wallet address or username. All accounts when omitted."`
	By     string `help:"What a row stands for: day, model, app, key or account. Work of the command line has no key." enum:"day,model,app,key,account" default:"day"`
	Days   int    `help:"How many UTC days, up to today." default:"30"`
	JSON   bool   `help:"Print JSON." name:"json" xor:"format"`
	CSV    bool   `help:"Print CSV." name:"csv" xor:"format"`
}

// mostDays bounds the days of usageCommand: ten years.
const mostDays = 3660

// usageRow is what was used on a day, with a model, by an application or by an account.
type usageRow struct {
	Key            string        `json:"key"`
	Jobs           int64         `json:"jobs"`
	PlanJobs       int64         `json:"planJobs"`
	Spark          atelier.Money `json:"spark"` // what the work cost, by plan or by balance
	PlanSpark      atelier.Money `json:"planSpark"`
	SparkSpent     atelier.Money `json:"sparkSpent"`
	PaidSparkSpent atelier.Money `json:"paidSparkSpent"`
	SvcSpent       atelier.Money `json:"svcSpent"`
}

func (r *usageRow) add(p store.PartSums) {
	r.Jobs += p.Jobs
	r.PlanJobs += p.PlanJobs
	r.Spark += p.Spark
	r.PlanSpark += p.PlanSpark
	r.SparkSpent += p.SparkSpent
	r.PaidSparkSpent += p.PaidSparkSpent
	r.SvcSpent += p.SvcSpent
}

// Run lists the rows.
func (u *usageCommand) Run(ctx context.Context, t terminal) error {
	if u.Days < 1 || u.Days > mostDays {
		return fmt.Errorf("--days must be from 1 to %d", mostDays)
	}
	return u.withAdmin(ctx, func(o *node.Admin) error {
		var who atelier.Account
		if u.Wallet != "" {
			var err error
			if who, err = o.Accounts.Find(ctx, string(u.Wallet)); err != nil {
				return err
			}
		}
		today := time.Now().UTC()
		days := store.Between{From: store.Day(today.AddDate(0, 0, 1-u.Days)), To: store.Day(today)}
		var rows []*usageRow
		var total *usageRow
		if u.By == "key" {
			used, err := o.Billing.Keys(ctx, who.Wallet, days)
			if err != nil {
				return err
			}
			rows, total = u.keyRows(used)
		} else {
			parts, err := o.Billing.Parts(ctx, who.Wallet, days)
			if err != nil {
				return err
			}
			rows, total = u.rows(parts, today)
		}
		switch {
		case u.JSON:
			return json.NewEncoder(t.out).Encode(rows)
		case u.CSV:
			return writeUsageCSV(t, u.By, rows)
		}
		return writeUsageTable(t, u.By, rows, total)
	})
}

// rows adds up the parts, for each row and in all. Days without work are rows too; other rows are sorted by what the
// work cost.
func (u *usageCommand) rows(parts map[store.PartKey]store.PartSums, today time.Time) (rows []*usageRow, total *usageRow) {
	rows, total = []*usageRow{}, &usageRow{Key: "total"}
	byKey := map[string]*usageRow{}
	row := func(key string) *usageRow {
		if byKey[key] == nil {
			byKey[key] = &usageRow{Key: key}
			rows = append(rows, byKey[key])
		}
		return byKey[key]
	}
	if u.By == "day" {
		for i := range u.Days {
			row(store.Day(today.AddDate(0, 0, 1-u.Days+i)))
		}
	}
	for k, p := range parts {
		row(map[string]string{"day": k.Day, "model": k.ModelID, "app": k.App, "account": string(k.Wallet)}[u.By]).add(p)
		total.add(p)
	}
	slices.SortFunc(rows, func(a, b *usageRow) int {
		if u.By == "day" {
			return cmp.Compare(a.Key, b.Key)
		}
		return a.compare(b)
	})
	return rows, total
}

// compare sorts rows by what their work cost.
func (r *usageRow) compare(o *usageRow) int {
	return cmp.Or(-cmp.Compare(r.Spark, o.Spark), -cmp.Compare(r.Jobs, o.Jobs), cmp.Compare(r.Key, o.Key))
}

// keyRows adds up what was used with each key.
func (u *usageCommand) keyRows(used []billing.KeyUsage) (rows []*usageRow, total *usageRow) {
	rows, total = []*usageRow{}, &usageRow{Key: "total"}
	byKey := map[string]*usageRow{}
	for _, k := range used {
		row := byKey[k.KeyID]
		if row == nil {
			row = &usageRow{Key: k.KeyID}
			if k.Name != "" {
				row.Key = k.Name + " " + k.KeyID[:8]
			}
			byKey[k.KeyID] = row
			rows = append(rows, row)
		}
		sums := store.PartSums{Usage: k.Usage, Spark: k.Spark}
		row.add(sums)
		total.add(sums)
	}
	slices.SortFunc(rows, (*usageRow).compare)
	return rows, total
}

func writeUsageCSV(t terminal, by string, rows []*usageRow) error {
	w := csv.NewWriter(t.out)
	err := w.Write([]string{by, "jobs", "planJobs", "spark", "planSpark", "sparkSpent", "paidSparkSpent", "svcSpent"})
	for _, r := range rows {
		err = errors.Join(err, w.Write([]string{
			spreadsheetText(r.Key), strconv.FormatInt(r.Jobs, 10), strconv.FormatInt(r.PlanJobs, 10),
			r.Spark.String(), r.PlanSpark.String(), r.SparkSpent.String(), r.PaidSparkSpent.String(), r.SvcSpent.String(),
		}))
	}
	w.Flush()
	return errors.Join(err, w.Error())
}

// spreadsheetText keeps a spreadsheet from taking a text, which callers choose, for a
// formula.
func spreadsheetText(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// usageBar is how many characters the bar of the largest row has.
const usageBar = 24

func writeUsageTable(t terminal, by string, rows []*usageRow, total *usageRow) error {
	var most atelier.Money
	for _, r := range rows {
		most = max(most, r.Spark)
	}
	table := columns(t.out)
	fmt.Fprintf(table, "%s\tJOBS\tBY PLAN\tCOST (SPARK)\tSPARK SPENT\tSVC SPENT\t\n", strings.ToUpper(by))
	for _, r := range append(rows, total) {
		bar := ""
		if most > 0 && r != total {
			bar = strings.Repeat("█", int(math.Ceil(usageBar*float64(r.Spark)/float64(most))))
		}
		key := r.Key
		if by == "app" || by == "model" || by == "key" {
			key = appName(key)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%s\t%s\n", key, r.Jobs, r.PlanJobs, r.Spark, r.SparkSpent, r.SvcSpent, bar)
	}
	return table.Flush()
}
