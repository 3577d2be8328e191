// Collects places slice by slice, and steps through them.
#include "app/views/find_bar.h"

#include "app/models/text.h"

#include <QElapsedTimer>

#include <algorithm>

namespace footlight::app {
namespace {
constexpr qint64 kSliceMs = 12;
constexpr size_t kMaxFound = 1'000'000;
}  // namespace

FindBar::FindBar(Searched* searched, QWidget* focus, QWidget* parent)
    : SearchBar(QStringLiteral("Find"), QStringLiteral("Find"), QStringLiteral("place"), parent), searched_(searched),
      focus_(focus) {
  input()->setMaximumWidth(320);
  row()->addStretch(1);
  slices_.setInterval(0);
  connect(&slices_, &QTimer::timeout, this, &FindBar::slice);
  connect(input(), &QLineEdit::textChanged, this, &FindBar::look);
}

void FindBar::set_searched(Searched* searched, QWidget* focus) {
  if (searched_ != searched) searched_->show_found(nullptr);
  searched_ = searched;
  focus_ = focus;
  if (!isHidden()) look();  // behind another tab, too
}

void FindBar::close_bar() {
  slices_.stop();
  found_.clear();
  hide();
  searched_->show_found(nullptr);
  focus_->setFocus(Qt::OtherFocusReason);
}

void FindBar::text_changed() {
  if (isVisible()) look();
}

void FindBar::look() {
  found_.clear();
  current_ = -1;
  next_row_ = 0;
  if (input()->text().isEmpty()) {
    slices_.stop();
    show_count({}, false);
    searched_->show_found(nullptr);
    return;
  }
  slices_.start();
  slice();
}

void FindBar::slice() {
  QElapsedTimer clock;
  clock.start();
  const QString wanted = input()->text();
  const size_t rows = searched_->search_rows(), from = searched_->search_from();
  for (; next_row_ < rows && found_.size() < kMaxFound; ++next_row_) {
    if ((next_row_ & 0xff) == 0xff && clock.elapsed() >= kSliceMs) break;
    const QString text = searched_->search_text(next_row_);
    for (qsizetype at = 0; (at = text.indexOf(wanted, at, Qt::CaseInsensitive)) >= 0; at += wanted.size())
      found_.push_back({next_row_, at, wanted.size()});
  }
  if (next_row_ >= rows || found_.size() >= kMaxFound) slices_.stop();
  // Go to the first place from the cursor on, as soon as it is known.
  if (current_ < 0 && !found_.empty() && (found_.back().row >= from || !slices_.isActive())) {
    const auto at = std::find_if(found_.begin(), found_.end(), [&](const Found& f) { return f.row >= from; });
    current_ = at == found_.end() ? 0 : at - found_.begin();
    // Not under the hands of somebody who types in what is searched.
    if (!focus_->hasFocus()) searched_->show_found(&found_[static_cast<size_t>(current_)]);
  }
  if (found_.empty() && !slices_.isActive()) searched_->show_found(nullptr);
  show_current();
}

void FindBar::step(int by) {
  if (found_.empty()) return;
  const auto size = static_cast<ptrdiff_t>(found_.size());
  current_ = (current_ + by + size) % size;
  searched_->show_found(&found_[static_cast<size_t>(current_)]);
  show_current();
}

void FindBar::show_current() {
  QString text = found_.empty() ? QStringLiteral("No match")
                                : QStringLiteral("%1 of %2").arg(app::count_text(static_cast<uint64_t>(current_ + 1)),
                                                                 app::count_text(found_.size()));
  if (slices_.isActive()) text = QString::fromUtf8("%1 …").arg(app::count_text(found_.size()));
  show_count(text, !found_.empty());
}

}  // namespace footlight::app
