// Collects the rows of the inspector, a function for each kind of selection.
#pragma once

#include "app/models/inspector.h"
#include "app/models/inspector_parts.h"
#include "app/models/text.h"

#include "engine/explain/compare/comparison.h"

#include <functional>

namespace footlight::app {

class InspectorWriter {
 public:
  InspectorWriter(const Document& document, const Selection& selection, const SelectionFacts* facts,
                  const query::LineSums* lines)
      : document_(document), s_(selection), facts_(facts), lines_(lines) {
    content_.groups.emplace_back();
  }

  InspectorContent write();

 private:
  using Kind = Selection::Kind;

  void group(const QString& title) { content_.groups.push_back({title, {}, {}}); }
  InspectorRow& row(const char* label, const QString& value, const char* tone = "") {
    InspectorRow made;
    made.label = QString::fromUtf8(label);
    made.value = value;
    made.tone = QLatin1String(tone);
    content_.groups.back().rows.push_back(made);
    return content_.groups.back().rows.back();
  }
  void row_if(const char* label, const QString& value) {
    if (!value.isEmpty()) row(label, value);
  }
  void link(const char* label, const QString& value, const Selection& target) {
    InspectorRow& made = row(label, value, "blue");
    made.link = true;
    made.target = target;
  }
  void place(const char* label, SourcePlace place) {
    if (place) link(label, document_.place_text(place), Selection::of_line(document_, place));
  }
  void go(const char* text, const char* view, const Selection& target) {
    content_.links.push_back({QString::fromUtf8(text), QLatin1String(view), target});
  }
  void add(InspectorGroup made) {
    if (!made.rows.empty()) content_.groups.push_back(std::move(made));
  }
  void did_not_run() {
    InspectorRow made;
    made.label = QStringLiteral("Value");
    made.value = QStringLiteral("It did not run in the recorded call");
    made.tone = QStringLiteral("faint");
    content_.groups.front().rows.push_back(made);
  }
  void callers() {
    if (facts_) add(callers_group(document_, facts_->callers));
  }
  void source(SourcePlace place, int around = 3) {
    if (!place || !document_.file(place.file)) return;
    content_.snippet_title = file_name(document_.file(place.file)->path);
    content_.snippet = snippet(document_, place, around);
    content_.snippet_line = place.line;
    content_.snippet_place = place;
  }

  void run();
  void function();
  void per_hit(const std::function<bool(const explain::Comparison&)>& of_these);
  void trace();
  void node();
  void line(SourcePlace place);
  void call();
  void event();
  void device();

  const Document& document_;
  const Selection& s_;
  const SelectionFacts* facts_;
  const query::LineSums* lines_;
  InspectorContent content_;
};

}  // namespace footlight::app
