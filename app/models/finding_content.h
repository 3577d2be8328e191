// Everything that the page of a finding says, as text and links: evidence, fixes as edits of the script.
#pragma once

#include "app/models/edit_lines.h"
#include "app/models/findings.h"

namespace footlight::app {

struct EvidenceRow {
  enum class Action { kNone, kPlace, kDifference, kCalls, kGraph, kValues, kRanks };  // graph, values: of the target
  QString name, value;
  QString link;            // text of the action
  Action action = Action::kNone;
  QString path;            // kPlace: of the file; another run may number it otherwise
  int line = 0;
};

struct FixContent {
  QString title;                // "tf.constant(lr)"
  QString check;                // "Replayed: saves 10 of 12 traces"
  bool checked = false;
  QString path;                 // file to change; empty: the fix is no edit
  QString before, after;        // the text of that file
  std::vector<EditLine> lines;  // the difference; the lines around the finding's, if the fix is no edit
};

struct FindingContent {
  FindingCard card;
  QString about;                // a sentence below the title
  std::vector<EvidenceRow> evidence;
  std::vector<FixContent> fixes;
  QString path;                 // file with the line to edit
  QString key;                  // key in Dismissed
};

FindingContent finding_content(const Document& document, const FindingCard& card);
// Text for a bug report; `fix`: the index of the fix.
QString as_markdown(const FindingContent& content, size_t fix);

}  // namespace footlight::app
