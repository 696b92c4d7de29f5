package main

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// cost is what a workflow costs: what was charged, and the estimate of the steps that are not over.
type cost struct {
	spark  atelier.Money
	byPlan atelier.Money // the part that the plan has paid
}

func costOf(w apitype.Workflow) (c cost) {
	for _, s := range w.Steps {
		c.spark += stepCost(s)
		if s.Cost.Actual != nil && s.Cost.Actual.ByPlan {
			c.byPlan += s.Cost.Actual.Spark
		}
	}
	return c
}

// stepCost is what a step was charged for, or the estimate while it is not over.
func stepCost(s apitype.Step) atelier.Money {
	switch {
	case s.Cost.Actual != nil:
		return s.Cost.Actual.Spark
	case s.Status.Terminal():
		return 0
	}
	return s.Cost.EstimatedSpark
}

// text says the cost to people.
func (c cost) text() string {
	text := c.spark.Short() + " Spark"
	switch {
	case c.byPlan == 0:
	case c.byPlan == c.spark:
		text += ", covered by the plan"
	default:
		text += ", of which " + c.byPlan.Short() + " covered by the plan"
	}
	return text
}
