// Package template keeps workflow templates and compiles them into plans.
//
// A template is a document: inputs that are asked for, and stages that become the
// steps of a workflow. Saving one reads every field, checks the stages against the
// catalog and reports all mistakes at once, as issues. Fields that it does not know
// are stored and returned. Compiling takes a template and values for its inputs and
// makes steps and media that the workflow engine starts; from then on the run is
// independent of the template, so edits and deletion do not change running
// workflows.
//
// It serves the "Workflow templates" part of the specification and uses catalog and
// store. It knows nothing of workflows: its caller passes the result of Compile to
// the workflow engine.
//
// Stages. A stage is fixed unless it says batch; interactive ones are refused.
// A fixed stage is one step, called <stage>/main; a batch is one step for each
// value of an input or each artifact of another stage, called <stage>/<n> from
// 0. A stage may hold subStages, which follow it and share its condition.
// Arguments are values or binding strings (see reference); dependsOn is as in
// a workflow's step, with the ids of stages. An artifact that a whole argument
// is bound to becomes a binding with the transform that fits the argument; one
// deeper inside becomes the number of the result.
//
// Failures. In the workflow engine a step waits for another only by taking a result
// of it: if the result is required, the step fails with the other; if not, it runs
// without. Conditions and onError are expressed in these terms:
//
//   - expr is evaluated when the template is compiled. A stage that is left out
//     makes nothing; a stage that needs its results is a mistake unless they are
//     optional.
//   - if_success_of and if_artifact_exists make what is taken from that stage
//     required. A stage that takes nothing from it is refused.
//   - if_error_in is refused, unless the other stage is left out.
//   - onError stop, the default: a stage that takes its results fails with it. Others
//     run.
//   - onError continue and skip, and partialExecutionEnabled: a stage that takes its
//     results runs without them, if its tool can.
//   - onError retry_once: what a worker drops is tried once more, as always.
//   - requiredArtifactsIn and optionalArtifactsIn decide this for one stage
//     that takes results.
//   - checkpointRequired and more than two attempts are refused at the start.
//
// Invariants: a value of an input is never read as a binding; a plan has at
// most twelve steps, 64 media and a megabyte of text, whatever the template
// says; versions only grow; an account sees its own templates and public ones.
package template
