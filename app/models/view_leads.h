// The sentence above a view, and what a view without anything to show says instead, with the way on.
#pragma once

#include "app/models/selection.h"
#include "app/models/source_lines.h"

namespace footlight::app {

// How often ops ran outside of graphs.
uint64_t eager_ops(const Document& document);

struct ViewLead {
  QString text;
  QString tone;        // theme colour; empty: plain
  QString link, view;  // "Open Timeline", "timeline"; empty: no way on
};

// "#3: 73 nodes, and 21 in the branches, loops and functions that they call"
ViewLead graph_lead(const Document& document, GraphId root);
// "9 lines went into the graph, 4 ran in Python while tracing, 1 fell back to Python"
ViewLead autograph_lead(const std::vector<CodeLine>& lines);
// "2,367 op events, 143 of them eager, and 54 calls; functions were being traced for 12.4 ms of 212 ms"
ViewLead timeline_lead(const Document& document);

enum class LeadFor { kGraph, kRetraces, kAutograph, kTimeline, kCompare, kSource };
ViewLead nothing_to_show(const Document& document, const Selection& selection, LeadFor view);

}  // namespace footlight::app
