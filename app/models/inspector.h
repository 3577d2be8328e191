// The inspector's contents for a selection, as plain data: rows, a piece of source, links, a histogram.
#pragma once

#include "app/models/facts.h"
#include "app/models/selection.h"
#include "app/models/source_lines.h"

#include "engine/query/line_sums.h"

#include <QString>

#include <vector>

namespace footlight::app {

struct InspectorRow {
  QString label, value;
  QString tone;             // theme colour; empty: ordinary
  bool link = false;
  Selection target;         // target of a link
  int indent = 0;
  std::vector<InspectorRow> inner = {};  // shown below it once it is opened
};

struct InspectorLink {
  QString text;
  QString view;             // tab to show; "editor": the place in the editor
  Selection target;
};

struct InspectorGroup {
  QString title;            // empty for the first
  std::vector<InspectorRow> rows;
  QString paragraph;
};

struct InspectorContent {
  QString title, tag, tag_tone;
  std::vector<InspectorGroup> groups;
  QString snippet_title;
  std::vector<CodeLine> snippet;
  int snippet_line = 0;     // the line to mark
  int snippet_value_line = 0;
  SourcePlace snippet_place;
  QString histogram_title, histogram_tone;
  int64_t histogram_least = 0, histogram_most = 0;
  std::vector<std::pair<int64_t, uint64_t>> histogram;  // durations, and how many of each
  std::vector<InspectorLink> links;
  std::shared_ptr<const session::CallValues> call_values;       // of a node: the call in which it was looked at,
  std::vector<const session::TensorValue*> values;              // and what it gave there
};

// `facts` of the same selection, `lines` of the session; null if not yet known.
InspectorContent inspect(const Document& document, const Selection& selection, const SelectionFacts* facts,
                         const query::LineSums* lines = nullptr);
// The same as Markdown, for a bug report.
QString as_markdown(const InspectorContent& content);

}  // namespace footlight::app
