// The commands and their pages.
#include "engine/cli/help.h"

#include "engine/base/edit_distance.h"

namespace footlight::cli {
namespace {

constexpr const char* kRecord = R"(Runs a script and records what happens.

  footlight record script.py [options] [--] [script arguments...]
  footlight record [options] -m MODULE [arguments...]

Options may also stand before the script.

  -o, --output FILE   where the recording is written (default: the script's name with .footlight, in this folder)
  --level LEVEL       off, structure (functions, traces, calls, graphs) or ops (the default: every op as well)
  --compare NAME[:CALL]
                      also repeats one call of a traced function, eagerly and traced: see `footlight compare --help`
  --values NAME[:CALL[-LAST]]
                      also runs one call, or those up to LAST, again, node by node, for what their tensors hold: see
                      `footlight values --help`
  --check-numerics    also searches every call for NaN and infinity: see `footlight nan --help`
  --engine NAME       whose work is recorded: auto (the default: Footlight, as which `import tensorflow` then runs, JAX
                      and PyTorch), footlight (alone), tensorflow (the one that is installed, and Keras on it), jax or
                      torch (each alone; TensorFlow is left as it is)

The script runs in python3, in the interpreter of the active virtual environment, or in the one that the environment
variable FOOTLIGHT_PYTHON names. The exit code is the script's.

Processes that the script starts are recorded too, each in a file of its own beside FILE, and so is each rank of a
distributed run: see `footlight merge --help`.
)";

constexpr const char* kInfo = R"(Prints what a recording contains, or what is in a model.

  footlight info FILE [--json]
  footlight info FILE --ops [--filter TEXT] [--shapes] [--json]
  footlight info --schema

FILE is a recording or a model: the folder of a SavedModel, a GraphDef (.pb, .pbtxt) or a .keras file. No code of a
model runs.

  --ops           what each op cost: count, times, bytes, operations
  --filter TEXT   only ops or families whose name contains TEXT
  --shapes        a row for each shape of an op
  --json          JSON instead of text
  --schema        the tables and columns of a recording, and what they mean

A file that cannot be read gives exit code 2.
)";

constexpr const char* kReport = R"(Explains why functions were retraced, what else is wrong, and what to change.

  footlight report FILE [--markdown|--github|--json|--html] [--rerun] [--max-retraces N] [--max-compile-seconds S]
                   [-o FILE]

  --markdown         for a bug report (the default)
  --github           for a job's summary or a comment on GitHub; the lines of findings go to standard error, as
                     ::warning commands
  --json             for programs
  --html             one page that needs no network; with --fragment, its findings and functions for another page
  --rerun            runs the script again with each fix that is an edit of it, from a temporary copy; without this
                     option a report runs no code
  --max-retraces N   exit code 3 if calls made more than N traces beyond each function's first
  --max-compile-seconds S
                     exit code 3 if functions were traced, lowered and compiled for longer than that
  -o, --output FILE  where the report is written (default: standard output)
)";

constexpr const char* kExport = R"(Writes a recording for other programs.

  footlight export FILE --format FORMAT [-o FILE]

Without -o it writes to standard output. FORMAT is one of:

  chrome                trace events as JSON, for chrome://tracing and ui.perfetto.dev
  perfetto              the same in Perfetto's own format, for ui.perfetto.dev and its SQL
  csv --table TABLE     TABLE is one of: ops, calls, traces, phases, keys, functions, graphs, nodes, edges, device,
                        spans, counters, waits, decisions, console, missing, passes, memory, kernels, values;
                        start_ns counts from the first event
  dot [--graph GRAPH]   a graph in Graphviz' language. GRAPH is FUNCTION (its latest trace), FUNCTION#TRACE
                        (train_step#2) or a graph's name. @STAGE after it shows it as a pass left it (step#1@prune),
                        @last as it ran; --table passes lists the stages
  svg [--graph GRAPH]   the same as a picture, laid out by Graphviz' program dot
)";

constexpr const char* kDiff = R"(Compares the structure of two graphs or of two recordings.

  footlight diff A B [--json]

