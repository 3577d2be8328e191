// Findings: what cost time or went wrong in a run, why, and what to change. A cause is a file in causes/ that registers
// itself here; there is no other list of causes.
#pragma once

#include "engine/explain/leaves.h"
#include "engine/explain/replay.h"

#include <functional>
#include <map>
#include <set>
#include <span>

namespace footlight::explain {

enum class Severity : uint8_t { kCost, kWrongResult };

// A line that has to do with a finding, besides the one to edit.
struct RelatedLine {
  std::string role;                     // "call", "value", "use", "change", "definition"
  Line at;
};

// Something that was seen, in words: "Latest", "500 ms at all_reduce #17".
struct Fact {
  std::string name, value;
};

struct Finding {
  FunctionId function;                  // none: code that is not traced at all
  CodeId code;                          // which, then
  std::string cause;                    // the name of the cause: "python_scalar_argument"
  Severity severity = Severity::kCost;
  std::string path;                     // "args[1]", "args[0].shape[0]"
  std::string parameter;                // "lr"
  std::vector<std::string> also_paths;  // leaves that change together with it
  std::vector<std::string> values;      // in the order of their first trace
  GraphRelation graphs = GraphRelation::kUnknown;  // between the traces that one trace would have replaced
  std::string graphs_words;             // of all of them: "differ only in constants", "are identical"
  // Two of these traces whose graphs differ as much as `graphs` says, and how: "the graphs differ only in 1 constant".
  struct Pair { TraceId left, right; std::string difference; } pair;

  Line line;                            // the one to edit
  std::vector<RelatedLine> related;
  TraceId example;                      // the first trace from `line` that need not have been made
  std::vector<TraceId> saved;           // all such traces

  Checked checked;
  size_t calls = 0;                     // of the function; or what `counted` names
  const char* counted = "calls";        // "later calls", "runs", "elements"
  size_t nodes = 0;                     // that the cause added to a graph
  uint64_t bytes = 0;                   // that it takes
  size_t eager_calls = 0;               // of the function, after its limit of traces was reached
  size_t limit = 0;                     // that limit; 0: it was not reached
  size_t graphs_per_call = 0;           // into which graph breaks split it; 0: nothing splits it
  std::vector<Fact> facts;              // what else shows it
  std::string collective;               // at which a rank was latest: "all_reduce #17"
  std::string engine_said;              // the engine's own words
  int64_t cost_ns = 0;                  // tracing time of all traces of the function
  int64_t saved_ns = 0;                 // of the traces that would have been hits

  std::string title, detail, fix;       // for the user: plain text, one line each
  std::string reason;                   // why the saved traces were made, where their keys do not say it
  struct Edit { Line at; std::string old_text, new_text; } edit;  // no line: the fix is no edit of one line
  // Other ways to end it, as edits where one line is enough; each was checked by itself, or says why not.
  struct Alternative {
    std::string fix;
    Edit edit;
    Checked checked;
  };
  std::vector<Alternative> alternatives;

