// A step is a fused loop with its nodes, or a single instruction. Steps with effects keep their position; the steps
// between two of them form the tasks of a section.
#include "engine/compile/parallel_schedule.h"

#include "engine/base/errors.h"
#include "engine/base/step_parallelism.h"
#include "engine/compile/program.h"
#include "engine/ops/host_function.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace footlight::compile {

using fusion::FusedGroup;

namespace {

constexpr int64_t kWorthNs = 20'000;     // a smaller saving is ignored
constexpr int64_t kSectionNs = 5'000;    // cost of starting and ending a section
constexpr int64_t kTaskNs = 300;
constexpr int64_t kCheapNs = 2'000;      // a cheaper step joins another task if it can
constexpr size_t kMaxKept = 1 << 20;    // in bytes; smaller values keep their memory
constexpr uint32_t kNone = UINT32_MAX;

// Python code, and the release of a resource, may wait for a lock that the caller holds.
bool may_move(const Program& program, const Instruction& in) {
  const Node& node = program.node(in);
  const auto callee = [&](int32_t at) { return program.callees[static_cast<size_t>(at)]->pure; };
  if (in.placed || node.attrs.find("_function"_attr)) return false;
  if (std::ranges::any_of(node.dtypes, [](DType d) { return d == DType::kResource || d == DType::kVariant; }))
    return false;
  switch (in.step) {
    case Step::kKernel: return node.op->effect == Effect::kNone || node.op->effect == Effect::kReads;
    case Step::kFused: return true;
    case Step::kIf:
    case Step::kWhile: return callee(in.callee) && callee(in.other);
    case Step::kCall: return callee(in.callee);
    case Step::kCase:
      for (int32_t b = in.callee; b < in.other; ++b)
        if (!callee(program.branches[static_cast<size_t>(b)])) return false;
      return true;
    case Step::kFake: return false;
  }
  return false;
}

class Planner {
 public:
  Planner(const Program& program, std::span<const Cost> costs, int threads)
      : program_(program), costs_(costs), threads_(threads) {
    find_values();
    find_steps();
  }

  // The time that the best plan saves.
  int64_t saving() const { return saving_; }
  int64_t serial() const { return serial_; }

  // Null if nothing is saved.
  std::unique_ptr<Tape> make() {
    if (serial_ <= kWorthNs) return nullptr;
    std::vector<Section> inside = sections(false), between = sections(true);
    const int64_t save_inside = saved(inside), save_between = saved(between);
    saving_ = std::max(save_inside, save_between);
    std::vector<Section>& best = save_inside >= save_between ? inside : between;
    if (best.empty()) return nullptr;
    return lay_out(std::move(best));
  }

 private:
  struct Value {
    uint32_t made = 0;                // the instruction that computes it
    uint32_t last = kNone;            // the last instruction that reads it
    bool result = false;
    std::vector<uint32_t> readers;    // steps, each once
  };
  struct StepOf {
    uint32_t at = 0, end = 0;         // range of instructions
    bool moves = false;
    bool wide = false;                // whether its own loops use all threads
    int64_t alone_ns = 0;             // time on one thread
  };

  // ---- values: each that is ever in a slot gets a number, and a slot, of its own
  void find_values() {
    const std::vector<Instruction>& code = program_.code;
    value_of_.assign(program_.operands.size(), kNone);
    first_value_.assign(code.size(), 0);
    step_of_.assign(code.size(), 0);
    std::vector<uint32_t> in_slot(program_.frame_size, kNone);
    for (uint32_t at = 0; at < code.size(); ++at) {
      const uint32_t end = at + 1 + code[at].skip;
      const auto number = static_cast<uint32_t>(steps_.size());
      steps_.emplace_back();
      steps_.back().at = at, steps_.back().end = end;
      for (uint32_t i = at; i < end; ++i) {
        step_of_[i] = number;
        read(code[i], i, number, in_slot);
        first_value_[i] = static_cast<uint32_t>(values_.size());
        for (uint32_t k = 0; k < code[i].outputs; ++k) {
          in_slot[code[i].first_output + k] = static_cast<uint32_t>(values_.size());
          values_.emplace_back().made = i;
        }
      }
      at = end - 1;
    }
    for (const Operand o : program_.results) {
      result_value_.push_back(o.array() == Operand::kFrame ? in_slot[o.index()] : kNone);
      if (result_value_.back() != kNone) values_[result_value_.back()].result = true;
    }
  }

