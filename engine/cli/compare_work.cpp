// Kernels are matched by name, phases and other spans by the name that the program gave them without the number of a
// step.
#include "engine/cli/compare_work.h"

#include "engine/base/text.h"
#include "engine/cli/text.h"
#include "engine/explain/compare/functions.h"
#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"
#include "engine/query/device_sums.h"
#include "engine/session/readable_chunks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace footlight::cli {
namespace {

constexpr size_t kMaxRows = 25, kMaxNames = 200'000, kWidest = 60;

struct Sum { uint64_t count = 0; int64_t ns = 0; };
struct Both { Sum left, right; };
using Table = std::map<std::string, Both>;

void add(Table& table, const std::string& name, Sum Both::*side, uint64_t count, int64_t ns) {
  if (table.size() >= kMaxNames && !table.contains(name)) return;
  Sum& sum = table[name].*side;
  sum.count += count;
  if (__builtin_add_overflow(sum.ns, ns, &sum.ns)) sum.ns = INT64_MAX;
}

void add_kernels(Table& table, const session::Reader& reader, Sum Both::*side) {
  for (const query::DeviceSum& sum : query::device_sums(reader, {}))
    if (sum.on_device)
      add(table, sum.kind == "kernel" ? sum.name : sum.kind + " " + sum.name, side, sum.count, sum.total_ns);
}

// "ProfilerStep#12" is a "ProfilerStep".
std::string phase_name(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  if (last != name.npos && last > 0 && last + 1 < name.size() && name[last] == '#') name = name.substr(0, last);
  return std::string(name);
}

// The program's own phases, or all spans.
void add_spans(Table& table, const session::Reader& reader, Sum Both::*side, bool all) {
  each_record(reader.spans(), [] {}, [&](const session::SpanRecord& s) {
    if ((all || s.category == "user_annotation") && s.end_ns >= s.start_ns)
      add(table, phase_name(s.name), side, 1, s.end_ns - s.start_ns);
  });
}

// The sums over the calls and over the traces of each function.
void add_functions(Table& calls, Table& traces, const session::Reader& left, const session::Reader& right) {
  for (const explain::FunctionChange& f : explain::compare_functions(left, right)) {
    if (f.left.calls || f.right.calls)
      calls[f.name] = {{f.left.calls, f.left.calls_ns}, {f.right.calls, f.right.calls_ns}};
    if (f.left.traces || f.right.traces)
      traces[f.name] = {{f.left.traces, f.left.traces_ns}, {f.right.traces, f.right.traces_ns}};
  }
}

const char* outcome(const Both& b) {
  return explain::outcome_of(b.left.count, b.left.ns, b.right.count, b.right.ns);
}

std::string signed_time(int64_t ns) {
  return (ns < 0 ? "-" : "+") + explain::time_text(std::abs(static_cast<double>(ns)));
}

std::string print(const char* title, const char* of, const Table& table) {
  if (table.empty()) return {};
  std::vector<std::pair<std::string, Both>> rows(table.begin(), table.end());
  const auto weight = [](const auto& row) {
    return -std::abs(static_cast<double>(row.second.right.ns) - static_cast<double>(row.second.left.ns));
  };
  std::ranges::stable_sort(rows, {}, weight);
  Both all;
  for (const auto& [name, b] : rows) {
    all.left.ns += b.left.ns, all.right.ns += b.right.ns;
    all.left.count += b.left.count, all.right.count += b.right.count;
  }
  std::string out = str("\n  ", title, "\n");
  char line[400];
  const auto put = [&](const char* group, const std::string& name, const Both& b) {
    std::snprintf(line, sizeof line, "  %-10s  %9s -> %-9s  %10s  %10s  %11s  %s\n", group,
                  explain::with_commas(b.left.count).c_str(), explain::with_commas(b.right.count).c_str(),
                  explain::time_text(static_cast<double>(b.left.ns)).c_str(),
                  explain::time_text(static_cast<double>(b.right.ns)).c_str(),
                  signed_time(b.right.ns - b.left.ns).c_str(), label_text(name, kWidest).c_str());
    out += line;
  };
  for (size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i)
    put(outcome(rows[i].second), rows[i].first, rows[i].second);
  if (rows.size() > kMaxRows) out += str("  and ", rows.size() - kMaxRows, " more ", of, "\n");
  put("all", "", all);
  return out;
}

}  // namespace

std::string compared_work(const session::Reader& left, const session::Reader& right) {
  Table calls, traces, kernels, phases, spans;
  add_functions(calls, traces, left, right);
  add_kernels(kernels, left, &Both::left);
  add_kernels(kernels, right, &Both::right);
  add_spans(phases, left, &Both::left, false);
  add_spans(phases, right, &Both::right, false);
  if (calls.empty() && traces.empty() && kernels.empty() && phases.empty()) {  // nothing else was recorded
    add_spans(spans, left, &Both::left, true);
    add_spans(spans, right, &Both::right, true);
  }
  return print("by function, sums over its calls", "functions", calls) +
         print("by function, sums over the making of its traces", "functions", traces) +
         print("by kernel, sums of device time, the largest differences first", "kernels", kernels) +
         print("by phase, as the program names its parts", "phases", phases) +
         print("by span, sums over those of one name", "spans", spans);
}

}  // namespace footlight::cli
