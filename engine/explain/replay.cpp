// Runs recorded calls through a separate dispatch table.
#include "engine/explain/replay.h"

#include "engine/keys/dispatch.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

namespace footlight::explain {
namespace {

using session::TraceRecord;
using Words = std::vector<uint64_t>;

constexpr size_t kNotMade = SIZE_MAX;

struct Run {
  std::vector<size_t> served_by;  // for each step, the index of its trace in the table
  std::vector<bool> traced;       // whether the step made that trace
  bool faithful = true;           // every step was served by the recorded trace, with the recorded key
};

Words changed(const ProposedFix::Change& change, std::span<const uint64_t> words) {
  return change ? change(words) : Words(words.begin(), words.end());
}

Run run_steps(const Evidence& evidence, const FunctionRun& run, const ProposedFix& fix, bool relaxes) {
  Run made;
  keys::DispatchTable table;
  std::vector<const TraceRecord*> recorded;  // the recorded trace behind each trace of the table
  for (const FunctionRun::Step& step : run.steps) {
    if (fix.no_longer_made && fix.no_longer_made(step)) {
      made.served_by.push_back(kNotMade);
      made.traced.push_back(false);
      continue;
    }
    // Whoever asks for a trace by its specs goes on doing so.
    const Words call = step.call ? fix.call(step.key, step) : Words(step.key.begin(), step.key.end());
    int at = table.find(call);
    const bool miss = at == keys::DispatchTable::kMiss;
    if (miss) {
      // A function with declared shapes traces for those: the recorded trace's key has them.
      Words wanted = relaxes ? table.relaxed(call) : fix.call(evidence.key_of(*step.trace), step);
      wanted = changed(fix.trace, wanted);
      at = table.add(keys::Key(wanted, {}, nullptr));
      recorded.push_back(step.trace);
      made.faithful &= std::ranges::equal(wanted, evidence.key_of(*step.trace));
    }
    made.faithful &= recorded[static_cast<size_t>(at)] == step.trace;
    made.served_by.push_back(static_cast<size_t>(at));
    made.traced.push_back(miss);
  }
  return made;
}

ReplayResult not_checked(std::string why) {
  ReplayResult result;
  result.checked.why_not = std::move(why);
  return result;
}

}  // namespace

Words CallChange::operator()(std::span<const uint64_t> words, const FunctionRun::Step& step) const {
  Words made(words.begin(), words.end());
  for (const Part& part : parts_)
    if (part.change && (!part.touches || part.touches(step))) made = part.change(made);
  return made;
}

bool CallChange::touches(const FunctionRun::Step& step) const {
  return std::ranges::any_of(parts_, [&](const Part& part) { return !part.touches || part.touches(step); });
}

CallChange CallChange::only(const Touches& touches) const {
  CallChange made = *this;
  for (Part& part : made.parts_)
    part.touches = [touches, before = part.touches](const FunctionRun::Step& step) {
      return touches(step) && (!before || before(step));
    };
  return made;
}

namespace {

// Whether the table, given the recorded keys, makes the recorded traces; else why not.
std::string why_not_faithful(const Evidence& evidence, const FunctionRun& run, bool& relaxed, Run& before) {
  for (const TraceRecord* t : run.traces) {
    relaxed |= t->reason == session::TraceReason::kRelaxed;
    if (evidence.key_of(*t).empty()) return kNoRawKeys;
  }
  std::unordered_set<const TraceRecord*> called;
  for (const FunctionRun::Step& step : run.steps) {
    if (step.key.empty()) return "the recording has no raw keys of the calls";
    if (step.call) called.insert(step.trace);
  }
  for (const TraceRecord* t : run.traces)
    if (!called.count(t)) return "the call that made a trace was not recorded";
  before = run_steps(evidence, run, {}, relaxed);
  return before.faithful ? "" : "a replay of the calls does not give the recorded traces";
}

}  // namespace

ReplayResult replay(const Evidence& evidence, const FunctionRun& run, const ProposedFix& fix) {
  const FunctionRun* const one[] = {&run};
  return replay_as_one(evidence, one, fix);
}

ReplayResult replay_as_one(const Evidence& evidence, std::span<const FunctionRun* const> runs, const ProposedFix& fix) {
  bool relaxed = false;
  FunctionRun all;
  std::unordered_set<const TraceRecord*> traced;  // by a call
  std::unordered_set<const TraceRecord*> requested;
  for (const FunctionRun* run : runs) {
    Run before;
    if (std::string why = why_not_faithful(evidence, *run, relaxed, before); !why.empty()) return not_checked(why);
    for (size_t i = 0; i < run->steps.size(); ++i)
      if (before.traced[i]) (run->steps[i].call ? traced : requested).insert(run->steps[i].trace);
    all.steps.insert(all.steps.end(), run->steps.begin(), run->steps.end());
  }
  if (runs.size() > 1) std::ranges::stable_sort(all.steps, {}, &FunctionRun::Step::start_ns);
  const Run after = run_steps(evidence, all, fix, relaxed || fix.reduce_retracing);

  ReplayResult result;
  result.checked.method = Checked::Method::kReplay;
  result.checked.traces_before = traced.size();
  std::map<size_t, std::vector<const TraceRecord*>> merged;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    const FunctionRun::Step& step = all.steps[i];
    if (step.call) result.checked.traces_after += after.traced[i];
    const bool first = step.call ? traced.erase(step.trace) : requested.erase(step.trace);
    if (!first) continue;
    if (after.served_by[i] != kNotMade) merged[after.served_by[i]].push_back(step.trace);
    if (!step.call || after.traced[i]) continue;
    result.saved.push_back(step.trace);
  }
  for (auto& [number, traces] : merged) result.merged.push_back(std::move(traces));
  result.checked.ok = result.checked.traces_after < result.checked.traces_before;
  return result;
}