  void read(const Instruction& in, uint32_t at, uint32_t step, const std::vector<uint32_t>& in_slot) {
    for (uint32_t k = in.first_input; k < in.first_input + in.inputs; ++k) {
      if (program_.operands[k].array() != Operand::kFrame) continue;
      value_of_[k] = in_slot[program_.operands[k].index()];
      FL_CHECK(value_of_[k] != kNone);
      Value& value = values_[value_of_[k]];
      value.last = at;
      if (value.readers.empty() || value.readers.back() != step) value.readers.push_back(step);
    }
  }

  void find_steps() {
    const int pool = std::max(1, threads_);
    for (StepOf& step : steps_) {
      Cost cost;
      for (uint32_t i = step.at; i < step.end; ++i) cost.ns += costs_[i].ns, cost.pool_ns += costs_[i].pool_ns;
      serial_ += cost.ns;
      step.alone_ns = cost.ns + cost.pool_ns * (pool - 1);
      step.wide = cost.pool_ns * 2 > cost.ns && cost.ns > kCheapNs;
      step.moves = true;
      for (uint32_t i = step.at; i < step.end; ++i) step.moves &= may_move(program_, program_.code[i]);
      serial_ns_.push_back(cost.ns);
    }
  }

  // ---- sections
  static int64_t saved(const std::vector<Section>& sections) {
    int64_t all = 0;
    for (const Section& section : sections) all += section.serial_ns - section.parallel_ns;
    return all;
  }

  // `wide_alone` leaves out the steps whose own loops use all threads.
  std::vector<Section> sections(bool wide_alone) {
    std::vector<Section> all;
    const auto in_one = [&](const StepOf& step) { return step.moves && !(wide_alone && step.wide); };
    for (uint32_t first = 0; first < steps_.size(); ++first) {
      if (!in_one(steps_[first])) continue;
      uint32_t end = first + 1;
      while (end < steps_.size() && in_one(steps_[end])) ++end;
      Section section = make_section(first, end);
      if (section.serial_ns - section.parallel_ns > kWorthNs && section.parallel_ns * 10 < section.serial_ns * 9)
        all.push_back(std::move(section));
      first = end;
    }
    return all;
  }

  // The section of steps [first, end).
  Section make_section(uint32_t first, uint32_t end) {
    Section section;
    section.first = steps_[first].at;
    section.end = steps_[end - 1].end;
    section.serial_ns = std::accumulate(serial_ns_.begin() + first, serial_ns_.begin() + end, int64_t{0});
    section.parallel_ns = section.serial_ns;
    if (section.serial_ns <= kWorthNs) return section;
    make_tasks(section, first, end);
    section.parallel_ns = simulate(section);
    return section;
  }

  void make_tasks(Section& section, uint32_t first, uint32_t end) {
    std::vector<std::vector<uint32_t>> from(end - first);  // for each step, the steps inside whose values it uses
    std::vector<uint32_t> users(end - first, 0);
    for (uint32_t v = first_value_[section.first]; v < values_.size(); ++v) {
      const Value& value = values_[v];
      const uint32_t made = step_of_[value.made];
      if (made >= end) break;
      for (const uint32_t user : value.readers) {
        if (user == made || user >= end || std::ranges::find(from[user - first], made) != from[user - first].end())
          continue;
        from[user - first].push_back(made);
        ++users[made - first];
      }
    }
    std::vector<uint32_t> task_of(end - first, kNone);
    const auto put = [&](uint32_t step, uint32_t task) {
      task_of[step - first] = task;
      section.tasks[task].steps.push_back(step);
      section.tasks[task].critical_ns += steps_[step].alone_ns;
    };
    const auto fresh = [&] {
      section.tasks.emplace_back();
      return static_cast<uint32_t>(section.tasks.size() - 1);
    };
    for (uint32_t step = first; step < end; ++step) {
      const std::vector<uint32_t>& made = from[step - first];
      const bool cheap = steps_[step].alone_ns < kCheapNs;
      if (made.empty() && cheap && users[step - first] == 1) continue;  // it becomes part of the task that uses it
      uint32_t task = kNone;
      bool one = true, chain = true;
      for (const uint32_t source : made) {
        const uint32_t its = task_of[source - first];
        if (its == kNone) continue;
        one &= task == kNone || task == its;
        chain &= users[source - first] == 1;
        task = its;
      }
      if (task == kNone || !one || !(chain || cheap)) task = fresh();
      for (const uint32_t source : made)
        if (task_of[source - first] == kNone) put(source, task);
      put(step, task);
    }
    for (uint32_t step = first; step < end; ++step)  // its user does not exist, or is outside
      if (task_of[step - first] == kNone) put(step, fresh());
    for (uint32_t step = first; step < end; ++step) {
      for (const uint32_t source : from[step - first]) {
        const uint32_t before = task_of[source - first], after = task_of[step - first];
        std::vector<uint32_t>& next = section.tasks[before].successors;
        if (before == after || std::ranges::find(next, after) != next.end()) continue;
        next.push_back(after);
        ++section.tasks[after].num_predecessors;
      }
    }
    for (Task& task : section.tasks) std::ranges::sort(task.steps);
    add_critical_paths(section);
  }

