// Paints the tree's rows and connects them to the selection.
#include "app/views/navigator_panel.h"

#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/paint.h"

#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QShortcut>
#include <QStyledItemDelegate>

namespace footlight::app {
namespace {

class NavigatorDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
    return {100, index.data(NavigatorModel::kKind).toInt() >= NavigatorModel::kPage ? 24 : 25};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& t = theme();
    painter->save();
    const auto* view = static_cast<const QTreeView*>(option.widget);
    QRectF row(option.rect);
    row.setLeft(6);
    row.setRight(view->viewport()->width() - 6);
    const bool chosen = option.state & QStyle::State_Selected;
    if (chosen) rounded(*painter, row.adjusted(0, 1, 0, -1), 5, t["selection"]);
    else if (option.state & QStyle::State_MouseOver) rounded(*painter, row.adjusted(0, 1, 0, -1), 5, t["hover"]);
    if (view->hasFocus() && index == view->currentIndex()) {
      rounded(*painter, row.adjusted(0.5, 1.5, -0.5, -1.5), 5, {}, with_alpha(t["focus"], 0.8));
    }
    const QString text = index.data().toString();
    switch (index.data(NavigatorModel::kKind).toInt()) {
      case NavigatorModel::kRun: {
        const bool current = index.data(NavigatorModel::kAttention).toBool();
        triangle(*painter, QPointF(row.left() + 12, row.center().y()), current && view->isExpanded(index),
                 current ? t["dim"] : t["faint"]);
        text_in(*painter, row.adjusted(22, 0, -6, 0), text, current ? t["text"] : t["dim"], t.ui());
        break;
      }
      case NavigatorModel::kFunction: {
        const QString detail = index.data(NavigatorModel::kDetail).toString();
        const QFont small = t.ui(-2);
        const double width = QFontMetricsF(small).horizontalAdvance(detail) + 4;
        if (index.model()->hasChildren(index))
          triangle(*painter, QPointF(row.left() + 7, row.center().y()), view->isExpanded(index), t["faint"]);
        painter->setPen(Qt::NoPen);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setBrush(t.color(index.data(NavigatorModel::kColour).toString() + QStringLiteral("Fill")));
        painter->drawEllipse(QPointF(row.left() + 18, row.center().y()), 4, 4);
        text_in(*painter, row.adjusted(30, 0, -width - 16, 0), text, t["text"], t.ui(0, QFont::DemiBold));
        text_in(*painter, QRectF(row.right() - width - 8, row.top(), width + 2, row.height()), detail,
                t["dim"], small, Qt::AlignRight | Qt::AlignVCenter);
        break;
      }
      case NavigatorModel::kLibrary: {
        const bool shown = static_cast<const NavigatorModel*>(index.model())->library_is_shown();
        triangle(*painter, QPointF(row.left() + 7, row.center().y()), shown, t["faint"]);
        const QString detail = index.data(NavigatorModel::kDetail).toString();
        const double width = QFontMetricsF(t.ui(-2)).horizontalAdvance(detail) + 4;
        text_in(*painter, row.adjusted(30, 0, -width - 16, 0), text, t["dim"], t.ui());
        text_in(*painter, QRectF(row.right() - width - 8, row.top(), width + 2, row.height()), detail, t["faint"],
                t.ui(-2), Qt::AlignRight | Qt::AlignVCenter);
        break;
      }
      case NavigatorModel::kPage: {
        const bool failed = index.data(NavigatorModel::kColour).toString() == QStringLiteral("red");
        triangle(*painter, QPointF(row.left() + 24, row.center().y()), view->isExpanded(index), t["faint"]);
        const double width = QFontMetricsF(t.code()).horizontalAdvance(text) + 12;
        text_in(*painter, row.adjusted(36, 0, -6, 0), text, failed ? t["red"] : t["dim"], t.code());
        text_in(*painter, row.adjusted(36 + width, 0, -6, 0), index.data(NavigatorModel::kDetail).toString(),
                t["faint"], t.code());
        break;
      }
      default: {
        const bool failed = index.data(NavigatorModel::kColour).toString() == QStringLiteral("red");
        const bool on_page = index.parent().data(NavigatorModel::kKind).toInt() == NavigatorModel::kPage;
        text_in(*painter, row.adjusted(on_page ? 48 : 36, 0, -6, 0), text,
                failed   ? t["red"]
                : chosen ? t["text"]
                         : t["dim"],
                t.code());
      }
    }
    painter->restore();
  }
};

