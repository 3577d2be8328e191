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

constexpr int64_t kMinSavingNs = 20'000;         // a smaller saving is ignored
constexpr int64_t kSectionOverheadNs = 5'000;    // cost of starting and ending a section
constexpr int64_t kTaskOverheadNs = 300;
constexpr int64_t kCheapNs = 2'000;              // a cheaper step joins another task if it can
constexpr size_t kMaxKeptBytes = 1 << 20;        // of values that keep their memory, in total
constexpr uint32_t kNone = UINT32_MAX;

// Whether an instruction may run on another thread. Python code, and the release of a resource, may not: they may wait
// for a lock that the caller holds.
bool can_change_thread(const Program& program, const Instruction& in) {
  const Node& node = program.node(in);
  const auto callee = [&](int32_t at) { return program.callees[static_cast<size_t>(at)]->pure; };
  if (in.placed || node.attrs.find("_function"_attr)) return false;
  if (std::ranges::any_of(node.dtypes, [](DType d) { return d == DType::kResource || d == DType::kVariant; }))
    return false;
  switch (in.opcode) {
    case Opcode::kKernel: return node.op->effect == Effect::kNone || node.op->effect == Effect::kReads;
    case Opcode::kFused: return true;
    case Opcode::kIf:
    case Opcode::kWhile: return callee(in.callee) && callee(in.other);
    case Opcode::kCall: return callee(in.callee);
    case Opcode::kCase:
      for (int32_t b = in.callee; b < in.other; ++b)
        if (!callee(program.branches[static_cast<size_t>(b)])) return false;
      return true;
    case Opcode::kNoValue: return false;
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
  std::unique_ptr<Executable> make() {
    if (serial_ <= kMinSavingNs) return nullptr;
    std::vector<Section> inside = sections(false), between = sections(true);
    const int64_t save_inside = saved(inside), save_between = saved(between);
    saving_ = std::max(save_inside, save_between);
    std::vector<Section>& best = save_inside >= save_between ? inside : between;
    if (best.empty()) return nullptr;
    return build_executable(std::move(best));
  }

 private:
  struct Value {
    uint32_t producer = 0;            // the instruction that computes it
    uint32_t last = kNone;            // the last instruction that reads it
    bool is_result = false;           // of the program
    std::vector<uint32_t> readers;    // steps, each once
  };
  struct PlannedStep {
    uint32_t at = 0, end = 0;         // range of instructions
    bool can_change_thread = false;
    bool uses_pool = false;           // whether most of its time is in loops on all threads
    int64_t single_thread_ns = 0;     // estimated time on one thread
  };

  // Numbers all values that are ever in a slot. In the new executable, each has a slot of its own.
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
          values_.emplace_back().producer = i;
        }
      }
      at = end - 1;
    }
    for (const Operand o : program_.results) {
      result_value_.push_back(o.array() == Operand::kFrame ? in_slot[o.index()] : kNone);
      if (result_value_.back() != kNone) values_[result_value_.back()].is_result = true;
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
    for (PlannedStep& step : steps_) {
      Cost cost;
      for (uint32_t i = step.at; i < step.end; ++i) cost.ns += costs_[i].ns, cost.pool_ns += costs_[i].pool_ns;
      serial_ += cost.ns;
      step.single_thread_ns = cost.ns + cost.pool_ns * (pool - 1);
      step.uses_pool = cost.pool_ns * 2 > cost.ns && cost.ns > kCheapNs;
      step.can_change_thread = true;
      for (uint32_t i = step.at; i < step.end; ++i)
        step.can_change_thread &= can_change_thread(program_, program_.code[i]);
      serial_ns_.push_back(cost.ns);
    }
  }

  static int64_t saved(const std::vector<Section>& sections) {
    int64_t all = 0;
    for (const Section& section : sections) all += section.serial_ns - section.parallel_ns;
    return all;
  }

  // Finds the sections that save time. `without_pool_steps` leaves out the steps whose own loops use all threads.
  std::vector<Section> sections(bool without_pool_steps) {
    std::vector<Section> all;
    const auto is_eligible = [&](const PlannedStep& step) {
      return step.can_change_thread && !(without_pool_steps && step.uses_pool);
    };
    for (uint32_t first = 0; first < steps_.size(); ++first) {
      if (!is_eligible(steps_[first])) continue;
      uint32_t end = first + 1;
      while (end < steps_.size() && is_eligible(steps_[end])) ++end;
      Section section = make_section(first, end);
      if (section.serial_ns - section.parallel_ns > kMinSavingNs && section.parallel_ns * 10 < section.serial_ns * 9)
        all.push_back(std::move(section));
      first = end;
    }
    return all;
  }

  // Builds the section of steps [first, end).
  Section make_section(uint32_t first, uint32_t end) {
    Section section;
    section.first = steps_[first].at;
    section.end = steps_[end - 1].end;
    section.serial_ns = std::accumulate(serial_ns_.begin() + first, serial_ns_.begin() + end, int64_t{0});
    section.parallel_ns = section.serial_ns;
    if (section.serial_ns <= kMinSavingNs) return section;
    make_tasks(section, first, end);
    section.parallel_ns = simulate(section);
    return section;
  }

  void make_tasks(Section& section, uint32_t first, uint32_t end) {
    std::vector<std::vector<uint32_t>> from(end - first);  // for each step, those of the section whose values it uses
    std::vector<uint32_t> users(end - first, 0);
    for (uint32_t v = first_value_[section.first]; v < values_.size(); ++v) {
      const Value& value = values_[v];
      const uint32_t made = step_of_[value.producer];
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
      section.tasks[task].critical_ns += steps_[step].single_thread_ns;
    };
    const auto fresh = [&] {
      section.tasks.emplace_back();
      return static_cast<uint32_t>(section.tasks.size() - 1);
    };
    for (uint32_t step = first; step < end; ++step) {
      const std::vector<uint32_t>& made = from[step - first];
      const bool cheap = steps_[step].single_thread_ns < kCheapNs;
      if (made.empty() && cheap && users[step - first] == 1) continue;  // it joins the task of its user, below
      uint32_t task = kNone;
      bool single_task = true, chain = true;  // whether all its sources are in one task, and have no other user
      for (const uint32_t source : made) {
        const uint32_t source_task = task_of[source - first];
        if (source_task == kNone) continue;
        single_task &= task == kNone || task == source_task;
        chain &= users[source - first] == 1;
        task = source_task;
      }
      if (task == kNone || !single_task || !(chain || cheap)) task = fresh();
      for (const uint32_t source : made)
        if (task_of[source - first] == kNone) put(source, task);
      put(step, task);
    }
    for (uint32_t step = first; step < end; ++step)  // cheap steps whose user is outside of the section
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

  // Adds to each task's own time the longest path of its successors.
  static void add_critical_paths(Section& section) {
    std::vector<uint32_t> predecessors_left, order;
    for (uint32_t t = 0; t < section.tasks.size(); ++t) {
      predecessors_left.push_back(section.tasks[t].num_predecessors);
      if (!predecessors_left.back()) order.push_back(t);
    }
    for (size_t i = 0; i < order.size(); ++i)
      for (const uint32_t next : section.tasks[order[i]].successors)
        if (--predecessors_left[next] == 0) order.push_back(next);
    FL_CHECK(order.size() == section.tasks.size());  // no two tasks wait for each other
    for (size_t i = order.size(); i-- > 0;) {
      int64_t longest = 0;
      for (const uint32_t next : section.tasks[order[i]].successors)
        longest = std::max(longest, section.tasks[next].critical_ns);
      section.tasks[order[i]].critical_ns += longest;
    }
  }

  // Returns the time that the tasks take on all threads, by simulation.
  int64_t simulate(const Section& section) const {
    using Entry = std::pair<int64_t, uint32_t>;  // priority, task
    std::vector<uint32_t> predecessors_left;
    std::vector<Entry> ready, running;           // heaps: by longest path to the end; by time of completion
    const auto push_ready = [&](uint32_t task) {
      ready.emplace_back(section.tasks[task].critical_ns, task);
      std::ranges::push_heap(ready);
    };
    for (uint32_t t = 0; t < section.tasks.size(); ++t) {
      predecessors_left.push_back(section.tasks[t].num_predecessors);
      if (!predecessors_left.back()) push_ready(t);
    }
    int64_t now = kSectionOverheadNs;
    for (;;) {
      while (!ready.empty() && running.size() < static_cast<size_t>(threads_)) {
        std::ranges::pop_heap(ready);
        const uint32_t task = ready.back().second;
        ready.pop_back();
        int64_t until = now + kTaskOverheadNs;
        for (const uint32_t step : section.tasks[task].steps) until += steps_[step].single_thread_ns;
        running.emplace_back(until, task);
        std::ranges::push_heap(running, std::greater<>());
      }
      if (running.empty()) return now;
      std::ranges::pop_heap(running, std::greater<>());
      const Entry done = running.back();
      running.pop_back();
      now = done.first;
      for (const uint32_t next : section.tasks[done.second].successors)
        if (--predecessors_left[next] == 0) push_ready(next);
    }
  }

  std::unique_ptr<Executable> build_executable(std::vector<Section> sections) {
    auto executable = std::make_unique<Executable>();
    executable->code = program_.code;
    executable->operands = program_.operands;
    executable->groups = program_.groups;
    executable->results = program_.results;
    executable->max_inputs = program_.max_inputs;
    executable->keeps_memory = program_.keeps_memory;
    executable->frame_size = static_cast<uint32_t>(values_.size());
    for (size_t k = 0; k < value_of_.size(); ++k)
      if (value_of_[k] != kNone) executable->operands[k] = Operand::make(Operand::kFrame, value_of_[k]);
    std::vector<bool> seen(values_.size(), false);
    executable->last_result.assign(executable->results.size(), true);
    for (size_t i = executable->results.size(); i-- > 0;) {
      const uint32_t value = result_value_[i];
      if (value == kNone) continue;
      executable->results[i] = Operand::make(Operand::kFrame, value);
      executable->last_result[i] = !seen[value];
      seen[value] = true;
    }
    for (uint32_t i = 0; i < executable->code.size(); ++i) executable->code[i].first_output = first_value_[i];
    place_releases(*executable, sections);
    limit_reuse(*executable);
    for (Section& section : sections)
      for (Task& task : section.tasks)
        for (uint32_t& step : task.steps) step = steps_[step].at;
    executable->sections = std::move(sections);
    return executable;
  }

  // Releases each value after the last instruction, or by the last task, that reads it.
  void place_releases(Executable& executable, std::vector<Section>& sections) {
    std::vector<uint32_t> section_of(steps_.size(), kNone), task_of(steps_.size(), kNone);
    for (uint32_t s = 0; s < sections.size(); ++s)
      for (uint32_t t = 0; t < sections[s].tasks.size(); ++t)
        for (const uint32_t step : sections[s].tasks[t].steps) section_of[step] = s, task_of[step] = t;
    size_t kept = 0;
    released_at_.assign(values_.size(), kNone);
    for (uint32_t v = 0; v < values_.size(); ++v) {
      const Value& value = values_[v];
      if (value.is_result) continue;
      Instruction& source = executable.code[value.producer];
      if (source.keeps_memory) {
        const Node& node = program_.node(source);
        kept += static_cast<size_t>(node.shapes[0].elements()) * size_of(node.dtypes[0]);
        source.keeps_memory = kept <= kMaxKeptBytes;
        if (source.keeps_memory) continue;
      }
      const uint32_t last = value.last == kNone ? value.producer : value.last, in = section_of[step_of_[last]];
      // Releasing a value of a step that is bound to the calling thread may need a lock that this thread holds.
      if (in != kNone && !steps_[step_of_[value.producer]].can_change_thread) {
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
    std::vector<std::vector<uint32_t>> after(executable.code.size());
    for (uint32_t v = 0; v < values_.size(); ++v) {
      if (released_at_[v] == kNone) continue;
      after[released_at_[v]].push_back(v);
      // The nodes of a fused loop run only if the loop cannot.
      const uint32_t head = steps_[step_of_[released_at_[v]]].at;
      if (head != released_at_[v] && step_of_[values_[v].producer] != step_of_[head]) after[head].push_back(v);
    }
    for (uint32_t i = 0; i < after.size(); ++i) {
      executable.code[i].first_released = static_cast<uint32_t>(executable.released.size());
      executable.code[i].released = static_cast<uint32_t>(after[i].size());
      executable.released.insert(executable.released.end(), after[i].begin(), after[i].end());
    }
  }

  // A step may overwrite only the memory of a value that it releases itself.
  void limit_reuse(Executable& executable) const {
    const auto is_released_in = [&](uint32_t step, uint32_t operand) {
      const uint32_t v = value_of_[operand];
      return v != kNone && released_at_[v] != kNone && step_of_[released_at_[v]] == step;
    };
    for (uint32_t i = 0; i < executable.code.size(); ++i) {
      Instruction& in = executable.code[i];
      if (in.reuse != Instruction::kNoReuse && !is_released_in(step_of_[i], in.first_input + in.reuse))
        in.reuse = Instruction::kNoReuse;
      if (in.opcode != Opcode::kFused) continue;
      const auto may_reuse = [&](const FusedGroup::Result& result) {
        return result.reuse == FusedGroup::kNoReuse || is_released_in(step_of_[i], in.first_input + result.reuse);
      };
      const FusedGroup& group = executable.groups[static_cast<size_t>(in.callee)];
      if (std::ranges::all_of(group.results, may_reuse)) continue;
      FusedGroup limited = group;  // a copy, because other instructions may share the group
      for (FusedGroup::Result& result : limited.results)
        if (!may_reuse(result)) result.reuse = FusedGroup::kNoReuse;
      in.callee = static_cast<int32_t>(executable.groups.size());
      executable.groups.push_back(std::move(limited));
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
  std::vector<uint32_t> released_at_;  // for each value, the instruction that releases it; kNone: none, or a task
  std::vector<PlannedStep> steps_;
  std::vector<int64_t> serial_ns_;   // the time of each step
  int64_t serial_ = 0, saving_ = 0;
};

}  // namespace

bool is_pure(const Program& program) {
  return std::ranges::all_of(program.code, [&](const Instruction& in) { return can_change_thread(program, in); });
}

bool may_run_in_parallel(const Program& program) {
  int count = 0;
  for (size_t i = 0; i < program.code.size(); i += size_t{1} + program.code[i].skip)
    if (can_change_thread(program, program.code[i]) && ++count == 2) return true;
  return false;
}

ParallelSchedule::~ParallelSchedule() = default;

void ParallelSchedule::note_size(int64_t elements) {
  const int64_t before = measured_elements_.load(std::memory_order_relaxed);
  if (before == 0 || elements / 2 <= before || !mutex_.try_lock()) return;
  const std::lock_guard lock(mutex_, std::adopt_lock);
  if (executables_.size() >= kMaxDecisions || runs_ < kRuns) return;
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
    min_costs_.assign(costs.begin(), costs.end());
    measured_elements_.store(elements, std::memory_order_relaxed);
  } else if (elements < before / 2) {
    return;
  }
  for (size_t i = 0; i < costs.size(); ++i)
    if (costs[i].ns < min_costs_[i].ns) min_costs_[i] = costs[i];
  if (++runs_ == kRuns) decide(program, min_costs_, max_parallel_steps(), kTrials);
}

void ParallelSchedule::decide_now(const Program& program, std::span<const Cost> costs, int threads) {
  const std::lock_guard lock(mutex_);
  runs_ = kRuns;
  decide(program, costs, threads, 0);
}

void ParallelSchedule::decide(const Program& program, std::span<const Cost> costs, int threads, int trials) {
  Planner planner(program, costs, threads);
  std::unique_ptr<Executable> executable = planner.make();
  serial_ns_.store(planner.serial(), std::memory_order_relaxed);
  saving_ns_.store(planner.saving(), std::memory_order_relaxed);
  if (!executable) return stay_serial();
  min_trial_ns_ = INT64_MAX;
  trials_left_.store(trials, std::memory_order_relaxed);
  executable_.store(executable.get(), std::memory_order_release);
  executables_.push_back(std::move(executable));
  state_.store(State::kParallel, std::memory_order_release);
}

void ParallelSchedule::add_trial(int64_t sections_ns) {
  if (!mutex_.try_lock()) return;
  const std::lock_guard lock(mutex_, std::adopt_lock);
  if (!on_trial() || state() != State::kParallel) return;
  min_trial_ns_ = std::min(min_trial_ns_, sections_ns);
  if (trials_left_.fetch_sub(1, std::memory_order_relaxed) > 1) return;
  int64_t serial = 0;
  for (const Section& section : executable().sections) serial += section.serial_ns;
  saving_ns_.store(serial - min_trial_ns_, std::memory_order_relaxed);
  if (serial - min_trial_ns_ < kMinSavingNs / 2) stay_serial();
}

}  // namespace footlight::compile
