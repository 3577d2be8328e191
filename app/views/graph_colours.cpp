// Families and dtypes have fixed colours, devices one each; times and sizes are shades of one.
#include "app/views/graph_colours.h"

#include "app/models/text.h"
#include "app/views/paint.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace footlight::app {
namespace {

constexpr const char* kDeviceTones[] = {"blue", "green", "violet", "pink", "teal"};
constexpr const char* kHeat = "violet";

// Shades must differ where costs span orders of magnitude.
double shade(double share) { return std::sqrt(share); }

}  // namespace

QString name_of(GraphColour colour) {
  switch (colour) {
    case GraphColour::kOp: return QStringLiteral("op");
    case GraphColour::kDevice: return QStringLiteral("device");
    case GraphColour::kTime: return QStringLiteral("time");
    case GraphColour::kMemory: return QStringLiteral("memory");
    case GraphColour::kDtype: return QStringLiteral("dtype");
    case GraphColour::kNumbers: return QStringLiteral("NaN and Inf");
  }
  return {};
}

GraphColours::GraphColours(const GraphPlan& plan, GraphColour by) : by_(by) {
  const Theme& t = theme();
  std::map<QString, QColor> kinds;
  std::set<QString> devices;
  for (const PlanBox& b : plan.boxes) {
    if (by == GraphColour::kTime) most_ = std::max(most_, static_cast<double>(b.cost_ns));
    if (by == GraphColour::kMemory) most_ = std::max(most_, static_cast<double>(b.bytes));
    if (by == GraphColour::kOp && b.kind == PlanBox::Kind::kNode && !b.family.isEmpty())
      kinds.emplace(b.family, t.family_fill(b.family.toStdString()));
    if (by == GraphColour::kDtype && !b.dtype.isEmpty()) kinds.emplace(b.dtype, dtype_colour(b.dtype));
    if (by == GraphColour::kDevice && !b.device.isEmpty()) devices.insert(b.device);
    if (by == GraphColour::kNumbers && b.numbers != PlanBox::Numbers::kUnknown) most_ = 1;
  }
  devices_.assign(devices.begin(), devices.end());
  for (const QString& device : devices_) {
    PlanBox box;
    box.device = device;
    kinds.emplace(device, stripe(box));
  }
  for (const auto& [text, colour] : kinds) legend_.push_back({colour, text});
  if (by == GraphColour::kDevice && devices_.empty())
    legend_.push_back({t["grey"], QStringLiteral("No run was recorded")});
  if (by == GraphColour::kNumbers && most_ > 0)
    for (const auto& [numbers, text] : {std::pair(PlanBox::Numbers::kNan, "NaN"),
                                        {PlanBox::Numbers::kInfinity, "Inf"},
                                        {PlanBox::Numbers::kFinite, "Finite"},
                                        {PlanBox::Numbers::kUnknown, "It did not run"}})
      legend_.push_back({numbers_colour(numbers), QLatin1String(text)});
  else if (by == GraphColour::kNumbers)
    legend_.push_back({t["grey"], QStringLiteral("No values were recorded")});
  if (by != GraphColour::kTime && by != GraphColour::kMemory) return;
  if (most_ <= 0) {
    legend_.push_back({t["grey"], by == GraphColour::kTime ? QStringLiteral("No run of this graph's ops was recorded")
                                                           : QStringLiteral("No size is known")});
    return;
  }
  for (const double share : {1.0, 0.25, 0.04}) {
    const double value = most_ * share;
    legend_.push_back({with_alpha(t[kHeat], shade(share)), by == GraphColour::kTime
                                                              ? duration_text(static_cast<int64_t>(value))
                                                              : bytes_text(static_cast<uint64_t>(value))});
  }
}

double GraphColours::share(const PlanBox& box) const {
  const double value = by_ == GraphColour::kTime ? static_cast<double>(box.cost_ns) : static_cast<double>(box.bytes);
  return most_ > 0 && value >= 0 ? value / most_ : -1;
}

QColor GraphColours::dtype_colour(const QString& dtype) const {
  const Theme& t = theme();
  if (dtype.startsWith(QStringLiteral("float")) || dtype.startsWith(QStringLiteral("bfloat"))) return t["blue"];
  if (dtype.startsWith(QStringLiteral("int")) || dtype.startsWith(QStringLiteral("uint"))) return t["teal"];
  if (dtype.startsWith(QStringLiteral("complex"))) return t["violet"];
  if (dtype == QStringLiteral("bool")) return t["pink"];
  if (dtype == QStringLiteral("string")) return t["green"];
  return t["grey"];
}

QColor GraphColours::numbers_colour(PlanBox::Numbers numbers) {
  const Theme& t = theme();
  switch (numbers) {
    case PlanBox::Numbers::kNan: return t["red"];
    case PlanBox::Numbers::kInfinity: return t["amber"];
    case PlanBox::Numbers::kFinite: return t["teal"];
    case PlanBox::Numbers::kUnknown: break;
  }
  return t["hairline"];
}

QColor GraphColours::stripe(const PlanBox& box) const {
  const Theme& t = theme();
  switch (by_) {
    case GraphColour::kOp:
      return box.kind == PlanBox::Kind::kNode ? t.family_fill(box.family.toStdString()) : t["blue"];
    case GraphColour::kDtype: return box.dtype.isEmpty() ? t["hairline"] : dtype_colour(box.dtype);
    case GraphColour::kDevice: {
      const auto at = std::ranges::find(devices_, box.device);
      return at == devices_.end() ? t["hairline"] : t[kDeviceTones[(at - devices_.begin()) % std::ssize(kDeviceTones)]];
    }
    case GraphColour::kNumbers: return numbers_colour(box.numbers);
    case GraphColour::kTime:
    case GraphColour::kMemory: {
      const double part = share(box);
      return part <= 0 ? t["hairline"] : with_alpha(t[kHeat], shade(part));
    }
  }
  return {};
}

QColor GraphColours::tint(const PlanBox& box) const {
  if (by_ == GraphColour::kNumbers && box.numbers >= PlanBox::Numbers::kInfinity)
    return with_alpha(numbers_colour(box.numbers), 0.18);
  if (by_ != GraphColour::kTime && by_ != GraphColour::kMemory) return {};
  const double part = share(box);
  return part <= 0 ? QColor() : with_alpha(theme()[kHeat], 0.45 * shade(part));
}

}  // namespace footlight::app
