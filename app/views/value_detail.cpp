// Builds the figures as tiles, and ties slice boxes, heat map and the list of places together.
#include "app/views/value_detail.h"

#include "app/models/text.h"
#include "app/views/layouts.h"
#include "app/views/theme.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>

#include <algorithm>
#include <cmath>
#include <span>

namespace footlight::app {
namespace {

constexpr size_t kMaxPlaces = 8;

// How many places from `first` on are neighbours in the last dimension and hold the same, of the same inputs.
size_t alike_in_row(std::span<const session::ValuePlace> places, size_t first, std::span<const int64_t> sizes) {
  const int64_t columns = sizes.empty() ? 1 : std::max<int64_t>(1, sizes.back());
  size_t count = 1;
  for (; first + count < places.size(); ++count) {
    const session::ValuePlace &before = places[first + count - 1], &next = places[first + count];
    const bool is_neighbour = next.index == before.index + 1 && next.index % columns != 0;
    if (!is_neighbour || next.value != before.value || next.inputs != before.inputs) break;
  }
  return count;
}

// "[2, 0, 3]", or "[2, 0, 3–8]" for several elements of a row.
std::string place_text(std::span<const int64_t> sizes, int64_t index, size_t count) {
  std::string text = explain::place_text(sizes, index);
  if (count < 2) return text;
  text.pop_back();  // the bracket
  const int64_t last = index % std::max<int64_t>(1, sizes.back()) + static_cast<int64_t>(count) - 1;
  return text + "–" + std::to_string(last) + "]";
}

// `of`: said before the name where it is not seen.
QWidget* tile(const QString& name, const QString& value, const QString& tone = {}, const QString& of = {}) {
  auto* made = new QFrame;
  made->setProperty("role", "card");
  made->setAccessibleName(of + name + QLatin1Char(' ') + value);
  auto* column = column_in(made, {8, 5, 8, 5}, 1);
  auto* label = elided_label(name, "faint");
  label->setFont(theme().ui(-2));
  auto* figure = new ElidedLabel(value);
  figure->setFont(theme().code(-1));
  if (!tone.isEmpty()) figure->setStyleSheet(QStringLiteral("color: ") + theme().color(tone).name());
  set_tip(figure, value);
  column->addWidget(label);
  column->addWidget(figure);
  return made;
}

QString count_of(int64_t count);

QString number_of(double v) { return std::isnan(v) ? QString::fromUtf8("–") : q(explain::number_text(v)); }

// The tiles above are of the magnitudes of a complex value; these of its parts, as far as they were kept.
void add_parts(QGridLayout* grid, const session::TensorValue& value) {
  if (!explain::kept_elements(value)) return;
  int row = 3;
  for (const auto& [part, name] : {std::pair(explain::ComplexPart::kReal, "Real parts"),
                                   std::pair(explain::ComplexPart::kImaginary, "Imaginary parts")}) {
    const explain::PartFigures f = explain::figures_of(value, part);
    const QString of = QLatin1String(name) + QStringLiteral(", ");
    const auto red = [](int64_t count) { return count ? QStringLiteral("red") : QString(); };
    grid->addWidget(plain_label(QLatin1String(name), "faint"), row, 0, 1, 4);
    grid->addWidget(tile(QStringLiteral("Minimum"), number_of(f.minimum), {}, of), row + 1, 0, 1, 2);
    grid->addWidget(tile(QStringLiteral("Maximum"), number_of(f.maximum), {}, of), row + 1, 2, 1, 2);
    grid->addWidget(tile(QStringLiteral("Mean"), number_of(f.mean), {}, of), row + 2, 0, 1, 2);
    grid->addWidget(tile(QStringLiteral("NaN"), count_of(f.nan), red(f.nan), of), row + 2, 2);
    grid->addWidget(tile(QStringLiteral("Inf"), count_of(f.infinity), red(f.infinity), of), row + 2, 3);
    row += 3;
  }
}

QString count_of(int64_t count) { return count_text(static_cast<uint64_t>(std::max<int64_t>(0, count))); }

}  // namespace

ValueDetail::ValueDetail(const Document& document, CallValuesPtr call, const session::TensorValue& value,
                         QWidget* parent)
    : QWidget(parent), call_(std::move(call)), value_(value) {
  auto* column = column_in(this, {}, 8);
  const explain::FindNode nodes = find_node(document);
  const QString name = q(explain::value_name(nodes, value));
  const bool bad = explain::not_finite(value) != 0;
  column->addWidget(elided_label(QStringLiteral("Value in call %1").arg(count_text(call_->call)), "group"));
  if (bad || value.runs > 1) {
    QString text = bad ? q(explain::why_not_finite(nodes, value)) + QLatin1Char('.') : QString();
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    if (value.runs > 1)
      text += QStringLiteral(" It ran %1 times; the figures are of run %2.")
                  .arg(count_text(value.runs), count_text(value.run));
    auto* why = plain_label(text.trimmed());
    why->setWordWrap(true);
    why->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (bad) why->setStyleSheet(QStringLiteral("color: ") + theme()["red"].name());
    column->addWidget(why);
  }
  if (explain::is_complex(value))
    column->addWidget(plain_label(QStringLiteral("Magnitudes of complex values"), "faint"));
  auto* grid = new QGridLayout;
  grid->setSpacing(6);
  const auto red = [](int64_t count) { return count ? QStringLiteral("red") : QString(); };
  const auto number = [](double v) {
    return std::isnan(v) ? QString::fromUtf8("–") : q(explain::number_text(v));
  };
  grid->addWidget(tile(QStringLiteral("NaN"), count_of(value.nan), red(value.nan)), 0, 0);
  grid->addWidget(tile(QStringLiteral("+Inf"), count_of(value.positive_infinity), red(value.positive_infinity)), 0, 1);
  grid->addWidget(tile(QStringLiteral("-Inf"), count_of(value.negative_infinity), red(value.negative_infinity)), 0, 2);
  grid->addWidget(tile(QStringLiteral("Zeros"), count_of(value.zeros)), 0, 3);
  grid->addWidget(tile(QStringLiteral("Minimum, finite"), number(value.minimum)), 1, 0, 1, 2);
  grid->addWidget(tile(QStringLiteral("Maximum, finite"), number(value.maximum)), 1, 2, 1, 2);
  grid->addWidget(tile(QStringLiteral("Mean"), number(value.mean)), 2, 0, 1, 2);
  grid->addWidget(tile(QStringLiteral("Standard deviation"), number(value.deviation)), 2, 2, 1, 2);
  for (int c = 0; c < 4; ++c) grid->setColumnStretch(c, 1);
  if (explain::is_complex(value)) add_parts(grid, value);
  column->addLayout(grid);

  const bool one = value.elements == 1;  // the figures say it all
  if (!one) {
    column->addWidget(elided_label(
        QStringLiteral("Histogram of %1 values, log counts").arg(count_of(value.elements)), "faint"));
    auto* histogram = new ValueHistogram;
    histogram->set(&value);
    column->addWidget(histogram);
  }

  map_ = new HeatMap;
  auto* slices = row_in(nullptr, {}, 5);
  slices->addWidget(plain_label(one ? QStringLiteral("One number") : QStringLiteral("Slice"), "group"));
  const ValueSlice whole(value);
  for (size_t d = 0; d < whole.fixed_count(); ++d) {
    auto* box = new QSpinBox;
    box->setRange(0, static_cast<int>(std::clamp<int64_t>(whole.sizes()[d] - 1, 0, INT_MAX)));
    box->setAccessibleName(QStringLiteral("Index of dimension %1").arg(d));
    set_tip(box, QStringLiteral("Index of dimension %1, of %2").arg(d).arg(whole.sizes()[d]));
    connect(box, &QSpinBox::valueChanged, this, [this, d](int index) {
      if (following_) return;
      ValueSlice slice = map_->slice();
      slice.fixed[d] = index;
      map_->set_slice(slice);
    });
    slices->addWidget(box);
    boxes_.push_back(box);
  }
  cursor_ = new ElidedLabel;
  cursor_->setFont(theme().code(-1));
  cursor_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  slices->addWidget(cursor_, 1);
  column->addLayout(slices);
  connect(map_, &HeatMap::moved, this, &ValueDetail::follow_cursor);
  map_->set(&value, name);
  column->addWidget(map_);
  map_->setVisible(!one);
  const int64_t kept = explain::kept_elements(value);
  QString axes = map_->axes_text();
  if (kept && kept < value.elements)
    axes += QStringLiteral(". Only the first %1 of %2 elements were kept")
                .arg(count_of(kept), count_of(value.elements));
  auto* below = plain_label(axes, "faint");
  below->setWordWrap(true);
  below->setVisible(!one);
  column->addWidget(below);

  if (!value.places.empty()) {
    column->addWidget(elided_label(QStringLiteral("Where they are, with the inputs there"), "group"));
    size_t listed = 0;
    for (size_t row = 0; row < kMaxPlaces && listed < value.places.size(); ++row) {
      const session::ValuePlace& place = value.places[listed];
      const size_t alike = alike_in_row(value.places, listed, whole.sizes());
      QString text = q(place_text(whole.sizes(), place.index, alike) + "  " + place.value);
      if (!place.inputs.empty()) text += QStringLiteral("  of ") + q(place.inputs);
      auto* link = new LinkButton(text, true);
      connect(link, &QPushButton::clicked, this, [this, at = place.index] { map_->set_cursor(at); });
      column->addWidget(link);
      listed += alike;
    }
    const int64_t left = explain::not_finite(value) - static_cast<int64_t>(listed);
    if (left > 0)
      column->addWidget(
          plain_label(QStringLiteral("and %1 more; N in the heat map goes on").arg(count_of(left)), "faint"));
  }
  const auto add_link = [&](const char* text, auto&& act) {
    auto* link = new LinkButton(QLatin1String(text), false);
    connect(link, &QPushButton::clicked, this, act);
    column->addWidget(link);
  };
  if (kept == value.elements && kept) {
    const auto copy = [](const QString& text) {
      if (!text.isEmpty()) QGuiApplication::clipboard()->setText(text);
    };
    if (!as_numpy(value).isEmpty()) {
      add_link("Copy as NumPy", [this, copy] { copy(as_numpy(value_)); });
      add_link("Copy as CSV", [this, copy] { copy(as_csv(value_)); });
    }
  }
  add_link("Show all values of the call", [this] { Q_EMIT wants_values(); });
}

void ValueDetail::follow_cursor() {
  following_ = true;
  for (size_t d = 0; d < boxes_.size() && d < map_->slice().fixed.size(); ++d)
    boxes_[d]->setValue(static_cast<int>(map_->slice().fixed[d]));
  following_ = false;
  cursor_->setText(map_->cursor_text());
}

}  // namespace footlight::app
