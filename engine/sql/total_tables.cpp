// Tables of op costs in the whole recording, by op and by line: the same sums as in the table below the timeline.
#include "engine/base/place.h"
#include "engine/base/text.h"
#include "engine/query/op_totals.h"
#include "engine/sql/columns.h"

namespace footlight::sql {
namespace {

using L = Lookup;

struct Total {
  uint64_t key = 0;
  session::OpNumber op;
  uint64_t count = 0, bytes = 0, flops = 0;
  int64_t total_ns = 0, self_ns = 0, median_ns = 0, p95_ns = 0, max_ns = 0, kernel_ns = 0, compute_ns = 0;
};

std::vector<Total> totals(L& l, query::GroupBy by) {
  query::OpTotalsOptions options;
  options.by = by;
  query::OpTotals found = query::op_totals(l.reader, options, l.cancel);
  if (found.unlisted)
    throw Error(ErrorKind::kResourceExhausted,
                str("This table would have more than ", query::kMaxTotalRows, " rows; group the table ops instead"));
  std::vector<Total> out;
  for (query::OpTotal& row : found.rows) {
    const query::Sums sums = row.durations.sums();
    if (!sums.count) continue;
    add_row(out, {row.key, row.op, sums.count, row.bytes, row.flops, sums.total, row.self_ns,
                  row.durations.median(), row.durations.quantile(0.95), sums.max, row.kernel_ns, row.compute_ns()});
  }
  return out;
}

void add_sums(Columns<Total>& c) {
  c.add("count", "How many runs were recorded", [](L&, const Total& r) { return r.count; });
  c.add("total_ns", "Time of all runs together", [](L&, const Total& r) { return r.total_ns; });
  c.add("self_ns", "The same without the ops inside them", [](L&, const Total& r) { return r.self_ns; });
  c.add("median_ns", "Median of the times", [](L&, const Total& r) { return r.median_ns; });
  c.add("p95_ns", "Time within which 95 of 100 ended", [](L&, const Total& r) { return r.p95_ns; });
  c.add("max_ns", "Longest time", [](L&, const Total& r) { return r.max_ns; });
  c.add("bytes", "Bytes of inputs and results", [](L&, const Total& r) { return r.bytes; });
  c.add("flops", "Floating-point operations", [](L&, const Total& r) { return r.flops; });
  c.add("kernel_ns", "Time of the kernels that a device ran for them", [](L&, const Total& r) { return r.kernel_ns; });
  c.add("compute_ns", "Time for flops: total_ns, with kernels in place of the ops that launched them",
        [](L&, const Total& r) { return r.compute_ns; });
}

}  // namespace

void add_total_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to) {
  Columns<Total> ops;
  ops.add("op", "Name of the op, such as MatMul", [](L& l, const Total& r) { return l.names.op(r.op); });
  ops.add("family", "Family of the op, such as product", [](L& l, const Total& r) {
    const session::OpNameRecord* op = l.reader.op_name(r.op);
    return Kept{op ? std::string_view(op->family) : std::string_view()};
  });
  add_sums(ops);
  add_list<Total>(lookup, to, "op_totals", "What each op cost: sums over ops, at once.",
                  [](L& l) { return totals(l, query::GroupBy::kOp); }, std::move(ops))
      .set_costly();
  Columns<Total> lines;
  lines.add("source", "Line of the program, such as train.py:14", [](L& l, const Total& r) {
    const query::GroupPlace at = query::line_of(r.key);
    const std::string file = r.key == query::Grouping::kUnknown ? std::string() : l.names.path(at.file);
    return place_text_with_path(file, at.line);
  });
  add_sums(lines);
  add_list<Total>(lookup, to, "line_totals", "What the ops of each line cost.",
                  [](L& l) { return totals(l, query::GroupBy::kLine); }, std::move(lines))
      .set_costly();
}

}  // namespace footlight::sql
