// Each statement names the columns by which its rows select: ids of functions, traces, calls, nodes, and times.
#include "engine/sql/ready_queries.h"

namespace footlight::sql {
namespace {

constexpr ReadyQuery kQueries[] = {
    {"functions", "Time of each function",
     R"(SELECT function, count(*) AS calls,
       (SELECT traces FROM functions WHERE functions.function_id = calls.function_id) AS traces,
       sum(duration_ns) / 1e6 AS total_ms, median(duration_ns) / 1e3 AS median_us, function_id
FROM calls
GROUP BY function_id
ORDER BY total_ms DESC)"},
    {"slowest-calls", "Slowest calls",
     R"(SELECT function, trace, outcome, duration_ns / 1e6 AS ms, start_ns / 1e6 AS start_ms, source, call_id
FROM calls
ORDER BY duration_ns DESC
LIMIT 100)"},
    {"traces", "Why each trace was made",
     R"(SELECT function, trace, duration_ns / 1e6 AS ms, nodes, why, signature, source, trace_id
FROM traces
ORDER BY start_ns)"},
    {"varying-arguments", "Arguments that cause retraces",
     R"(SELECT function, coalesce(parameter, path) AS argument, path,
       count(DISTINCT coalesce(type, '') || ' ' || coalesce(shape, '') || ' ' || coalesce(value, '')) AS different,
       count(DISTINCT trace_id) AS traces, function_id
FROM keys
WHERE side = 'used'
GROUP BY function_id, path
HAVING different > 1
ORDER BY different DESC)"},
    {"tracing-time", "What tracing took its time for",
     R"(SELECT function, phase, count(*) AS times, sum(duration_ns) / 1e6 AS total_ms, function_id
FROM phases
WHERE part_of IS NULL
GROUP BY function_id, phase
ORDER BY total_ms DESC)"},
    {"ops", "Time of each op",
     R"(SELECT op, family, count, total_ns / 1e6 AS total_ms, self_ns / 1e6 AS self_ms, median_ns / 1e3 AS median_us,
       p95_ns / 1e3 AS p95_us, max_ns / 1e3 AS max_us, flops * 1.0 / nullif(compute_ns, 0) AS gflops_per_s
FROM op_totals
ORDER BY total_ms DESC)"},
    {"slowest-nodes", "Slowest nodes of graphs",
     R"(SELECT node, op, graph, count, ns / 1e6 AS total_ms, ns / 1e3 / count AS mean_us, source, graph_id, node_id
FROM (SELECT graph_id, node_id, count(*) AS count, sum(duration_ns) AS ns
      FROM ops
      WHERE node_id IS NOT NULL
      GROUP BY graph_id, node_id
      ORDER BY ns DESC
      LIMIT 100)
JOIN nodes USING (graph_id, node_id)
ORDER BY total_ms DESC)"},
    {"eager-lines", "Lines that run ops eagerly",
     R"(SELECT source, trim(lines.text) AS line, op, count, ns / 1e6 AS total_ms
FROM (SELECT source, op, count(*) AS count, sum(duration_ns) AS ns
      FROM ops
      WHERE traced = 0 AND while_tracing = 0
      GROUP BY source, op
      ORDER BY ns DESC
      LIMIT 100)
LEFT JOIN lines USING (source)
ORDER BY total_ms DESC)"},
    {"pipelines", "Stages of pipelines",
     R"(SELECT stage, name AS what, count(*) AS count, sum(duration_ns) / 1e6 AS total_ms,
       max(duration_ns) / 1e6 AS longest_ms, min(start_ns) / 1e6 AS start_ms, source, stage_id
FROM spans
WHERE stage_id IS NOT NULL
GROUP BY stage_id, name
ORDER BY total_ms DESC)"},
    {"gaps", "Longest times between calls",
     R"(SELECT (start_ns - before_ns) / 1e6 AS gap_ms, before_ns / 1e6 AS start_ms, function AS next_function,
       source, call_id
FROM (SELECT *, max(start_ns + duration_ns) OVER (
               PARTITION BY thread_id ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_ns
      FROM calls
      WHERE parent_id IS NULL)
WHERE start_ns > before_ns
ORDER BY gap_ms DESC
LIMIT 100)"},
    {"kernels", "Kernels on devices",
     R"(SELECT name, device, count(*) AS count, sum(duration_ns) / 1e6 AS total_ms,
       median(duration_ns) / 1e3 AS median_us, max(duration_ns) / 1e3 AS max_us, sum(bytes) AS bytes
FROM device
WHERE kind IN ('kernel', 'memcpy', 'memset')
GROUP BY name, device
ORDER BY total_ms DESC)"},
};

}  // namespace

std::span<const ReadyQuery> ready_queries() { return kQueries; }

const ReadyQuery* ready_query(std::string_view name) {
  for (const ReadyQuery& query : kQueries)
    if (name == query.name) return &query;
  return nullptr;
}

}  // namespace footlight::sql
