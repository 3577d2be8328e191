// The Findings dock: one card per finding, with a ring around the selected one.
#pragma once

#include "app/models/dismissed.h"
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
  void menu_asked(const QPoint& at);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  FindingCard card_;
};

class FindingsView : public View {
  Q_OBJECT

 public:
  FindingsView(const Context& context, QWidget* parent = nullptr);
  // The actions for a finding. The caller owns the menu.
  QMenu* menu_for(FindingWidget* finding);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override;
  bool busy() const override { return ticket_.waiting(); }
  void show_again();  // with other colours, or other findings dismissed
  // The number of cards, without those that the user dismissed.
  int count() const { return static_cast<int>(list_.cards.size()); }
  const std::vector<FindingWidget*>& cards() const { return cards_; }
  const FindingList& list() const { return list_; }
  Dismissed& dismissed() { return dismissed_; }
  void open_first();
  void open_next();  // the one behind the one that was opened last

 Q_SIGNALS:
  void count_changed(int count);  // of the findings, as in reports: errors have cards, and no numbers
  void list_changed();
  void opened(const footlight::app::FindingCard& card);

 private:
  void ask();
  void take(explain::Findings found);
  void build();
  void add_card(const FindingCard& card, bool dismissed);
  void add_line(const QString& text, const QString& link, std::function<void()> act);

  QScrollArea* scroll_;
  QVBoxLayout* column_;
  std::vector<FindingWidget*> cards_;
  const FindingWidget* opened_ = nullptr;  // of the cards, the one that was opened last
  explain::Findings found_;
  FindingList list_;
  std::vector<FindingCard> dismissed_cards_;
  Dismissed dismissed_;
  bool show_dismissed_ = false;
  QueryHandle ticket_;
  bool ask_again_ = false;
  QString shown_;   // the text of the cards: they are rebuilt only when it changes
  size_t seen_traces_ = 0, seen_calls_ = 0, seen_eager_ = 0;
};

}  // namespace footlight::app
