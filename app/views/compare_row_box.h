// The box beside the table of a comparison: the selected row in full, and from which call on tracing pays.
#pragma once

#include "app/models/compare_facts.h"
#include "app/views/labels.h"

#include <QFormLayout>
#include <QVBoxLayout>
#include <QWidget>

namespace footlight::app {

class CompareRowBox : public QWidget {
  Q_OBJECT

 public:
  explicit CompareRowBox(QWidget* parent = nullptr);
  // `row`: -1: none; `piece`: what is said about the piece that is selected, if one is.
  void show_row(const Document& document, const explain::Comparison& comparison, int row, const QString& piece);
  void show_facts(const RowFacts& facts);
  void clear();
  QString shown_text() const;

 Q_SIGNALS:
  void place_chosen(footlight::app::SourcePlace place);

 private:
  void rebuild();
  QVBoxLayout* inside() const { return static_cast<QVBoxLayout*>(body_->layout()); }
  QLabel* add(QLabel* label);
  void add_facts(const RowFacts& facts);

  QVBoxLayout* column_;
  QWidget* body_ = nullptr;
};

}  // namespace footlight::app
