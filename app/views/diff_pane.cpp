// Plans, marks and lays out its part of the diff; boxes open and close as in the Graph view.
#include "app/views/diff_pane.h"

#include "app/views/labels.h"
#include "app/views/layouts.h"

namespace footlight::app {

DiffPane::DiffPane(QWidget* parent) : QFrame(parent), layout_(this) {
  setProperty("role", "card");
  auto* column = column_in(this, {1, 8, 1, 1}, 6);
  auto* head = row_in(nullptr, {14, 0, 14, 0}, 14);
  title_ = elided_label({}, "strong");
  detail_ = elided_label({}, "dim");
  head->addWidget(title_);
  head->addWidget(detail_, 1);
  column->addLayout(head);
  canvas_ = new GraphCanvas;
  canvas_->set_surface("panel");
  column->addWidget(canvas_, 1);

  connect(&layout_, &GraphLayout::finished, this, [this](const GraphPlan& plan) {
    canvas_->set_busy(false);
    canvas_->set_plan(plan, keep_, another_);
    another_ = false;
    mark_chosen();
  });
  connect(canvas_, &GraphCanvas::box_activated, this, [this](int box) {
    const PlanBox& b = canvas_->plan().boxes[static_cast<size_t>(box)];
    canvas_->set_selected({box});
    if (b.kind != PlanBox::Kind::kNode) return;
    if (const auto place = place_of_node(*diff_, b.graph, b.node, part_)) Q_EMIT place_chosen(*place, part_);
  });
  connect(canvas_, &GraphCanvas::box_toggled, this, [this](int box) {
    const PlanBox& b = canvas_->plan().boxes[static_cast<size_t>(box)];
    if (b.kind == PlanBox::Kind::kScope) options_.folded.remove(b.key);
    else if (!options_.opened.remove(b.key)) options_.opened.insert(b.key);
    lay_out(b.key);
  });
  connect(canvas_, &GraphCanvas::cluster_toggled, this, [this](int cluster) {
    options_.folded.insert(canvas_->plan().clusters[static_cast<size_t>(cluster)].key);
    lay_out({});
  });
}

GraphId DiffPane::root() const {
  switch (part_) {
    case DiffPart::kLeft: return diff_->left();
    case DiffPart::kRight: return diff_->right();
    case DiffPart::kMerged: return diff_->merged_root();
    case DiffPart::kChanges: break;
  }
  return diff_->changes_root();
}

void DiffPane::show_part(std::shared_ptr<const GraphsDiff> diff, const Records& records, DiffPart part,
                         const QString& title, const QString& detail) {
  title_->setText(title);
  detail_->setText(detail);
  canvas_->setAccessibleName(title + QLatin1Char(' ') + detail);
  if (diff_ == diff && part_ == part) return;
  another_ = diff_ != diff || part_ != part;
  diff_ = std::move(diff);
  records_ = records();
  part_ = part;
  chosen_.reset();
  options_ = options_to_see(*diff_, *records_, root(), part_);
  const bool nothing = part_ == DiffPart::kChanges && diff_->differences().empty();
  canvas_->set_message(nothing ? QStringLiteral("Nothing differs.") : QString());
  lay_out({});
}

void DiffPane::clear(const QString& message) {
  layout_.cancel();
  diff_.reset();
  records_.reset();
  chosen_.reset();
  title_->clear();
  detail_->clear();
  canvas_->set_busy(false);
  canvas_->set_plan({}, {}, true);
  canvas_->set_message(message);
}

void DiffPane::lay_out(const QString& keep) {
  keep_ = keep;
  canvas_->set_busy(true);
  layout_.start_making([records = records_, diff = diff_, graph = root(), options = options_,
                        part = part_](const std::function<void()>& go_on) {
    GraphPlan plan = plan_graph(*records, graph, options, go_on);
    mark_plan(plan, *diff, part);
    return plan;
  });
}

void DiffPane::choose(std::optional<DiffPlace> place, bool reveal) {
  if (!diff_) return;
  chosen_ = place;
  reveal_ = reveal;
  if (place && reveal) {
    GraphOptions open = options_;
    open_way_to(open, *diff_, *place, part_);
    if (open != options_) {
      options_ = std::move(open);
      lay_out({});
      return;
    }
  }
  if (!layout_.running()) mark_chosen();
}

void DiffPane::mark_chosen() {
  const auto box_of = [this](const std::optional<PartNode>& at) {
    if (!at) return -1;
    const int box = canvas_->plan().box_of(at->graph, at->node);
    return box >= 0 ? box : scope_around(canvas_->plan(), *at);
  };
  const int box = chosen_ ? box_of(node_in(*diff_, *chosen_, part_)) : -1;
  canvas_->set_selected(box >= 0 ? QSet<int>{box} : QSet<int>());
  if (reveal_ && box >= 0) {
    canvas_->reveal_selected();
  } else if (reveal_ && chosen_) {
    // It is only in the other graph: show where it would be.
    DiffPlace before = *chosen_;
    while (before.entry > 0 && !node_in(*diff_, before, part_)) --before.entry;
    const int near = box_of(node_in(*diff_, before, part_));
    if (near >= 0) canvas_->centre_on(canvas_->plan().boxes[static_cast<size_t>(near)].rect.center());
  }
  reveal_ = false;
}

}  // namespace footlight::app