A and B are graphs (RUN.footlight:FUNCTION[#TRACE][@STAGE]) or recordings (RUN.footlight). Exit code 0: nothing differs
but times and numbers of calls; 1: something else differs.
)";

constexpr const char* kCompare = R"(Shows where time goes: eager beside traced, or one recording beside another.

  footlight compare script.py [--function NAME] [--call K] [--pairs N] [--seconds S] [-o FILE] [--json]
                    [--engine NAME] [--] [script arguments...]

Runs the script and repeats one call of a traced function, eagerly and traced, with the call's own arguments. Without
NAME it takes the first function that is called. Variables and random numbers are put back before each repetition; other
effects are not. --engine is that of `footlight record`: a call of JAX is repeated under jax.disable_jit() and compiled.

  footlight compare FILE [--json]

Prints the comparison that `compare -o` or `record --compare NAME[:CALL]` has put into a recording.

  footlight compare A B [--json]
  footlight compare RUN.footlight FUNCTION#1 FUNCTION#2 [--json]

Compares what was recorded; nothing runs. A and B are recordings (RUN.footlight), all calls of a function
(RUN.footlight:FUNCTION), those that a trace served (RUN.footlight:FUNCTION#TRACE) or single calls
(RUN.footlight:FUNCTION:CALL). Two parts of one recording are written as in the second line. A and B may be traces of
other programs, too (`footlight import --help`). Of two whole recordings, device work and the phases that the programs
name are also compared by name: what appeared, vanished, became slower or faster.
)";

constexpr const char* kSql = R"(Queries a recording with SQL.

  footlight sql FILE "SELECT ..." [--csv|--json] [--limit N] [-o FILE]
  footlight sql FILE --query NAME [--csv|--json] [--limit N] [-o FILE]
  footlight sql --queries
  footlight sql --tables

The statement is one SELECT in the SQL of SQLite; - reads it from standard input. Nothing can be changed and no other
file can be read. Besides SQLite's functions there are median(x) and percentile(x, p). Times are nanoseconds since the
first event.

  --csv               a CSV table
  --json              a list of objects
  --limit N           at most N rows; without --csv and --json 1,000 are shown unless N says otherwise, 0: all
  --query NAME        one of the ready queries
  --queries           lists the ready queries
  --tables            lists the tables and their columns
  -o, --output FILE   where the result is written (default: standard output)
)";

constexpr const char* kValues = R"(Shows what the tensors of a call hold: range, mean, histogram, NaN, infinity.

  footlight values script.py [--function NAME] [--call K[-L]] [--node NODE] [-o FILE] [--json] [--] [arguments...]
  footlight values FILE [--function NAME] [--call K[-L]] [--node NODE] [--json]

Runs the script; when it gets to the call (the first one of the function), the call's graph runs once more, node by
node, from the same variables and random numbers, which are put back. Without NAME it takes the first function called.
With -o the recording keeps the values: the second form, `footlight nan` and the window show them, and run nothing.

  --call K[-L]   the call with that number, or all from K to L, 100 at most
  --node NODE    only this node, with its histogram and the places of NaN and infinity
)";

constexpr const char* kNan = R"(Says where the first NaN comes from.

  footlight nan script.py [--function NAME] [-o FILE] [--json] [--] [script arguments...]
  footlight nan FILE [--function NAME] [--json]

Runs the script and searches the results and the variables of every call of a traced function for NaN and infinity. The
first call that has one runs once more, node by node, from the state before it: the first node that made a NaN, the
first that made an infinity, and where they spread are shown. `record --check-numerics` does the same for a recording.
A NaN that reaches no result and no variable is not seen. At the end it prints how to see the node in the window.
)";

constexpr const char* kImport = R"(Makes a recording of what another program recorded.

  footlight import FILE... [-o X.footlight]

Without -o the recording lies in this folder and has the name of the first file. Several files, of the ranks of one run,
become one recording, each a process of it. A format is known by what is in the file, not by its name, packed with gzip
or not:

  Chrome or Kineto JSON   what PyTorch's and JAX's profilers and chrome://tracing write
  XPlane                  .xplane.pb, what TensorFlow's and JAX's profilers write
  Perfetto                .pftrace, .perfetto-trace: slices, instants and counters of track events
  Nsight Systems          .sqlite, what `nsys export --type sqlite` writes: kernels, copies, calls of CUDA, NVTX
  PyTorch log             the folder TORCH_TRACE, or a log of it: compilations, graphs, guards, why it recompiled
  HLO text                XLA's modules: jax's compiled.as_text(), XLA_FLAGS=--xla_dump_to
  StableHLO text          modules of MLIR, short or generic: jax's lowered.as_text()
  FX graph text           print_readable(), GraphModule.code, str(graph), an exported program of PyTorch

