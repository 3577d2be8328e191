// Texts of the rows, made when they are shown: there may be many.
#include "app/models/diff_list.h"

#include <algorithm>

namespace footlight::app {

DiffList::DiffList(QObject* parent) : TableOf(parent) {
  const auto always = [](DiffPlace) { return true; };
  const auto tone_of = [this](DiffPlace place) { return tone(place); };
  set_columns({
      {.name = "state", .text = [this](DiffPlace place) { return q(name_of(diff_->entry(place).state)); },
       .tone = tone_of, .is_prose = always},
      {.name = "op", .text = [this](DiffPlace place) { return q(node(place).op); }, .is_prose = always},
      {.name = "node",
       .text = [this](DiffPlace place) {
         const session::NodeRecord *l = diff_->node(place, true), *r = diff_->node(place, false);
         const QString inside = diff_->inside(place.pair);
         QString name = q(node(place).name);
         if (l && r && l->name != r->name) name = q(l->name) + QStringLiteral(" = ") + name;
         return inside.isEmpty() ? name : name + QStringLiteral(" in ") + inside;
       }},
      {.name = "line",
       .text = [this](DiffPlace place) { return document_->place_text(document_->place(node(place).source)); },
       .tone = [](DiffPlace) { return QStringLiteral("blue"); }},
      {.name = "what changed", .text = [this](DiffPlace place) { return diff_->what_changed(place); },
       .tone = [this](DiffPlace place) { return diff_->entry(place).follows ? QString() : tone(place); }},
  });
  spoken_ = Spoken::kRow;
  tips_ = true;
}

void DiffList::set_diff(const Document* document, std::shared_ptr<const GraphsDiff> diff) {
  reset([&] {
    document_ = document;
    diff_ = std::move(diff);
  });
}

std::span<const DiffPlace> DiffList::rows() const {
  return diff_ ? std::span(diff_->differences()) : std::span<const DiffPlace>();
}

int DiffList::row_of(DiffPlace place) const {
  const auto all = rows();
  const auto at = std::lower_bound(all.begin(), all.end(), place);
  return at == all.end() || *at != place ? -1 : static_cast<int>(at - all.begin());
}

// The node on the right, or the one on the left if it has no counterpart.
const session::NodeRecord& DiffList::node(DiffPlace place) const {
  const session::NodeRecord* const right = diff_->node(place, false);
  return right ? *right : *diff_->node(place, true);
}

QString DiffList::tone(DiffPlace place) const {
  const explain::NodeDiff& entry = diff_->entry(place);
  return entry.state == explain::NodeState::kOnlyLeft    ? QStringLiteral("red")
         : entry.state == explain::NodeState::kOnlyRight ? QStringLiteral("green")
         : entry.follows                                 ? QStringLiteral("dim")
                                                         : QStringLiteral("amber");
}

}  // namespace footlight::app
