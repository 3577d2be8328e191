// Facts about a selection: queried on the store's thread, shown by the inspector and the timeline.
#pragma once

#include "app/models/callers.h"
#include "app/models/layer_costs.h"
#include "app/models/selection.h"

#include "engine/query/device_sums.h"
#include "engine/query/timeline.h"

#include <optional>
#include <vector>

namespace footlight::app {

struct SelectionFacts {
  Selection of;
  std::optional<query::OpEventRow> op;                // kEvent
  std::optional<session::CallRecord> call;       // kCall; kEvent: the call that ran it
  uint64_t call_position = 0;                    // kCall: among the calls of its function, from 0
  std::optional<query::DeviceRow> device;        // kDevice
  std::optional<query::OpEventRow> cause;             // kDevice: the op that caused it
  std::optional<session::CallRecord> cause_call;
  std::vector<query::DeviceRow> caused;          // kEvent
  query::Sums ran;                               // kNode: the node; kLine: eager ops there; kCall: its ops
  query::Sums below;                             // kNode: of all graphs that it runs, directly or not
  int64_t median_ns = -1;                        // kNode; -1: not counted yet (node_median())
  uint64_t calls = 0;                            // kLine: calls made there
  std::vector<CallerFrame> callers;              // kNode, kLine, kTrace, kCall
  query::HitTimes hits;                         // kFunction, kTrace
  uint64_t waits = 0;                            // kFunction: of threads, until another one had traced it
  int64_t waited_ns = 0;
  std::vector<query::DeviceSum> device_sums;     // kRun: of all kernels, copies and calls; kDevice: of those named so
  std::vector<LayerCost> layers;                 // kFunction, kTrace: of Keras
  query::Sums op_sums;                           // kEvent: all of that op in the run
  std::vector<std::pair<int64_t, uint64_t>> histogram;
};

// Whether the inspector has little to show for such a selection until its facts have arrived.
bool needs_facts(const Selection& selection);
// The nodes of the graphs that a selected node runs; none for an op.
std::vector<query::NodeKey> nodes_below(const Document& document, const Selection& selection);
SelectionFacts find_facts(const query::Store& store, const Selection& selection, const query::Cancel& cancel,
                          const std::vector<query::NodeKey>& below = {});
// Looks at every execution of a node, which is slow for long recordings.
int64_t node_median(const query::Store& store, const Selection& selection, const query::Cancel& cancel);

// The op events of a node or a line.
query::OpFilter filter_of(const query::Store& store, const Selection& selection);
// The (first) bar of the selection, if it has one.
std::optional<query::Placed> find_bar(const query::Store& store, const Selection& selection,
                                      const query::Cancel& cancel);
// The selection that a bar stands for.
struct BarFacts {
  std::optional<query::OpEventRow> op;
  std::optional<session::CallRecord> call;
};
BarFacts find_bar_facts(const query::Store& store, const query::Placed& bar);

}  // namespace footlight::app
