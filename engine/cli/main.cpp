// The `footlight` program: picks the command.
#include "engine/cli/commands.h"
#include "engine/cli/text.h"

#include "footlight_version.h"

#include <cstdio>
#include <exception>

namespace footlight::cli {
namespace {
constexpr const char* kUsage =
    R"(Footlight shows what happens when a Python function is staged into a graph.

  footlight record script.py [options] [--] [script arguments...]
                            run a script and record it into a session file; options may stand first too
      -o, --output FILE     the session file (default: the script's name with .footlight, in this folder)
      --level LEVEL         off, structure (functions, traces, calls, graphs) or ops (default: every op too)
  footlight info FILE [--json]
                            what a session holds; or a model: a folder with a SavedModel, a GraphDef (.pb, .pbtxt)
                            or a .keras file, of which nothing runs
  footlight info FILE --ops [--filter TEXT] [--shapes] [--json]
                            what every op cost: times, bytes, operations; --filter takes part of an op's or
                            a family's name, --shapes gives each of an op's shapes a row
  footlight info --schema   the tables and columns of a session file, and what they mean
  footlight report FILE [--json|--html|--markdown] [--rerun] [--max-retraces N] [-o FILE]
                            why functions were traced again, what else is wrong, and what to change: Markdown, JSON
                            for programs, or a page of HTML that needs no network. Runs no code, but with
                            --rerun the script, once for each fix that is an edit of it. Exit code 3
                            if calls made more than N traces beyond each function's first
  footlight export FILE --format FORMAT [-o FILE]
                            write a session for other programs; without -o to standard output
      chrome                trace events as JSON, for chrome://tracing and ui.perfetto.dev
      perfetto              the same in Perfetto's own format, for ui.perfetto.dev and its SQL
      csv --table TABLE     one of: ops, calls, traces, phases, keys, functions, graphs, nodes, edges, device,
                            spans, counters, waits, decisions, console, missing, passes, memory; start_ns counts
                            from the first event
      dot [--graph GRAPH]   a graph in Graphviz' language. GRAPH is FUNCTION (its latest trace),
                            FUNCTION#TRACE as in train_step#2, or a graph's name; @STAGE after it shows it
                            as it is after a pass (step#1@prune), @last as it runs: see --table passes
      svg [--graph GRAPH]   the same as a picture, laid out by Graphviz' program dot
  footlight diff A B [--json]
                            what differs between two graphs (RUN.footlight:FUNCTION[#TRACE][@STAGE]) or
                            two runs (RUN.footlight), by structure; exit code 0: nothing but times and
                            calls, 1: something
  footlight compare script.py [--function NAME] [--call K] [--pairs N] [--seconds S] [-o FILE] [--json]
                    [--] [script arguments...]
                            run a script, and one call of a traced function many times, eagerly and traced, with
                            its arguments: where the difference goes. Without NAME the first function that is
                            called. What variables and random numbers were is put back each time, other effects
                            are not
  footlight compare FILE [--json]
                            the same from a session: of `compare -o`, or of `record --compare NAME[:CALL]`
  footlight compare A B [--json]
                            where the difference between two recordings goes (RUN.footlight), or between parts of
                            them: the calls of a function (RUN.footlight:FUNCTION), those that a trace served
                            (RUN.footlight:FUNCTION#TRACE), single calls (RUN.footlight:FUNCTION:CALL)
  footlight compare RUN.footlight FUNCTION#1 FUNCTION#2 [--json]
                            the same for two parts of one recording
  footlight recover FILE [-o FILE]
                            make one SQLite file of a session whose run was killed
  footlight FILE            open a session in the app (footlight-app)
  footlight --version       print the version

`record` runs python3, or the interpreter of the active virtual environment, or the one that the environment
variable FOOTLIGHT_PYTHON names. Its exit code is the script's. A session that cannot be read gives exit code 2.
)";

int run(const Words& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::fputs(kUsage, words.empty() ? stderr : stdout);
    return words.empty() ? kUnusable : 0;
  }
  const Words rest(words.begin() + 1, words.end());
  if (words[0] == "--version") {
    std::puts("footlight " FOOTLIGHT_VERSION);
    return 0;
  }
  if (!rest.empty() && (rest[0] == "--help" || rest[0] == "-h")) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (words[0] == "record") return record(rest);
  if (words[0] == "info") return info(rest);
  if (words[0] == "report") return report(rest);
  if (words[0] == "diff") return diff(rest);
  if (words[0] == "compare") return compare(rest);
  if (words[0] == "recover") return recover(rest);
  if (words[0] == "export") return export_session(rest);
  if (words.size() == 1 && words[0][0] != '-') return open_in_app(words[0]);
  return complain("unknown command '" + words[0] + "'; `footlight --help` lists what there is");
}
}  // namespace

int complain(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "footlight: %s\n", printable_lines(message).c_str());
  return kUnusable;
}

}  // namespace footlight::cli

int main(int argc, char** argv) {
  try {
    return footlight::cli::run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    return footlight::cli::complain(e.what());
  }
}