  // Findings whose fixes this one needs, and with which it was checked: positions in Findings::found.
  std::vector<size_t> after;
};

// Rules against false alarms, by their numbers: engine/explain/README.md has them all.
enum class Rule : uint8_t {
  kNotConfirmed = 1,
  kVariants = 2,
  kSteady = 3,
  kAskedFor = 4,
  kOneRootCause = 6,
  kModes = 10,     // of PyTorch: gradients on and off, two precisions
  kBreaks = 11,    // graph breaks that were asked for, or that lie in a library
  kOwnCode = 16,   // functions that a framework makes for itself
};

// What looked like a cause and is legitimate.
struct Suppressed {
  FunctionId function;
  std::string cause;
  Rule rule;
  std::string detail = {};           // what it is and what a fix would save; empty: the rule says all
  std::vector<TraceId> saved = {};   // the traces that such a fix would spare
};

// What the fixes of several findings of a function save when all of them are made.
struct SavedTogether {
  size_t findings = 0;
  std::vector<TraceId> saved;
};
using SavedByFunction = std::map<FunctionId, SavedTogether>;

struct Findings {
  std::vector<Finding> found;           // the most important first
  std::vector<Suppressed> suppressed;
  SavedByFunction together;
};

// Wrong results first, then most time saved. One root cause is one finding: if nested functions are retraced for the
// same reason, the outer one is named.
// `go_on` is called between its parts, and throws to end it.
Findings find_findings(const RunRecords& records, const std::function<void()>& go_on = [] {});

// "Replayed: saves 10 of 12 traces", "Not verified: ..."
std::string check_text(const Checked& checked);
// "after F1", or "together with F2" where neither helps alone; empty: it needs no other finding.
std::string order_text(std::span<const Finding> all, size_t at);
// check_text, which says with which others it was checked: "Replayed after F1: saves 13 of 15 traces".
std::string check_text(std::span<const Finding> all, size_t at);
// The edits to be made for a finding, with those of the findings that it needs; empty if one of these is no edit.
std::vector<Finding::Edit> edits_together(std::span<const Finding> all, size_t at);

// The traces that the checked fixes of these findings save when all of them are made.
std::set<TraceId> saved_by_all(std::span<const Finding* const> all, const SavedByFunction& together);

// For most causes, a change that saves fewer traces is not worth a finding.
inline constexpr size_t kMinSaved = 2;

// How long something must take, for most causes, to be worth a finding.
struct MinCost {
  int64_t ns = 50'000'000;
  double share_of_run = 0.05;
};
bool costs_enough(const Evidence& evidence, int64_t ns, const MinCost& min = {});

// A change that would spare a function traces, if a replay of its calls agrees: then it becomes a finding.
struct Candidate {
  enum class EditAt : uint8_t { kCall, kValue, kDefinition };
  Finding finding;                    // without what the replay tells
  ProposedFix fix;
  std::set<std::string> paths;        // the leaves that it changes, for an estimate where there are no raw keys
  EditAt edit_at = EditAt::kCall;
  GraphRelation most = GraphRelation::kConstants;  // graphs that would become one may differ by this much
  bool captures_may_differ = false;
  size_t fewest = kMinSaved;       // traces to be saved
  bool steady = false;                // few, and each comes back: legitimate (rule 3)
  bool of_library = false;            // the fix is one for what is passed to a library, which passes it on
  bool variants = false;              // few, and each is a program of its own: legitimate (rule 2)
  std::string few;                    // "e is a Python number with 4 values": no finding where it saves little
  std::function<void(Finding&, const ReplayResult&)> complete;  // adds to the texts what the replay tells
};

// A cause proposes candidates for one function after the other; or finds something by other means there, or in the
// whole run.
class Cause {
 public:
  using Propose = void (*)(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates);
  using FindIn = void (*)(const Evidence& evidence, const FunctionRun& run, Findings& findings);
  using FindAll = void (*)(const Evidence& evidence, Findings& findings);
  // One static object per cause. `engine`: those under which it occurs; null: any.
  Cause(const char* name, Propose propose, const char* engine = nullptr);
  Cause(const char* name, FindIn find, const char* engine = nullptr);
  // `after_others`: the cause looks at what other causes found, so it runs after them.
  Cause(const char* name, FindAll find, const char* engine = nullptr, bool after_others = false);
  Cause(const char* name, Propose propose, FindAll find, const char* engine = nullptr);
  void propose(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) const;
  void find(const Evidence& evidence, Findings& findings) const;

  const char* name;
  const char* engine;
  bool after_others = false;

 private:
  Propose propose_ = nullptr;
  FindIn in_ = nullptr;
  FindAll all_ = nullptr;
  friend std::vector<const Cause*> all_causes();
  const Cause* next_;
  static const Cause* first_;
};
std::vector<const Cause*> all_causes();  // by name; those that look at what others found come last

// Fills in the results of a replay; false if the change would save too little. The line to edit is that of most
// calls that need not have traced, and the line that made the argument at `path` is related to it.
bool fill_from_replay(const Evidence& evidence, const FunctionRun& run, const ReplayResult& result, Finding& finding,
                      size_t fewest = kMinSaved);
// Adds another fix to the finding. A fix without a check says that a replay cannot show whether it helps.
void add_alternative(Finding& finding, std::string fix, Checked checked = {}, Finding::Edit edit = {});
// Adds the fix if a replay of the calls with that change saves traces; false if it saves none.
bool add_if_it_saves(const Evidence& evidence, const FunctionRun& run, const ProposedFix& change, Finding& finding,
                     std::string fix, Finding::Edit edit = {});
// Makes `line` the one to edit and relates the old one to it as `role`.
void edit_at(Finding& finding, const Line& line, const char* role);

}  // namespace footlight::explain
