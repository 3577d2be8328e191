// Texts of the box beside the table, for the selected row, and titles above a comparison.
#pragma once

#include "app/models/document.h"

#include "engine/explain/compare/comparison.h"

#include <QString>

#include <vector>

namespace footlight::app {

struct CompareFact {
  QString label, value;
  SourcePlace place = {};   // a link to it
};
struct RowFacts {
  QString title, badge, why;
  std::vector<CompareFact> facts;
};
RowFacts facts_of_row(const Document& document, const explain::Comparison& comparison, const explain::Row& row);

// "Eager", "Traced"; sides that were recorded have names, which stay as they are.
QString side_title(const explain::Comparison& comparison, const explain::Side& side);
QString title_of(const explain::Comparison& comparison);     // "train_step, arguments of call 1, on GPU 0"
QString short_title(const Document& document, const explain::Comparison& comparison);  // "train_step, call 1, #2"
// "50 x eager and 50 x traced, interleaved; means of the middle half, whiskers p5 to p95"
QString how_made(const explain::Comparison& comparison);
// The sentence, and what has to be known about it.
QString sentence_with_notes(const explain::Comparison& comparison);

// The family of ops that a piece belongs to, by which it is coloured; empty: it is not one of an op.
std::string family_of(const Document& document, const explain::Comparison& comparison, const explain::Piece& piece);

}  // namespace footlight::app
