// Source: elements in memory, such as those of windows and groups.
#include "engine/data/elements.h"

#include "engine/data/state.h"

namespace footlight::data {
namespace {

// All elements, or one component of each.
class Elements final : public Stage {
 public:
  explicit Elements(std::shared_ptr<const std::vector<Element>> all, std::optional<size_t> component = {})
      : all_(std::move(all)), component_(component) {}
  int64_t cardinality() const override { return static_cast<int64_t>(all_->size()); }
  std::optional<std::vector<Element>> held() const override {
    if (!component_) return *all_;
    std::vector<Element> column;
    for (const Element& element : *all_) column.push_back({element[*component_]});
    return column;
  }
  CursorPtr open(const Start&) override { return std::make_unique<ElementsCursor>(StagePtr(this), *all_, component_); }

 private:
  class ElementsCursor final : public Cursor {
   public:
    ElementsCursor(StagePtr held, const std::vector<Element>& all, std::optional<size_t> component)
        : held_(std::move(held)), all_(all), component_(component) {}
    bool next(Element& out) override {
      if (at_ == all_.size()) return false;
      const Element& element = all_[at_++];
      if (component_) out.assign(1, element[*component_]);
      else out = element;
      return true;
    }
    void state(State& s) override {
      s.of("elements in memory");
      s.number(at_, all_.size());
    }

   private:
    StagePtr held_;  // keeps the elements alive
    const std::vector<Element>& all_;
    std::optional<size_t> component_;
    size_t at_ = 0;
  };
  std::shared_ptr<const std::vector<Element>> all_;
  std::optional<size_t> component_;
};

}  // namespace

Tensor dataset_of(std::vector<Element> elements, const std::vector<DType>& types, const std::vector<Shape>& shapes) {
  auto* stage = new Elements(std::make_shared<const std::vector<Element>>(std::move(elements)));
  stage->types = types;
  stage->shapes = shapes;
  return dataset_tensor(stage);
}

Element columns_of(std::vector<Element> elements, const std::vector<DType>& types, const std::vector<Shape>& shapes) {
  const auto all = std::make_shared<const std::vector<Element>>(std::move(elements));
  Element columns;
  for (size_t k = 0; k < types.size(); ++k) {
    auto* stage = new Elements(all, k);
    stage->types = {types[k]};
    if (k < shapes.size()) stage->shapes = {shapes[k]};
    columns.push_back(dataset_tensor(stage));
  }
  return columns;
}

}  // namespace footlight::data