  // Adds to each task the longest path behind it.
  static void add_critical_paths(Section& section) {
    std::vector<uint32_t> waits, order;
    for (uint32_t t = 0; t < section.tasks.size(); ++t) {
      waits.push_back(section.tasks[t].num_predecessors);
      if (!waits.back()) order.push_back(t);
    }
    for (size_t i = 0; i < order.size(); ++i)
      for (const uint32_t next : section.tasks[order[i]].successors)
        if (--waits[next] == 0) order.push_back(next);
    FL_CHECK(order.size() == section.tasks.size());  // no two tasks wait for each other
    for (size_t i = order.size(); i-- > 0;) {
      int64_t longest = 0;
      for (const uint32_t next : section.tasks[order[i]].successors)
        longest = std::max(longest, section.tasks[next].critical_ns);
      section.tasks[order[i]].critical_ns += longest;
    }
  }

  // Simulates the tasks on all threads and returns their time.
  int64_t simulate(const Section& section) const {
    using Entry = std::pair<int64_t, uint32_t>;  // priority, task
    std::vector<uint32_t> waits;
    std::vector<Entry> ready, running;           // heaps: by longest path to the end; by time of completion
    const auto begins = [&](uint32_t task) {
      ready.emplace_back(section.tasks[task].critical_ns, task);
      std::ranges::push_heap(ready);
    };
    for (uint32_t t = 0; t < section.tasks.size(); ++t) {
      waits.push_back(section.tasks[t].num_predecessors);
      if (!waits.back()) begins(t);
    }
    int64_t now = kSectionNs;
    for (;;) {
      while (!ready.empty() && running.size() < static_cast<size_t>(threads_)) {
        std::ranges::pop_heap(ready);
        const uint32_t task = ready.back().second;
        ready.pop_back();
        int64_t until = now + kTaskNs;
        for (const uint32_t step : section.tasks[task].steps) until += steps_[step].alone_ns;
        running.emplace_back(until, task);
        std::ranges::push_heap(running, std::greater<>());
      }
      if (running.empty()) return now;
      std::ranges::pop_heap(running, std::greater<>());
      const Entry done = running.back();
      running.pop_back();
      now = done.first;
      for (const uint32_t next : section.tasks[done.second].successors)
        if (--waits[next] == 0) begins(next);
    }
  }

  // ---- the tape
  std::unique_ptr<Tape> lay_out(std::vector<Section> sections) {
    auto tape = std::make_unique<Tape>();
    tape->code = program_.code;
    tape->operands = program_.operands;
    tape->groups = program_.groups;
    tape->results = program_.results;
    tape->widest = program_.widest;
    tape->keeps = program_.keeps;
    tape->frame_size = static_cast<uint32_t>(values_.size());
    for (size_t k = 0; k < value_of_.size(); ++k)
      if (value_of_[k] != kNone) tape->operands[k] = Operand::make(Operand::kFrame, value_of_[k]);
    std::vector<bool> seen(values_.size(), false);
    tape->last_result.assign(tape->results.size(), true);
    for (size_t i = tape->results.size(); i-- > 0;) {
      const uint32_t value = result_value_[i];
      if (value == kNone) continue;
      tape->results[i] = Operand::make(Operand::kFrame, value);
      tape->last_result[i] = !seen[value];
      seen[value] = true;
    }
    for (uint32_t i = 0; i < tape->code.size(); ++i) tape->code[i].first_output = first_value_[i];
    place_releases(*tape, sections);
    limit_reuse(*tape);
    for (Section& section : sections)
      for (Task& task : section.tasks)
        for (uint32_t& step : task.steps) step = steps_[step].at;
    tape->sections = std::move(sections);
    return tape;
  }

