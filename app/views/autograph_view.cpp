// Chooses the converted function to show and links its two sides line by line.
#include "app/views/autograph_view.h"

#include "app/models/text.h"
#include "app/views/callers_menu.h"
#include "app/views/labels.h"
#include "app/views/layouts.h"
#include "app/views/paint.h"

#include <algorithm>
#include <set>

namespace footlight::app {

Swatch::Swatch(const QString& tone, const QString& text, QWidget* parent) : QWidget(parent), tone_(tone), text_(text) {
  setAccessibleName(text);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize Swatch::sizeHint() const { return {QFontMetrics(theme().ui(-1)).horizontalAdvance(text_) + 26, 20}; }

void Swatch::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  rounded(painter, QRectF(0, height() / 2.0 - 6, 12, 12), 3, theme().color(tone_ + QStringLiteral("Fill")));
  text_in(painter, QRectF(18, 0, width() - 18, height()), text_, theme()["dim"], theme().ui(-1));
}

AutographView::AutographView(const Context& context, QWidget* parent)
    : LeadView(context, new QWidget, parent) {
  auto* rows = new QVBoxLayout(body());
  rows->setContentsMargins(16, 8, 16, 14);
  lead_ = new Lead(Lead::kLine);
  rows->addWidget(lead_);
  auto* columns = row_in(nullptr, {}, 12);

  const auto column = [&](const char* title, QHBoxLayout*& head, CodeView*& view) {
    view = new CodeView;
    columns->addWidget(column_with(card_with(view), QString::fromUtf8(title), 30, &head), 1);
  };
  QHBoxLayout *left = nullptr, *right = nullptr;
  column("Your code", left, source_);
  file_ = elided_label({}, "dim");
  left->addWidget(file_);
  left->setStretchFactor(file_, 1);
  legend_ = new QWidget;
  auto* legend = row_in(legend_, {}, 14);
  legend->addWidget(new Swatch(QStringLiteral("violet"), QStringLiteral("Staged")));
  legend->addWidget(new Swatch(QStringLiteral("teal"), QStringLiteral("Python")));
  legend->addWidget(new Swatch(QStringLiteral("red"), QStringLiteral("Fell back")));
  left->addWidget(legend_);
  column("What runs while tracing", right, generated_);
  generated_title_ = plain_label({}, "faint");
  right->addWidget(generated_title_);
  right->addStretch(1);
  choice_ = new QComboBox;
  choice_->setAccessibleName(QStringLiteral("Converted function"));
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  right->addWidget(choice_);
  find_ = new FindBar(source_, source_);
  rows->addWidget(find_);
  rows->addLayout(columns, 1);
  for (CodeView* view : {source_, generated_}) {
    connect(view, &CodeView::find_asked, this, [this, view] {
      find_->set_searched(view, view);
      find_->open();
    });
    connect(view, &CodeView::scrolled, this, [this, view] { scroll_other(view); });
  }
  source_->set_row_height(26);
  generated_->set_row_height(24);
  generated_->set_dim(true);
  source_->setAccessibleName(QStringLiteral("Your code"));
  generated_->setAccessibleName(QStringLiteral("Generated code"));

  connect(choice_, &QComboBox::activated, this, [this](int index) {
    if (filling_ || index < 0) return;
    code_ = CodeId(choice_->itemData(index).toUInt());
    name_ = choice_->itemText(index).toStdString();
    show_code();
  });
  connect(source_, &CodeView::menu_opening, this, [this](QMenu* menu, int number) {
    const session::GeneratedRecord* code = shown();
    if (!code) return;
    add_callers_menu(menu, document(), {code->file, number}, [this](SourcePlace place) {
      select(Selection::of_line(document(), place));
      Q_EMIT wants_view(QStringLiteral("source"));
    });
  });
  connect(source_, &CodeView::activated, this, [this](int number) {
    const session::GeneratedRecord* code = shown();
    if (!code) return;
    Selection s = Selection::of_line(document(), {code->file, number});
    s.function = function_;
    select(s);
    mark();
    const auto lines = generated_lines_of(document(), s, *code);
    if (!lines.empty()) generated_->reveal(lines.front());
  });
  connect(generated_, &CodeView::activated, this, [this](int number) {
    const session::GeneratedRecord* code = shown();
    if (!code) return;
    Selection s = Selection::of_generated(document(), *code, number);
    s.function = function_;
    select(s);
    mark();
    if (s.place) source_->reveal(s.place.line);
  });
  connect(source_, &CodeView::hovered, this, [this](int number) {
    const session::GeneratedRecord* code = shown();
    QSet<int> lines;
    for (size_t i = 0; code && number && i < code->line_map.size(); ++i) {
      if (code->line_map[i] == number) lines.insert(static_cast<int>(i) + 1);
    }
    generated_->set_hover(lines);
  });
  connect(generated_, &CodeView::hovered, this, [this](int number) {
    const session::GeneratedRecord* code = shown();
    QSet<int> lines;
    if (code && number > 0 && static_cast<size_t>(number) <= code->line_map.size() &&
        code->line_map[static_cast<size_t>(number) - 1] > 0) {
      lines.insert(code->line_map[static_cast<size_t>(number) - 1]);
    }
    source_->set_hover(lines);
  });
  reset();
}

std::vector<const session::GeneratedRecord*> AutographView::choices() const {
  auto all = document().all_generated_of(function_);
  std::set<CodeId> known;
  for (const auto* g : all) known.insert(g->code);
  const std::set<CodeId>& traced = traced_codes();
  for (const session::GeneratedRecord& g : document().generated) {
    if (traced.contains(g.code) && known.insert(g.code).second) all.push_back(&g);
  }
  return all;
}

const std::set<CodeId>& AutographView::traced_codes() const {
  const std::pair now{trace_, document().graphs.size()};
  if (codes_of_ == now) return traced_codes_;
  codes_of_ = now;
  traced_codes_.clear();
  for (const GraphId id : document().graphs_of_trace(trace_)) {
    const session::GraphRecord* graph = document().graph(id);
    for (size_t i = 0; graph && i < graph->nodes.size(); ++i) traced_codes_.insert(graph->nodes[i].source.code);
  }
  return traced_codes_;
}

// The other side comes along when one is scrolled, by the lines that belong together.
void AutographView::scroll_other(CodeView* from) {
  const session::GeneratedRecord* code = shown();
  if (scrolling_ || !code || !from->underMouse()) return;
  scrolling_ = true;
  const auto& map = code->line_map;
  const int first = from->first_shown();
  if (from == source_) {
    const auto at = std::find_if(map.begin(), map.end(), [&](int line) { return line >= first; });
    if (at != map.end()) generated_->show_first(static_cast<int>(at - map.begin()) + 1);
  } else {
    for (size_t i = static_cast<size_t>(std::max(0, first - 1)); i < map.size(); ++i) {
      if (map[i] <= 0) continue;
      source_->show_first(map[i]);
      break;
    }
  }
  scrolling_ = false;
}

const session::GeneratedRecord* AutographView::shown() const {
  for (const session::GeneratedRecord* g : choices()) {
    if (g->code == code_ && (name_.empty() || g->name == name_)) return g;
  }
  return document().generated_of(function_);
}

void AutographView::resizeEvent(QResizeEvent*) { legend_->setVisible(width() > 820); }

void AutographView::fill_choices() {
  filling_ = true;
  choice_->clear();
  const auto all = choices();
  for (const session::GeneratedRecord* g : all) {
    choice_->addItem(q(g->name), g->code.value);
    const int line = g->statements.empty() ? 0 : g->statements.front().line;
    choice_->setItemData(choice_->count() - 1, plain_tip(document().place_text({g->file, line})), Qt::ToolTipRole);
  }
  choice_->setVisible(all.size() > 1);
  const session::GeneratedRecord* now = shown();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == now) choice_->setCurrentIndex(static_cast<int>(i));
  }
  filling_ = false;
}

