// The findings of a run: the cards of the dock, and what was looked for and not found.
#pragma once

#include "app/models/cause_words.h"
#include "app/models/selection.h"

#include "engine/explain/findings.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace footlight::app {

struct FindingCard {
  QString number;      // "F1", as in the report; empty: tracing failed
  QString title;       // "lr is a Python number that changes"
  QString function;    // "train_step"
  QString detail;      // "args[1]: 6 values, 0.1 → 0.05 → 0.033 …; the graphs differ only in constants"
  SourcePlace place;
  QString place_text;
  QString check;       // "Replayed: saves 10 of 12 traces, 41.0 ms", "Not verified: ..."
  QString order;       // "after F1": the finding whose fix this one needs
  std::vector<explain::Finding::Edit> edits;  // its own, with those of the findings that it needs
  bool checked = false;
  QString fix;         // "tf.constant(lr)"
  QString tone;        // amber: cost; red: something failed
  Selection target;
  std::optional<explain::Finding> finding;  // none: tracing failed
};

// Something that is no finding, and that a person who reads "nothing to report" should know.
struct FindingNote {
  QString text;
  QString link, view;   // "open Timeline", "timeline"
  Selection target;     // selected before the view is shown; kind kNothing: none
};

struct FindingList {
  std::vector<FindingCard> cards;
  std::vector<FindingNote> notes;
  QStringList dropped;    // "embed: shapes that vary (a few shapes, each comes back)"
  // What changes of a function would save, where that is too little for a finding.
  std::vector<std::pair<FunctionId, QString>> no_problem;
  std::vector<LookedFor> not_found;
  // How many of the cards are findings: "No findings" in a report is 0 here, whatever failed.
  int numbered() const {
    return static_cast<int>(std::ranges::count_if(cards, [](const FindingCard& c) { return c.finding.has_value(); }));
  }
  explain::SavedByFunction together;
  std::map<TraceId, std::string> reasons;  // why traces were made, where a finding says more than their keys
};

// The value in which the first NaN of a finding began, or the infinity that it was made of; null for other findings.
const session::TensorValue* where_nan_began(const Document& document, const explain::Finding& finding);

explain::RunRecords records_of(const Document& document);
FindingList findings_of(const Document& document);
// The same in two steps: the first is slow where there are thousands of traces, and needs no document.
FindingList list_of(const Document& document, const explain::Findings& found);

// "10 of 12 traces avoidable: lr"; else what is said of its changes that are no problem; empty if nothing is.
QString avoidable_text(const Document& document, const FindingList& list, FunctionId function);

}  // namespace footlight::app
