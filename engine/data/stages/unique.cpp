// Yields each distinct element once.
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
  class Seen final : public Cursor {
   public:
    Seen(StagePtr held, RunPtr run, CursorPtr input)
        : held_(std::move(held)), run_(std::move(run)), input_(std::move(input)) {}
    bool next(Element& out) override {
      while (input_->next(out)) {
        if (seen_.insert(contents(out)).second) return true;
        run_->check();
      }
      return false;
    }
    void state(State& s) override {
      s.of("unique");
      size_t count = seen_.size();
      s.number(count);
      auto at = seen_.begin();
      while (count--) {
        std::string one = s.reads() ? std::string() : *at++;
        s.text(one);
        if (s.reads()) seen_.insert(std::move(one));
      }
      s.input(input_);
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

    StagePtr held_;
    RunPtr run_;
    CursorPtr input_;
    std::unordered_set<std::string> seen_;
  };
  StagePtr input_;
};

const StageRegistration unique("UniqueDataset", [](const StageContext& m) -> Stage* {
  return new Unique(m.dataset(0));
});

}  // namespace
}  // namespace footlight::data
