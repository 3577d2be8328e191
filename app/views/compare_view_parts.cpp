// The widgets of the Compare tab.
#include "app/models/compare_export.h"
#include "app/views/compare_view.h"
#include "app/views/layouts.h"

#include <QHeaderView>

namespace footlight::app {
namespace {

constexpr int kMinBars = 108, kMinTable = 120;

// Both ways to compare, under each other.
QWidget* start_page(QWidget* start, QWidget* sides) {
  auto* page = new QWidget;
  auto* column = column_in(page, {0, 0, 0, 16});
  column->addWidget(start, 3);
  sides->setMaximumWidth(620);
  auto* across = row_in(nullptr, {12, 0, 12, 0});
  across->addStretch(1);
  across->addWidget(sides, 100);
  across->addStretch(1);
  column->addLayout(across);
  column->addStretch(2);
  auto* scroll = new QScrollArea;
  scroll->setWidget(page);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  return scroll;
}

}  // namespace

CompareView::CompareView(const Context& context, QWidget* parent)
    : View(context, parent), table_(this), function_rows_(this) {
  auto* outer = column_in(this);
  pages_ = new QStackedWidget;
  outer->addWidget(pages_);
  start_ = new CompareStart;
  sides_ = new CompareSides;
  pages_->addWidget(start_page(start_, sides_));
  auto* body = new QWidget;
  page_ = scrolled(body);
  pages_->addWidget(page_);
  auto* column = column_in(body, {20, 12, 20, 6}, 8);
  build_head(column);
  down_ = splitter(Qt::Vertical, 8);
  waterfall_ = new WaterfallCanvas;
  waterfall_->setMinimumHeight(kMinBars);
  meaning_ = elided_label({}, "faint");
  auto* bars = new QFrame;
  bars->setProperty("role", "card");
  auto* bars_column = column_in(bars, {4, 4, 4, 4}, 0);
  bars_column->addWidget(waterfall_, 1);
  auto* below = row_in(nullptr, {12, 0, 12, 2});
  below->addWidget(meaning_);
  bars_column->addLayout(below);
  down_->addWidget(bars);
  down_->addWidget(build_pictures());
  down_->addWidget(build_table());
  column->addWidget(down_, 1);
  connect_parts();
  reset();
}

void CompareView::build_head(QVBoxLayout* column) {
  auto* head = row_in(nullptr, {}, 10);
  title_ = elided_label({}, "heading");
  head->addWidget(title_);
  how_ = elided_label({}, "dim");
  how_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  head->addWidget(how_, 1);
  choice_ = new QComboBox;
  choice_->setAccessibleName(QStringLiteral("Comparison"));
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  choice_->setMinimumWidth(60);
  choice_->setMaximumWidth(240);
  set_tip(choice_, QStringLiteral("The comparisons in this recording"));
  head->addWidget(choice_);
  export_button_ = new QPushButton(QStringLiteral("Export"));
  export_ = new QMenu(export_button_);
  export_button_->setMenu(export_);
  export_->addAction(QStringLiteral("Copy the table as CSV"), this, [this] { copy(csv_of(shown_table())); });
  export_->addAction(QStringLiteral("Copy the table as Markdown"), this, [this] { copy(markdown_of(shown_table())); });
  export_->addAction(QString::fromUtf8("Save the picture as PNG or SVG …"), this, &CompareView::save_as);
  head->addWidget(export_button_);
  recorded_button_ = new QPushButton(QString::fromUtf8("Recorded …"));
  set_tip(recorded_button_, QStringLiteral("Compare two recordings, traces or calls"));
  head->addWidget(recorded_button_);
  again_ = new QPushButton(QStringLiteral("Run again"));
  head->addWidget(again_);
  column->addLayout(head);
  sentence_ = plain_label();
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sentence_->setAccessibleName(QStringLiteral("What the comparison says"));
  column->addWidget(sentence_);
}

QWidget* CompareView::build_pictures() {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* column = column_in(card, {4, 4, 4, 4});
  timelines_ = new CompareTimelines;
  lanes_ = scrolled(timelines_);
  column->addWidget(lanes_);
  return card;
}

QWidget* CompareView::build_table() {
  beside_ = splitter(Qt::Horizontal, 8);
  auto* left = new QWidget;
  auto* column = column_in(left, {}, 4);
  auto* row = row_in(nullptr, {}, 8);
  by_op_ = plain_label(QStringLiteral("Op by op"), "strong");
  row->addWidget(by_op_);
  by_ = new QButtonGroup(this);
  for (const auto& [text, tip] : {std::pair("Op by op", "What each line's ops took in both recordings"),
                                  std::pair("Functions", "Calls, traces and times of each function in both")}) {
    QPushButton* chip = chip_switch(QLatin1String(text), QLatin1String(tip));
    by_->addButton(chip, static_cast<int>(by_->buttons().size()));
    row->addWidget(chip);
  }
  totals_ = elided_label({}, "dim");
  row->addWidget(totals_, 1);
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(QStringLiteral("Filter rows"));
  filter_->setAccessibleName(QStringLiteral("Filter rows"));
  filter_->setClearButtonEnabled(true);
  filter_->setMinimumWidth(60);
  filter_->setMaximumWidth(220);
  row->addWidget(filter_);
  order_ = new QComboBox;
  order_->setAccessibleName(QStringLiteral("Order of the rows"));
  order_->setMinimumWidth(60);
  order_->addItems(QStringList{QStringLiteral("Program order")} + table_.names());
  row->addWidget(order_);
  column->addLayout(row);
  table_view_ = new Table(&table_, QStringLiteral("Op by op"));
  table_view_->horizontalHeader()->setSectionsClickable(true);
  table_view_->setMinimumHeight(kMinTable);
  functions_view_ = new Table(&function_rows_, QStringLiteral("Functions"));
  functions_view_->horizontalHeader()->setSectionsClickable(true);
  functions_view_->setMinimumHeight(kMinTable);
  tables_ = new QStackedWidget;
  tables_->addWidget(table_view_);
  tables_->addWidget(functions_view_);
  column->addWidget(tables_, 1);
  beside_->addWidget(left);
  box_ = new CompareRowBox;
  auto* scroll = scrolled(box_);
  scroll->setMinimumSize(150, kMinTable);
  beside_->addWidget(scroll);
  beside_->setStretchFactor(0, 1);
  beside_->setStretchFactor(1, 0);
  beside_->setSizes({820, 230});
  return beside_;
}

}  // namespace footlight::app
