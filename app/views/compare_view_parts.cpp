// The widgets of the Compare tab.
#include "app/models/compare_export.h"
#include "app/views/compare_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QVBoxLayout>

namespace footlight::app {
namespace {

constexpr int kMinBars = 108, kMinTable = 120;

// Both ways to compare, under each other.
QWidget* start_page(QWidget* start, QWidget* sides) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 16);
  column->addWidget(start, 3);
  sides->setMaximumWidth(620);
  auto* across = new QHBoxLayout;
  across->setContentsMargins(12, 0, 12, 0);
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

CompareView::CompareView(const Context& context, QWidget* parent) : View(context, parent), table_(this) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  pages_ = new QStackedWidget;
  outer->addWidget(pages_);
  start_ = new CompareStart;
  sides_ = new CompareSides;
  pages_->addWidget(start_page(start_, sides_));
  auto* body = new QWidget;
  page_ = new QScrollArea;
  page_->setWidget(body);
  page_->setWidgetResizable(true);
  page_->setFrameShape(QFrame::NoFrame);
  page_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  page_->setFocusPolicy(Qt::NoFocus);
  pages_->addWidget(page_);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(20, 12, 20, 6);
  column->setSpacing(8);
  build_head(column);
  down_ = new QSplitter(Qt::Vertical);
  down_->setHandleWidth(8);
  down_->setChildrenCollapsible(false);
  waterfall_ = new WaterfallCanvas;
  waterfall_->setMinimumHeight(kMinBars);
  meaning_ = new ElidedLabel;
  meaning_->setProperty("role", "faint");
  auto* bars = new QFrame;
  bars->setProperty("role", "card");
  auto* bars_column = new QVBoxLayout(bars);
  bars_column->setContentsMargins(4, 4, 4, 4);
  bars_column->setSpacing(0);
  bars_column->addWidget(waterfall_, 1);
  auto* below = new QHBoxLayout;
  below->setContentsMargins(12, 0, 12, 2);
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
  auto* head = new QHBoxLayout;
  head->setSpacing(10);
  title_ = new ElidedLabel;
  title_->setProperty("role", "heading");
  head->addWidget(title_);
  how_ = new ElidedLabel;
  how_->setProperty("role", "dim");
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
  export_->addAction(QStringLiteral("Copy the table as CSV"), this, [this] { copy(csv_of(table_)); });
  export_->addAction(QStringLiteral("Copy the table as Markdown"), this, [this] { copy(markdown_of(table_)); });
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
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(4, 4, 4, 4);
  timelines_ = new CompareTimelines;
  lanes_ = new QScrollArea;
  lanes_->setWidget(timelines_);
  lanes_->setWidgetResizable(true);
  lanes_->setFrameShape(QFrame::NoFrame);
  lanes_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  lanes_->setFocusPolicy(Qt::NoFocus);
  column->addWidget(lanes_);
  return card;
}

QWidget* CompareView::build_table() {
  beside_ = new QSplitter(Qt::Horizontal);
  beside_->setHandleWidth(8);
  beside_->setChildrenCollapsible(false);
  auto* left = new QWidget;
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(plain_label(QStringLiteral("Op by op"), "strong"));
  totals_ = new ElidedLabel;
  totals_->setProperty("role", "dim");
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
  table_view_ = new Table;
  table_view_->setModel(&table_);
  table_view_->setAccessibleName(QStringLiteral("Op by op"));
  table_view_->horizontalHeader()->setSectionsClickable(true);
  table_view_->setMinimumHeight(kMinTable);
  column->addWidget(table_view_, 1);
  beside_->addWidget(left);
  box_ = new CompareRowBox;
  auto* scroll = new QScrollArea;
  scroll->setWidget(box_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setMinimumSize(150, kMinTable);
  beside_->addWidget(scroll);
  beside_->setStretchFactor(0, 1);
  beside_->setStretchFactor(1, 0);
  beside_->setSizes({820, 230});
  return beside_;
}

}  // namespace footlight::app