ReplayResult merge_by_leaves(const FunctionRun& run, const std::set<std::string>& paths, Checked not_checked) {
  ReplayResult result;
  result.checked = std::move(not_checked);
  std::map<std::string, size_t> groups;
  for (const TraceRecord* t : run.traces) {
    std::string rest;
    for (const session::KeyLeaf& leaf : t->key) {
      rest += leaf.path + '\1' + leaf.kind + '\1' + leaf.type + '\1';
      if (!paths.count(leaf.path)) rest += leaf.shape + '\1' + leaf.value;
      rest += '\2';
    }
    const auto [at, first] = groups.emplace(std::move(rest), result.merged.size());
    if (first) result.merged.emplace_back();
    result.merged[at->second].push_back(t);
    if (first) continue;
    result.saved.push_back(t);
  }
  return result;
}

std::set<std::string> places_of(const Evidence& evidence, const TraceRecord& trace,
                                const std::set<std::string>& paths) {
  std::set<std::string> found;
  const std::vector<keys::ItemPlace> all = keys::places(evidence.key_of(trace));
  std::vector<std::string> places;
  for (const keys::ItemPlace& place : all)
    if (place.item.token != keys::Token::kAny) places.push_back(place.path);  // which is no leaf
  std::vector<const session::KeyLeaf*> leaves;
  for (const session::KeyLeaf& leaf : trace.key)
    if (leaf.kind != "element" && leaf.kind != "placement") leaves.push_back(&leaf);  // parts of the type before them
  if (places.size() != leaves.size()) return found;
  for (size_t i = 0; i < places.size(); ++i)
    if (paths.count(leaves[i]->path)) found.insert(places[i]);
  return found;
}

std::set<std::string> places_of(const Evidence& evidence, const FunctionRun& run, const std::set<std::string>& paths) {
  std::set<std::string> found;
  for (const TraceRecord* t : run.traces) found.merge(places_of(evidence, *t, paths));
  return found;
}

std::vector<uint64_t> rewritten(std::span<const uint64_t> words, const Rewrite& rewrite) {
  keys::KeyWriter out;
  size_t copied = 0;
  const auto copy_to = [&](size_t end) {
    for (; copied < end; ++copied) out.words.push_back(words[copied]);
  };
  for (const keys::ItemPlace& place : keys::places(words)) {
    if (place.begin < copied) continue;  // inside a rewritten item
    copy_to(place.begin);
    if (rewrite(place, out)) copied = place.end;
  }
  copy_to(words.size());
  return {out.words.begin(), out.words.end()};
}

ProposedFix::Change pass_as_tensor(std::set<std::string> where, uint8_t dtype) {
  return [where = std::move(where), dtype](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      if (!where.count(place.path) || !place.item.is_literal() || place.item.token == keys::Token::kNone) return false;
      out.tensor({dtype, true, {}});
      return true;
    });
  };
}

namespace {

template <class Change>
ProposedFix::Change change_tensors(std::set<std::string> where, Change change) {
  return [where = std::move(where), change](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      if (!where.count(place.path) || place.item.token != keys::Token::kTensor) return false;
      keys::TensorSpec spec = place.item.spec();
      change(spec);
      out.tensor(spec);
      return true;
    });
  };
}

}  // namespace

