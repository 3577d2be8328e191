// Shows the hits under the query and runs the chosen one.
#include "app/views/command_palette.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/paint.h"

#include <QApplication>
#include <QGraphicsDropShadowEffect>
#include <QKeyEvent>
#include <QStyledItemDelegate>

namespace footlight::app {
namespace {

constexpr int kDetail = Qt::UserRole, kKindRole = Qt::UserRole + 1, kIsOff = Qt::UserRole + 2;

class HitDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {100, 30}; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& t = theme();
    painter->save();
    const QRectF row = QRectF(option.rect).adjusted(6, 1, -6, -1);
    if (option.state & QStyle::State_Selected) rounded(*painter, row, 5, t["selection"]);
    const auto kind = static_cast<SearchHit::Kind>(index.data(kKindRole).toInt());
    static const char* const words[] = {"command", "function", "trace", "node", "source", "console"};
    static const char* const tones[] = {"faint", "amber", "amber", "violet", "blue", "teal"};
    const size_t at = static_cast<size_t>(kind);
    text_in(*painter, row.adjusted(10, 0, 0, 0), QLatin1String(words[at]), t[tones[at]], t.ui(-2));
    const QString detail = index.data(kDetail).toString();
    const double width = std::min(QFontMetricsF(t.ui(-1)).horizontalAdvance(detail) + 4, row.width() * 0.4);
    const bool code = kind != SearchHit::Kind::kCommand;
    text_in(*painter, row.adjusted(78, 0, -width - 20, 0), index.data().toString(),
            t[index.data(kIsOff).toBool() ? "faint" : "text"],
            code ? t.code() : t.ui());
    text_in(*painter, QRectF(row.right() - width - 10, row.top(), width, row.height()), detail, t["dim"],
            t.ui(-1), Qt::AlignRight | Qt::AlignVCenter);
    painter->restore();
  }
};

}  // namespace

CommandPalette::CommandPalette(QWidget* window) : QFrame(window) {
  setObjectName(QStringLiteral("palette"));
  setAccessibleName(QStringLiteral("Search and commands"));
  auto* shadow = new QGraphicsDropShadowEffect(this);
  shadow->setBlurRadius(36);
  shadow->setOffset(0, 8);
  shadow->setColor(QColor(0, 0, 0, 130));
  setGraphicsEffect(shadow);
  auto* column = column_in(this, {1, 1, 1, 6}, 4);
  input_ = new QLineEdit;
  input_->setPlaceholderText(QString::fromUtf8("Search functions, ops, shapes, source …   > for commands"));
  input_->setAccessibleName(QStringLiteral("Search"));
  input_->installEventFilter(this);
  column->addWidget(input_);
  list_ = new QListView;
  list_->setModel(&model_);
  list_->setItemDelegate(new HitDelegate(list_));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setAccessibleName(QStringLiteral("Search results"));
  nothing_ = plain_label();
  nothing_->setContentsMargins(16, 14, 16, 0);
  nothing_->setAlignment(Qt::AlignTop);
  nothing_->setWordWrap(true);
  column->addWidget(nothing_);
  column->addWidget(list_, 1);
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) {
    list_->setCurrentIndex(index);
    accept();
  });
  window->installEventFilter(this);
  hide();
}

void CommandPalette::open(std::function<std::vector<SearchHit>(const QString&)> find,
                          std::function<void(const SearchHit&)> run, const QString& query) {
  if (QWidget* now = QApplication::focusWidget(); now && now != input_) before_ = now;
  find_ = std::move(find);
  run_ = std::move(run);
  input_->setText(query);
  fill();
  place();
  show();
  raise();
  input_->setFocus(Qt::ShortcutFocusReason);
  input_->selectAll();
}

void CommandPalette::place() {
  const int width = std::min(680, parentWidget()->width() - 60);
  setGeometry((parentWidget()->width() - width) / 2, 52, width, std::min(470, parentWidget()->height() - 90));
}

void CommandPalette::fill() {
  if (!find_) return;
  hits_ = find_(input_->text());
  model_.clear();
  for (const SearchHit& hit : hits_) {
    auto* item = new QStandardItem(hit.text);
    item->setData(hit.why_not.isEmpty() ? hit.detail : QStringLiteral("not for this recording"), kDetail);
    item->setData(!hit.why_not.isEmpty(), kIsOff);
    if (!hit.why_not.isEmpty()) {
      item->setData(plain_tip(hit.why_not), Qt::ToolTipRole);
      item->setAccessibleText(hit.text + QStringLiteral(", not for this recording"));
    }
    item->setData(static_cast<int>(hit.kind), kKindRole);
    item->setEditable(false);
    model_.appendRow(item);
  }
  nothing_->setVisible(hits_.empty());
  const QString asked = input_->text().trimmed();
  nothing_->setText(asked.isEmpty() ? QStringLiteral("Type a function, an op, a shape, or a word of the source.")
                                    : QStringLiteral("No results for “%1”.").arg(asked));
  if (model_.rowCount()) list_->setCurrentIndex(model_.index(0, 0));
}

void CommandPalette::accept() {
  const int row = list_->currentIndex().row();
  if (row < 0 || static_cast<size_t>(row) >= hits_.size()) return;
  const SearchHit hit = hits_[static_cast<size_t>(row)];
  leave();
  if (run_) run_(hit);
}

void CommandPalette::leave() {
  hide();
  if (before_ && before_->isVisible()) before_->setFocus(Qt::OtherFocusReason);
  else parentWidget()->setFocus();
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event) {
  if (object == input_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const int row = list_->currentIndex().row(), last = model_.rowCount() - 1;
    const auto go = [&](int to) { list_->setCurrentIndex(model_.index(std::clamp(to, 0, std::max(0, last)), 0)); };
    switch (key->key()) {
      case Qt::Key_Down: go(row + 1); return true;
      case Qt::Key_Up: go(row - 1); return true;
      case Qt::Key_PageDown: go(row + 10); return true;
      case Qt::Key_PageUp: go(row - 10); return true;
      case Qt::Key_Return:
      case Qt::Key_Enter: accept(); return true;
      case Qt::Key_Escape: leave(); return true;
      default: break;
    }
  }
  if (object == input_ && event->type() == QEvent::FocusOut) hide();
  if (object == parentWidget() && event->type() == QEvent::Resize && isVisible()) place();
  return QFrame::eventFilter(object, event);
}

}  // namespace footlight::app
