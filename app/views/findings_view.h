// The Findings dock: one card per finding, with a ring around the selected one.
#pragma once

#include "app/models/findings.h"
#include "app/views/view.h"

#include <QFrame>
#include <QScrollArea>
#include <QVBoxLayout>

namespace footlight::app {

class FindingWidget : public QFrame {
  Q_OBJECT

 public:
  FindingWidget(const FindingCard& card, QWidget* parent = nullptr);
  void set_chosen(bool chosen);
  const FindingCard& card() const { return card_; }

 Q_SIGNALS:
  void chosen();
  void place_chosen();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  FindingCard card_;
};

class FindingsView : public View {
  Q_OBJECT

 public:
  FindingsView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override;
  int count() const { return static_cast<int>(cards_.size()); }
  const std::vector<FindingWidget*>& cards() const { return cards_; }
  std::vector<FindingCard> shown_cards() const;

 Q_SIGNALS:
  void count_changed(int count);

 private:
  void build();

  QScrollArea* scroll_;
  QVBoxLayout* column_;
  std::vector<FindingWidget*> cards_;
  QString shown_;   // the text of the cards: they are rebuilt only when it changes
  size_t seen_traces_ = 0, seen_calls_ = 0;
};

}  // namespace footlight::app
