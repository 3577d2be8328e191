// Yields each distinct element once.
#include "engine/data/input_cursor.h"
#include "engine/data/stage_registry.h"

#include <unordered_set>

namespace footlight::data {
namespace {

class Unique final : public Stage {
 public:
  explicit Unique(StagePtr input) : input_(std::move(input)) {}
  CursorPtr open(const Start& start) override {
    return std::make_unique<Seen>(StagePtr(this), start.run, input_->start(start));
  }

 private:
  class Seen final : public InputCursor {
   public:
    Seen(StagePtr held, RunPtr run, CursorPtr input)
        : InputCursor("unique", std::move(held), std::move(input)), run_(std::move(run)) {}
    bool next(Element& out) override {
      while (input_->next(out)) {
        if (seen_.insert(contents(out)).second) return true;
        run_->check();
      }
      return false;
    }
    void own_state(State& s) override {
      size_t count = seen_.size();
      s.number(count);
      auto at = seen_.begin();
      while (count--) {
        std::string one = s.reads() ? std::string() : *at++;
        s.text(one);
        if (s.reads()) seen_.insert(std::move(one));
      }
    }

   private:
    static std::string contents(const Element& element) {
      std::string text;
      for (const Tensor& tensor : element) {
        text += tensor.shape().to_string();
        if (tensor.dtype() == DType::kString) {
          const auto* strings = tensor.data<std::string>();
          for (int64_t i = 0; i < tensor.elements(); ++i) text += str(strings[i].size(), ':', strings[i]);
        } else if (tensor.dtype() == DType::kVariant || tensor.dtype() == DType::kResource) {
          invalid("UniqueDataset only supports inputs with tensors of numbers and strings");
        } else {
          text.append(static_cast<const char*>(tensor.raw()), tensor.bytes());
        }
      }
      return text;
    }

    RunPtr run_;
    std::unordered_set<std::string> seen_;
  };
  StagePtr input_;
};

const StageRegistration unique("UniqueDataset", [](const StageContext& m) -> Stage* {
  return new Unique(m.dataset(0));
});

}  // namespace
}  // namespace footlight::data