ProposedFix::Change become_strong(std::set<std::string> where) {
  return change_tensors(std::move(where), [](keys::TensorSpec& spec) { spec.weak = false; });
}

ProposedFix::Change place_alike(std::set<std::string> where) {
  return change_tensors(std::move(where), [](keys::TensorSpec& spec) { spec.placement = 0; });
}

ProposedFix::Change cast_to(std::map<std::string, uint8_t> dtypes) {
  return [dtypes = std::move(dtypes)](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      const auto at = dtypes.find(place.path);
      if (at == dtypes.end() || place.item.token != keys::Token::kTensor) return false;
      keys::TensorSpec spec = place.item.spec();
      spec.dtype = at->second;
      spec.weak = false;
      out.tensor(spec);
      return true;
    });
  };
}

ProposedFix::Change become_tensor(std::set<std::string> where, uint8_t dtype) {
  return [where = std::move(where), dtype](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      if (!where.count(place.path)) return false;
      out.tensor({dtype, false, {}});
      return true;
    });
  };
}

ProposedFix::Change widen_to(std::set<std::string> where, size_t rank) {
  return [where = std::move(where), rank](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      if (!where.count(place.path) || place.item.token != keys::Token::kTensor) return false;
      keys::TensorSpec spec = place.item.spec();
      if (!spec.has_rank || spec.sizes.size() >= rank) return false;
      std::vector<int64_t> sizes(rank - spec.sizes.size(), 1);
      sizes.insert(sizes.end(), spec.sizes.begin(), spec.sizes.end());
      spec.sizes = sizes;
      out.tensor(spec);
      return true;
    });
  };
}

ProposedFix::Change leave_context() {
  return [](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      if (place.item.token != keys::Token::kContext) return false;
      out.context(0);
      return true;
    });
  };
}

ProposedFix both(const ProposedFix& first, const ProposedFix& second) {
  const auto in_turn = [](const ProposedFix::Change& a, const ProposedFix::Change& b) -> ProposedFix::Change {
    if (!a || !b) return a ? a : b;
    return [a, b](std::span<const uint64_t> words) { return b(a(words)); };
  };
  CallChange call = first.call;
  call.append(second.call);
  return {std::move(call), in_turn(first.trace, second.trace),
          first.reduce_retracing || second.reduce_retracing,
          first.no_longer_made ? first.no_longer_made : second.no_longer_made};
}

ProposedFix::Change leave_out(std::set<std::string> where) {
  return [where = std::move(where)](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      if (!where.count(place.path)) return false;
      out.put(keys::Token::kNone);
      return true;
    });
  };
}

ProposedFix::Change become_alike(std::set<std::string> where, std::unordered_map<uint64_t, uint64_t> classes) {
  return [where = std::move(where), classes = std::move(classes)](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      if (!where.count(place.path)) return false;
      const auto at = classes.find(place.item.number);
      out.integer(at == classes.end() ? 0 : static_cast<int64_t>(at->second));
      return true;
    });
  };
}

namespace {

// The sizes of these dimensions become what `size` makes of them: place -> dimensions.
ProposedFix::Change change_sizes(std::map<std::string, std::set<size_t>> dimensions, int64_t (*size)(int64_t)) {
  return [dimensions = std::move(dimensions), size](std::span<const uint64_t> words) {
    return rewritten(words, [&](const keys::ItemPlace& place, keys::KeyWriter& out) {
      const auto at = dimensions.find(place.path);
      if (at == dimensions.end() || place.item.token != keys::Token::kTensor || !place.item.spec().has_rank)
        return false;
      keys::TensorSpec spec = place.item.spec();
      std::vector<int64_t> sizes(spec.sizes.begin(), spec.sizes.end());
      for (size_t d : at->second)
        if (d < sizes.size()) sizes[d] = size(sizes[d]);
      spec.sizes = sizes;
      out.tensor(spec);
      return true;
    });
  };
}

}  // namespace

ProposedFix::Change forget_sizes(std::map<std::string, std::set<size_t>> dimensions) {
  return change_sizes(std::move(dimensions), [](int64_t) { return keys::kUnknownSize; });
}

ProposedFix::Change round_up_sizes(std::map<std::string, std::set<size_t>> dimensions) {
  return change_sizes(std::move(dimensions), [](int64_t size) {
    constexpr int64_t kLargest = int64_t{1} << 62;
    return size < 1 || size > kLargest ? size : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size)));
  });
}

}  // namespace footlight::explain