  // Releases each value after the last instruction, or by the last task, that reads it.
  void place_releases(Tape& tape, std::vector<Section>& sections) {
    std::vector<uint32_t> section_of(steps_.size(), kNone), task_of(steps_.size(), kNone);
    for (uint32_t s = 0; s < sections.size(); ++s)
      for (uint32_t t = 0; t < sections[s].tasks.size(); ++t)
        for (const uint32_t step : sections[s].tasks[t].steps) section_of[step] = s, task_of[step] = t;
    size_t kept = 0;
    released_at_.assign(values_.size(), kNone);
    for (uint32_t v = 0; v < values_.size(); ++v) {
      const Value& value = values_[v];
      if (value.result) continue;
      Instruction& source = tape.code[value.made];
      if (source.kept) {
        const Node& node = program_.node(source);
        kept += static_cast<size_t>(node.shapes[0].elements()) * size_of(node.dtypes[0]);
        source.kept = kept <= kMaxKept;
        if (source.kept) continue;
      }
      const uint32_t last = value.last == kNone ? value.made : value.last, in = section_of[step_of_[last]];
      // Releasing results of the program's own code may need a lock that the calling thread holds.
      if (in != kNone && !steps_[step_of_[value.made]].moves) {
        sections[in].released.push_back(v);
        continue;
      }
      std::vector<uint32_t> tasks;
      for (const uint32_t reader : value.readers)
        if (in != kNone && section_of[reader] == in && std::ranges::find(tasks, task_of[reader]) == tasks.end())
          tasks.push_back(task_of[reader]);
      if (tasks.size() < 2) {
        released_at_[v] = last;
        continue;
      }
      for (const uint32_t task : tasks)
        sections[in].tasks[task].shared.push_back(static_cast<uint32_t>(sections[in].shared.size()));
      sections[in].shared.push_back({v, static_cast<uint32_t>(tasks.size())});
    }
    std::vector<std::vector<uint32_t>> after(tape.code.size());
    for (uint32_t v = 0; v < values_.size(); ++v) {
      if (released_at_[v] == kNone) continue;
      after[released_at_[v]].push_back(v);
      // The nodes of a fused loop run only if the loop cannot.
      const uint32_t head = steps_[step_of_[released_at_[v]]].at;
      if (head != released_at_[v] && step_of_[values_[v].made] != step_of_[head]) after[head].push_back(v);
    }
    for (uint32_t i = 0; i < after.size(); ++i) {
      tape.code[i].first_released = static_cast<uint32_t>(tape.released.size());
      tape.code[i].released = static_cast<uint32_t>(after[i].size());
      tape.released.insert(tape.released.end(), after[i].begin(), after[i].end());
    }
  }

  // A step may overwrite only the memory of a value that it releases itself.
  void limit_reuse(Tape& tape) const {
    const auto ends_in = [&](uint32_t step, uint32_t operand) {
      const uint32_t v = value_of_[operand];
      return v != kNone && released_at_[v] != kNone && step_of_[released_at_[v]] == step;
    };
    for (uint32_t i = 0; i < tape.code.size(); ++i) {
      Instruction& in = tape.code[i];
      if (in.reuse != Instruction::kNoReuse && !ends_in(step_of_[i], in.first_input + in.reuse))
        in.reuse = Instruction::kNoReuse;
      if (in.step != Step::kFused) continue;
      const auto may = [&](const FusedGroup::Result& result) {
        return result.reuse == FusedGroup::kNoReuse || ends_in(step_of_[i], in.first_input + result.reuse);
      };
      const FusedGroup& group = tape.groups[static_cast<size_t>(in.callee)];
      if (std::ranges::all_of(group.results, may)) continue;
      FusedGroup limited = group;  // a copy, because other instructions may share the group
      for (FusedGroup::Result& result : limited.results)
        if (!may(result)) result.reuse = FusedGroup::kNoReuse;
      in.callee = static_cast<int32_t>(tape.groups.size());
      tape.groups.push_back(std::move(limited));
    }
  }

