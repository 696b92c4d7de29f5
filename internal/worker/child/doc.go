// Package child renders each job in its own process: the program starts itself
// again with a hidden command, sends it the job, and ends the process and all its
// descendants when the job is done, cancelled or overdue.
//
// Renderers read uploaded files, which cannot be trusted, and run ffmpeg on them.
// Whatever such a file does to the process that reads it, only one job fails:
//
//   - The child has limits for memory, processor time, file sizes and open
//     files, and a watchdog in the parent measures its whole process group.
//   - All children together share a memory budget.
//   - Children run at a lower priority than the service, lower the longer they
//     have run, so a short render overtakes long ones.
//   - The environment of a child holds no secrets. It opens no database and no
//     connection; what it makes is a file in the folder of its job.
//   - A child does not outlive its parent.
//
// What works of this depends on the operating system: Linux has all of it; macOS
// has no watchdog for memory and Windows has neither limits nor process groups.
//
// Renderer is the parent's side and Main is the child's. They exchange lines of
// JSON: the order goes to the child's standard input, reports come back on its
// standard output.
package child