Of a program's text nothing ran: the recording has its functions, graphs and the lines that the text names.

The window and the commands info, report, compare, values, nan, diff, export and sql open such files too: they import
them into a temporary recording first.
)";

constexpr const char* kRecover = R"(Makes a complete recording of one whose run was killed.

  footlight recover FILE [-o FILE]

Without -o the file itself is replaced.
)";

constexpr const char* kMerge = R"(Puts the recordings of several processes together: children and ranks.

  footlight merge FILE|FOLDER... [-o FILE]

Each process that a recorded script starts writes a file of its own: beside run.footlight lie
run.pid4711.footlight and, under torchrun, MPI or Slurm, run.rank3.footlight. With one FILE, those beside it of the same
run are taken; of a FOLDER, all recordings in it that are not merged ones. Their order does not matter. Ranks are
recorded by recording their launcher, or each of them:

  footlight record -o run.footlight -m torch.distributed.run --nproc_per_node 4 train.py
  mpirun -n 4 footlight record -o run.footlight train.py

Times are moved onto one clock: on one machine by its steady clock, across machines by the collectives that ranks
ended together. How wrong that may be is printed, and which rank the others waited for.

  -o, --output FILE   where the recording is written (default: FILE without its ending, with -merged.footlight)
)";

constexpr const char* kRanks = R"(Says which rank is late, at which collective, and why.

  footlight ranks FILE [--json]

FILE is a recording of several processes, as `footlight merge` writes it. A rank is late at a collective (a span of the
category "collective", as torch.distributed's are) if it comes to it after the others. What it spent more time on than
they did is the reason: tracing, input, ops, or Python outside of them. The table names the worst collective of each
reason, its line or that of the trace, and how long all others waited. The window shows the same in Ranks (Ctrl+9).
)";

constexpr const char* kAttach = R"(Records a program that runs already, from here on.

  footlight attach PID [-o FILE]
  footlight attach PID --stop

  -o, --output FILE   where the recording is written (default: processPID.footlight)
  --stop              end the recording

PID is a process of Python 3.14, the first version that runs code for other processes. The recording begins in it as by
footlight_recorder.start(): functions that JAX and TensorFlow have made before are part of it. Footlight does not
support that version yet, and says so. Under an older one, the program has to begin the recording itself.
)";

constexpr Command kCommands[] = {
    {"record", "run a script and record it", kRecord, record},
    {"attach", "record a program that runs already", kAttach, attach},
    {"info", "print what a recording or a model contains", kInfo, info},
    {"report", "explain retraces and other problems, with fixes", kReport, report},
    {"compare", "show where time goes: eager beside traced, or two recordings", kCompare, compare},
    {"values", "show what the tensors of a call hold", kValues, values},
    {"nan", "say where the first NaN comes from", kNan, nan_origin},
    {"diff", "compare the structure of two graphs or recordings", kDiff, diff},
    {"export", "write a recording for other programs: Perfetto, CSV, Graphviz, SVG", kExport, export_session},
    {"sql", "query a recording with SQL", kSql, sql},
    {"merge", "put the recordings of several processes together", kMerge, merge},
    {"ranks", "say which rank is late, at which collective, and why", kRanks, ranks},
    {"import", "make a recording of what another program recorded", kImport, import_files},
    {"recover", "complete a recording whose run was killed", kRecover, recover},
};

}  // namespace

const Command* command_named(std::string_view name) {
  for (const Command& c : kCommands)
    if (name == c.name) return &c;
  return nullptr;
}

std::string overview() {
  std::string out = R"(Footlight shows what happens when a Python function is staged into a graph.

  footlight COMMAND ...
  footlight FILE          open a recording or a model in the window (at a place: --select WHAT, --view VIEW)

Commands:

)";
  for (const Command& c : kCommands) {
    std::string name = c.name;
    name.resize(10, ' ');
    out += "  " + name + c.summary + "\n";
  }
  return out + "\n`footlight COMMAND --help` explains one of them; `footlight --version` prints the version.\n";
}

std::string nearest_command(std::string_view word) {
  if (word.size() > 20) return {};
  std::string nearest;
  size_t least = 3;  // two letters off are a slip, more are another word
  for (const Command& c : kCommands)
    if (const size_t distance = edit_distance(word, c.name); distance < least) nearest = c.name, least = distance;
  return nearest;
}

}  // namespace footlight::cli
