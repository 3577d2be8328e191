// What a run would have traced with other keys: changes the recorded keys and feeds them to the dispatcher's own table.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/session/run_times.h"
#include "engine/keys/key.h"

#include <functional>
#include <set>

namespace footlight::explain {

// What a fix makes of the keys of calls: changes, one after the other, each of all calls or of some.
class CallChange {
 public:
  using Change = std::function<std::vector<uint64_t>(std::span<const uint64_t>)>;
  using Touches = std::function<bool(const FunctionRun::Step&)>;  // none: it touches every call

  CallChange() = default;
  CallChange(Change change, Touches touches = {}) { parts_.push_back({std::move(change), std::move(touches)}); }
  explicit operator bool() const { return !parts_.empty(); }
  // The new key of this call.
  std::vector<uint64_t> operator()(std::span<const uint64_t> words, const FunctionRun::Step& step) const;
  bool touches(const FunctionRun::Step& step) const;  // whether one of the changes does
  void append(const CallChange& other) { parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end()); }
  // The same changes, of those of their calls that `touches` is true of too.
  CallChange only(const Touches& touches) const;

 private:
  struct Part {
    Change change;
    Touches touches;
  };
  std::vector<Part> parts_;
};

// A change to a function or its calls, expressed as a change of keys.
struct ProposedFix {
  using Change = CallChange::Change;
  CallChange call;                // the new key of a call; none: unchanged
  Change trace;                   // the new key that a trace serves, after `call`; none: unchanged
  bool reduce_retracing = false;  // the function relaxes shapes
  // Calls that would be calls of plain Python; none: no call is.
  std::function<bool(const FunctionRun::Step&)> no_longer_made = {};
};

// How a finding was checked. `ok`: the check confirmed that traces, or time, are saved.
struct Checked {
  enum class Method : uint8_t { kNone, kReplay, kRerun };  // kRerun: the script was changed and run again
  Method method = Method::kNone;
  bool ok = false;
  size_t traces_before = 0, traces_after = 0;
  size_t eager_before = 0, eager_after = 0;  // calls that no trace serves, where the fix is about these
  int64_t cost_before_ns = 0, cost_after_ns = 0;  // kRerun, where the same was found again and costs time
  std::string why_not;  // kNone: what was missing
};

// Recordings of older versions; of these, an estimate is better than nothing.
inline constexpr const char* kNoRawKeys = "the recording has no raw keys of the traces";

struct ReplayResult {
  Checked checked;
  int64_t saved_ns() const { return session::tracing_time(saved); }
  std::vector<const session::TraceRecord*> saved;
  // Groups of traces that one trace would have replaced; empty if nothing was replayed.
  std::vector<std::vector<const session::TraceRecord*>> merged;
};

// First replays the run unchanged: if that does not reproduce the recorded traces, nothing is concluded.
ReplayResult replay(const Evidence& evidence, const FunctionRun& run, const ProposedFix& fix);
// The same for functions that the fix would make one.
ReplayResult replay_as_one(const Evidence& evidence, std::span<const FunctionRun* const> runs, const ProposedFix& fix);

// For recordings that cannot be replayed: the traces whose keys agree in all leaves but these, ignoring the values and
// sizes of these. Only an estimate; `checked` says why.
ReplayResult merge_by_leaves(const FunctionRun& run, const std::set<std::string>& paths, Checked not_checked);

// Translates paths of `trace.key` to those of places(), which name fields differently.
std::set<std::string> places_of(const Evidence& evidence, const session::TraceRecord& trace,
                                const std::set<std::string>& paths);

// The same for the keys of all its traces.
std::set<std::string> places_of(const Evidence& evidence, const FunctionRun& run, const std::set<std::string>& paths);

// A copy of a key with some items rewritten: those for which `rewrite` has written other words and says so.
using Rewrite = std::function<bool(const keys::ItemPlace& place, keys::KeyWriter& out)>;
std::vector<uint64_t> rewritten(std::span<const uint64_t> words, const Rewrite& rewrite);

// Changes of keys. `places`: paths as in places().
// Numbers and strings there become scalar tensors of this dtype.
ProposedFix::Change pass_as_tensor(std::set<std::string> places, uint8_t dtype);
// Arrays at these places get a strong type: an operation keeps their dtype.
ProposedFix::Change become_strong(std::set<std::string> places);
// Arrays at these places lie on the same mesh in every call.
ProposedFix::Change place_alike(std::set<std::string> places);
// Sizes there become the next power of two: place -> dimensions.
ProposedFix::Change round_up_sizes(std::map<std::string, std::set<size_t>> dimensions);
// Tensors there have this dtype: place -> dtype.
ProposedFix::Change cast_to(std::map<std::string, uint8_t> dtypes);
// The items there, with all that they hold, become tensors of this dtype and of unknown shape.
ProposedFix::Change become_tensor(std::set<std::string> places, uint8_t dtype);
// Tensors there get this rank, by dimensions of size 1 in front.
ProposedFix::Change widen_to(std::set<std::string> places, size_t rank);
// The calls are all made outside of device scopes.
ProposedFix::Change leave_context();
// One change, then the other; either may be none.
ProposedFix both(const ProposedFix& first, const ProposedFix& second);
// The items there become the same in every call.
ProposedFix::Change leave_out(std::set<std::string> places);
// The objects there become one per class of them: number -> class.
ProposedFix::Change become_alike(std::set<std::string> places, std::unordered_map<uint64_t, uint64_t> classes);
// The dimensions there become None: place -> dimensions.
ProposedFix::Change forget_sizes(std::map<std::string, std::set<size_t>> dimensions);

}  // namespace footlight::explain
