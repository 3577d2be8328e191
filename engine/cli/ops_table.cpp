// `footlight info --ops`: what every op of a session cost, as a table and as JSON.
#include "engine/cli/commands.h"
#include "engine/cli/json.h"
#include "engine/cli/text.h"
#include "engine/query/op_totals.h"
#include "engine/session/reader.h"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>

namespace footlight::cli {
namespace {

struct OpSum {
  std::string name, family, shapes;
  uint64_t count = 0, total_ns = 0, median_ns = 0, min_ns = 0, max_ns = 0, bytes = 0, flops = 0;
  int64_t kernel_ns = 0, compute_ns = 0;  // as in query::OpTotal
  double gflops() const { return compute_ns > 0 ? static_cast<double>(flops) / static_cast<double>(compute_ns) : 0; }
};

bool holds(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Most total time first.
std::vector<OpSum> sums(const session::Reader& r, const OpTable& table) {
  query::OpTotalsOptions options;
  options.by = table.shapes ? query::GroupBy::kShape : query::GroupBy::kOp;
  std::vector<OpSum> out;
  query::OpTotals totals = query::op_totals(r, options, query::Cancel());
  if (totals.unreadable)
    std::fprintf(stderr, "footlight: %" PRIu64 " op events could not be read and are left out\n", totals.unreadable);
  for (query::OpTotal& total : totals.rows) {
    OpSum row;
    const session::OpNameRecord* op = r.op_name(total.op);
    if (op) row.name = op->name, row.family = op->family;
    if (row.name.empty()) row.name = "op " + std::to_string(total.op.value);
    if (!holds(row.name, table.filter) && !holds(row.family, table.filter)) continue;
    if (const session::SignatureRecord* s = r.signature(total.signature)) row.shapes = s->inputs + " -> " + s->outputs;
    const query::Sums& took = total.durations.sums();
    row.count = took.count;
    row.total_ns = static_cast<uint64_t>(took.total);
    row.median_ns = static_cast<uint64_t>(total.durations.median());
    row.min_ns = static_cast<uint64_t>(took.min);
    row.max_ns = static_cast<uint64_t>(took.max);
    row.bytes = total.bytes;
    row.flops = total.flops;
    row.kernel_ns = total.kernel_ns;
    row.compute_ns = total.compute_ns();
    out.push_back(std::move(row));
  }
  return out;
}

std::string scaled(double value, const char* const* units, double step) {
  size_t unit = 0;
  while (value >= step * 0.9995 && units[unit + 1]) value /= step, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : value < 10 ? "%.2f %s" : "%.1f %s", value, units[unit]);
  return text;
}
std::string time_text(uint64_t ns) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s", nullptr};
  return scaled(static_cast<double>(ns), kUnits, 1000);
}
std::string bytes_text(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", nullptr};
  return scaled(static_cast<double>(bytes), kUnits, 1024);
}
std::string flops_text(uint64_t flops) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P", nullptr};
  return flops ? scaled(static_cast<double>(flops), kUnits, 1000) : "-";
}

void print_json(const std::vector<OpSum>& rows, bool shapes) {
  std::vector<std::string> list;
  for (const OpSum& r : rows) {
    JsonObject o;
    o.add("op", r.name).add("family", r.family);
    if (shapes) o.add("shapes", r.shapes);
    o.add("count", r.count).add("total_ns", r.total_ns).add("median_ns", r.median_ns);
    o.add("min_ns", r.min_ns).add("max_ns", r.max_ns).add("bytes", r.bytes).add("flops", r.flops);
    o.add("kernel_ns", r.kernel_ns);
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.3f", r.gflops());
    list.push_back(o.raw("gflops_per_s", rate).inline_());
  }
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i ? ",\n " : "") + list[i];
  std::printf("%s]\n", out.c_str());
}

void print_table(const std::vector<OpSum>& rows, bool shapes) {
  size_t wide = 2;
  for (const OpSum& r : rows) wide = std::max(wide, std::min<size_t>(r.name.size(), 40));
  const int name = static_cast<int>(wide);
  std::printf("%-*s %9s %10s %10s %10s %10s %10s %9s %9s%s\n", name, "op", "count", "total", "median", "min", "max",
              "bytes", "FLOPs", "GFLOP/s", shapes ? "  shapes" : "");
  for (const OpSum& r : rows) {
    char rate[32] = "-";
    if (r.flops && r.compute_ns > 0) std::snprintf(rate, sizeof rate, r.gflops() < 10 ? "%.2f" : "%.1f", r.gflops());
    std::printf("%-*s %9" PRIu64 " %10s %10s %10s %10s %10s %9s %9s%s\n", name, printable(r.name).c_str(), r.count,
                time_text(r.total_ns).c_str(), time_text(r.median_ns).c_str(), time_text(r.min_ns).c_str(),
                time_text(r.max_ns).c_str(), bytes_text(r.bytes).c_str(), flops_text(r.flops).c_str(), rate,
                shapes ? ("  " + printable(r.shapes)).c_str() : "");
  }
  if (std::ranges::any_of(rows, [](const OpSum& r) { return r.kernel_ns > 0; }))
    std::printf("GFLOP/s of ops that ran on a GPU are those of their kernels; the times are those of the launches.\n");
}

}  // namespace

void print_ops(const session::Reader& reader, const OpTable& table) {
  const std::vector<OpSum> rows = sums(reader, table);
  table.json ? print_json(rows, table.shapes) : print_table(rows, table.shapes);
}

}  // namespace footlight::cli