void AutographView::reset() {
  function_ = {};
  trace_ = {};
  code_ = {};
  codes_of_ = {};
  name_.clear();
  follow_selection();
  show_code();
}

void AutographView::refresh() {
  if (!shown()) say_nothing(nothing_to_show(document(), current(), LeadFor::kAutograph));
  if (pieces_ == document().generated.size() && decisions_ == document().decisions.size()) return;
  show_code();
}

void AutographView::show_code() {
  pieces_ = document().generated.size();
  decisions_ = document().decisions.size();
  const session::GeneratedRecord* code = shown();
  show_body(code != nullptr);
  if (!code) {
    say_nothing(nothing_to_show(document(), current(), LeadFor::kAutograph));
    return;
  }
  const session::FileRecord* file = document().file(code->file);
  file_->setText(file ? file_name(file->path) : QString());
  source_->set_lines(function_lines(document(), *code, current().trace));
  generated_->set_lines(generated_lines(*code));
  find_->text_changed();
  generated_title_->setText(counted(generated_->lines().size(), "line", "lines"));
  fill_choices();
  mark();
}

void AutographView::mark() {
  const session::GeneratedRecord* code = shown();
  if (!code) return;
  const SourcePlace place = place_of(document(), current());
  const bool own = current().kind != Selection::Kind::kFunction && current().kind != Selection::Kind::kTrace;
  QSet<int> mine;
  if (own && place && place.file == code->file) mine.insert(place.line);
  // A line of a function that was not converted, such as a layer's, is not among those shown.
  const auto is_at = [&](const CodeLine& line) { return line.number == place.line; };
  const bool is_shown = place.file == code->file && std::ranges::any_of(source_->lines(), is_at);
  if (own && place && !is_shown)
    lead_->say({QStringLiteral("%1 is not in %2, which is shown here").arg(document().place_text(place), q(code->name)),
                QStringLiteral("amber"), {}, {}});
  else
    lead_->say(autograph_lead(source_->lines()));
  source_->set_marks(mine);
  QSet<int> theirs;
  if (own) {
    for (int line : generated_lines_of(document(), current(), *code)) theirs.insert(line);
  }
  generated_->set_marks(theirs);
}

void AutographView::follow_selection() {
  if (context_.selection->source() == this) {
    mark();
    return;
  }
  const bool another = current().function != function_ || current().trace != trace_;
  if (current().function != function_) code_ = {}, name_.clear();
  function_ = current().function;
  trace_ = current().trace;
  // The line is in another converted function that this one calls: show that one.
  const SourcePlace place = place_of(document(), current());
  bool other_piece = false;
  if (place && current().kind != Selection::Kind::kTrace && current().kind != Selection::Kind::kFunction) {
    for (const session::GeneratedRecord* g : choices()) {
      if (g->file != place.file || !statement_at(*g, place.line) || g == shown()) continue;
      const session::GeneratedRecord* now = shown();
      if (now && now->file == place.file && statement_at(*now, place.line)) continue;
      code_ = g->code;
      name_ = g->name;
      other_piece = true;
    }
  }
  if (another || other_piece) {
    show_code();
  } else {
    mark();
  }
  if (place) source_->reveal(place.line);
  if (const session::GeneratedRecord* code = shown()) {
    const auto lines = generated_lines_of(document(), current(), *code);
    if (!lines.empty()) generated_->reveal(lines.front());
  }
}

}  // namespace footlight::app