// Draws no branches, so rows have the full width; the delegate draws the triangles.
class Tree : public QTreeView {
 public:
  using QTreeView::QTreeView;

 protected:
  // A function's triangle opens it without choosing it; a page has nothing to choose.
  void mousePressEvent(QMouseEvent* event) override {
    constexpr int kTriangle = 20;
    const QModelIndex index = indexAt(event->pos());
    const int kind = index.isValid() ? index.data(NavigatorModel::kKind).toInt() : NavigatorModel::kRun;
    const bool on_triangle = event->pos().x() < kTriangle && model()->hasChildren(index);
    if (kind == NavigatorModel::kLibrary && event->button() == Qt::LeftButton) {
      setCurrentIndex(index);
      auto* navigator = static_cast<NavigatorModel*>(model());
      return navigator->show_library(!navigator->library_is_shown());
    }
    const bool toggles = kind == NavigatorModel::kPage || (kind == NavigatorModel::kFunction && on_triangle);
    if (event->button() != Qt::LeftButton || !toggles) return QTreeView::mousePressEvent(event);
    setExpanded(index, !isExpanded(index));
    viewport()->update();
  }
  void drawBranches(QPainter*, const QRect&, const QModelIndex&) const override {}
  void drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem own(option);
    own.rect = QRect(0, option.rect.top(), viewport()->width(), option.rect.height());
    own.widget = this;
    if (selectionModel()->isSelected(index)) own.state |= QStyle::State_Selected;
    if (underMouse() && indexAt(viewport()->mapFromGlobal(QCursor::pos())) == index)
      own.state |= QStyle::State_MouseOver;
    else own.state &= ~QStyle::State_MouseOver;
    itemDelegate()->paint(painter, own, index);
  }
};

}  // namespace

NavigatorPanel::NavigatorPanel(const Context& context, QWidget* parent) : View(context, parent), model_(this) {
  setObjectName(QStringLiteral("navigator"));
  setAttribute(Qt::WA_StyledBackground);
  auto* column = column_in(this, {0, 12, 1, 4}, 4);
  QLabel* caption = plain_label(QStringLiteral("RECORDINGS"), "caption");
  caption->setContentsMargins(14, 0, 0, 0);
  column->addWidget(caption);
  tree_ = new Tree;
  tree_->setModel(&model_);
  tree_->setItemDelegate(new NavigatorDelegate(tree_));
  tree_->setHeaderHidden(true);
  tree_->setRootIsDecorated(false);
  tree_->setIndentation(0);
  tree_->setMouseTracking(true);
  tree_->setFrameShape(QFrame::NoFrame);
  tree_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  tree_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  tree_->setUniformRowHeights(false);
  tree_->setExpandsOnDoubleClick(true);
  tree_->setAccessibleName(QStringLiteral("Recordings, functions and traces"));
  column->addWidget(tree_, 1);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(tree_, &QTreeView::customContextMenuRequested, this, [this](const QPoint& at) {
    // Refers to the current row if the keyboard opened the menu.
    const QModelIndex under = tree_->indexAt(at);
    show_menu(under.isValid() ? under : tree_->currentIndex(), tree_->viewport()->mapToGlobal(at));
  });
  const auto key = [this](Qt::Key code, auto&& act) {
    connect(new QShortcut(QKeySequence(code), tree_, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated, this,
            [this, act] {
              const QModelIndex at = tree_->currentIndex();
              if (at.isValid() && at.data(NavigatorModel::kKind).toInt() == NavigatorModel::kRun)
                (this->*act)(at.data(NavigatorModel::kPath).toString(), at.data().toString());
            });
  };
  key(Qt::Key_F2, &NavigatorPanel::rename_asked);
  key(Qt::Key_Delete, &NavigatorPanel::delete_asked);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& now) { choose(now); });
  connect(tree_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    if (index.data(NavigatorModel::kKind).toInt() == NavigatorModel::kRun &&
        !index.data(NavigatorModel::kAttention).toBool()) {
      Q_EMIT run_chosen(index.data(NavigatorModel::kPath).toString());
    } else {
      choose(index);
    }
  });
  connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    if (index.data(NavigatorModel::kKind).toInt() == NavigatorModel::kRun &&
        !index.data(NavigatorModel::kAttention).toBool()) {
      Q_EMIT run_chosen(index.data(NavigatorModel::kPath).toString());
    } else if (index.data(NavigatorModel::kKind).toInt() == NavigatorModel::kPage) {
      tree_->setExpanded(index, !tree_->isExpanded(index));
    } else if (index.data(NavigatorModel::kKind).toInt() == NavigatorModel::kLibrary) {
      model_.show_library(!model_.library_is_shown());
    }
  });
}