  const Program& program_;
  const std::span<const Cost> costs_;
  const int threads_;
  std::vector<Value> values_;
  std::vector<uint32_t> value_of_;     // for each operand; kNone: it has no slot
  std::vector<uint32_t> first_value_;  // index of the first output's value, for each instruction
  std::vector<uint32_t> result_value_;
  std::vector<uint32_t> step_of_;      // the step of each instruction
  std::vector<uint32_t> released_at_;
  std::vector<StepOf> steps_;
  std::vector<int64_t> serial_ns_;   // the time of each step
  int64_t serial_ = 0, saving_ = 0;
};

}  // namespace

bool is_pure(const Program& program) {
  return std::ranges::all_of(program.code, [&](const Instruction& in) { return may_move(program, in); });
}

bool may_run_in_parallel(const Program& program) {
  int moving = 0;
  for (size_t i = 0; i < program.code.size(); i += size_t{1} + program.code[i].skip)
    if (may_move(program, program.code[i]) && ++moving == 2) return true;
  return false;
}

ParallelSchedule::~ParallelSchedule() = default;

void ParallelSchedule::note_size(int64_t elements) {
  const int64_t before = measured_elements_.load(std::memory_order_relaxed);
  if (before == 0 || elements / 2 <= before || !mutex_.try_lock()) return;
  const std::lock_guard lock(mutex_, std::adopt_lock);
  if (tapes_.size() >= kMaxDecisions || runs_ < kRuns) return;
  runs_ = 0;
  state_.store(State::kMeasuring, std::memory_order_release);
}

void ParallelSchedule::add_run(const Program& program, std::span<const Cost> costs, int64_t elements) {
  if (!mutex_.try_lock()) return;  // another thread is adding its run
  const std::lock_guard lock(mutex_, std::adopt_lock);
  if (state() != State::kMeasuring) return;
  const int64_t before = measured_elements_.load(std::memory_order_relaxed);
  if (runs_ == 0 || elements / 2 > before) {
    runs_ = 0;
    least_.assign(costs.begin(), costs.end());
    measured_elements_.store(elements, std::memory_order_relaxed);
  } else if (elements < before / 2) {
    return;
  }
  for (size_t i = 0; i < costs.size(); ++i)
    if (costs[i].ns < least_[i].ns) least_[i] = costs[i];
  if (++runs_ == kRuns) decide(program, least_, max_parallel_steps(), kTrials);
}

void ParallelSchedule::decide_now(const Program& program, std::span<const Cost> costs, int threads) {
  const std::lock_guard lock(mutex_);
  runs_ = kRuns;
  decide(program, costs, threads, 0);
}

void ParallelSchedule::decide(const Program& program, std::span<const Cost> costs, int threads, int trials) {
  Planner planner(program, costs, threads);
  std::unique_ptr<Tape> tape = planner.make();
  serial_ns_.store(planner.serial(), std::memory_order_relaxed);
  saving_ns_.store(planner.saving(), std::memory_order_relaxed);
  if (!tape) return stay_serial();
  least_trial_ = INT64_MAX;
  trials_left_.store(trials, std::memory_order_relaxed);
  tape_.store(tape.get(), std::memory_order_release);
  tapes_.push_back(std::move(tape));
  state_.store(State::kParallel, std::memory_order_release);
}

void ParallelSchedule::add_trial(int64_t sections_ns) {
  if (!mutex_.try_lock()) return;
  const std::lock_guard lock(mutex_, std::adopt_lock);
  if (!on_trial() || state() != State::kParallel) return;
  least_trial_ = std::min(least_trial_, sections_ns);
  if (trials_left_.fetch_sub(1, std::memory_order_relaxed) > 1) return;
  int64_t straight = 0;
  for (const Section& section : tape().sections) straight += section.serial_ns;
  saving_ns_.store(straight - least_trial_, std::memory_order_relaxed);
  if (straight - least_trial_ < kWorthNs / 2) stay_serial();
}

}  // namespace footlight::compile