void NavigatorPanel::show_menu(const QModelIndex& index, const QPoint& at) {
  const int kind = index.isValid() ? index.data(NavigatorModel::kKind).toInt() : NavigatorModel::kPage;
  if (kind == NavigatorModel::kPage || kind == NavigatorModel::kLibrary) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QString path = index.data(NavigatorModel::kPath).toString(), title = index.data().toString();
  if (index.data(NavigatorModel::kKind).toInt() == NavigatorModel::kRun) {
    menu->addAction(QStringLiteral("Open"), this, [this, path] { Q_EMIT run_chosen(path); });
    menu->addAction(QStringLiteral("Compare with the open recording"), this,
                    [this, path] { Q_EMIT compare_asked(path); });
    menu->addAction(QString::fromUtf8("Rename …"), this, [this, path, title] { Q_EMIT rename_asked(path, title); });
    menu->addAction(QString::fromUtf8("Delete …"), this, [this, path, title] { Q_EMIT delete_asked(path, title); });
  } else {
    const QPersistentModelIndex row(index);
    const auto go = [&](const QString& text, const QString& view) {
      menu->addAction(text, this, [this, row, view] {
        choose(row);
        Q_EMIT wants_view(view);
      });
    };
    go(QStringLiteral("Why it was traced"), QStringLiteral("retraces"));
    go(QStringLiteral("Show the graph"), QStringLiteral("graph"));
    go(QStringLiteral("Show the generated code"), QStringLiteral("autograph"));
    go(QStringLiteral("Show the source"), QStringLiteral("source"));
  }
  menu->popup(at);
}

void NavigatorPanel::choose(const QModelIndex& index) {
  if (following_ || !index.isValid()) return;
  switch (index.data(NavigatorModel::kKind).toInt()) {
    case NavigatorModel::kFunction:
      select(Selection::of_function(document(), FunctionId(index.data(NavigatorModel::kFunctionId).toUInt())));
      break;
    case NavigatorModel::kPage:
    case NavigatorModel::kLibrary:
      break;
    case NavigatorModel::kTrace:
      select(Selection::of_trace(document(), TraceId(index.data(NavigatorModel::kTraceId).toUInt())));
      break;
    default: {
      if (!index.data(NavigatorModel::kAttention).toBool()) return;
      Selection s;
      s.kind = Selection::Kind::kRun;
      select(s);
    }
  }
}

void NavigatorPanel::set_runs(std::vector<RunEntry> earlier) {
  following_ = true;
  model_.set_runs(std::move(earlier));
  following_ = false;
  open_rows();
}

void NavigatorPanel::open_rows() {
  following_ = true;
  const QModelIndex run = model_.index_of_run();
  tree_->expand(run);
  // Folds functions without unexpected traces if the program has hundreds of functions.
  for (int i = 0; i < model_.rowCount(run); ++i) {
    const QModelIndex function = model_.index(i, 0, run);
    if (i < 4 && model_.rowCount(function) <= 40) tree_->expand(function);
  }
  following_ = false;
  follow_selection();
}

void NavigatorPanel::reset() {
  following_ = true;
  model_.set_document(context_.session->is_open() ? &document() : nullptr);
  following_ = false;
  open_rows();
}

void NavigatorPanel::refresh() {
  const int before = model_.rowCount(model_.index_of_run());
  following_ = true;
  model_.refresh();
  following_ = false;
  if (model_.rowCount(model_.index_of_run()) != before) open_rows();
}

void NavigatorPanel::follow_selection() {
  following_ = true;
  const Selection& s = current();
  QModelIndex wanted = s.kind == Selection::Kind::kRun ? model_.index_of_run()
                       : s.kind == Selection::Kind::kFunction ? model_.index_of(s.function)
                                                              : model_.index_of(s.function, s.trace);
  if (wanted.isValid()) {
    if (tree_->currentIndex() != wanted) {
      tree_->setCurrentIndex(wanted);
      tree_->scrollTo(wanted);
    }
  } else {
    tree_->selectionModel()->clear();
  }
  following_ = false;
}

}  // namespace footlight::app
