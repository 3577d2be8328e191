// Applies tf.data.Options to the stages below.
#include "engine/data/stage_registry.h"

namespace footlight::data {
namespace {

class Options final : public Stage {
 public:
  Options(StagePtr input, std::optional<bool> deterministic, bool any_state, bool separate_batch)
      : input_(std::move(input)), deterministic_(deterministic), any_state_(any_state),
        separate_batch_(separate_batch) {}
  const Stage* windowed(size_t component) const override { return input_->windowed(component); }
  int64_t cardinality() const override { return input_->cardinality(); }
  bool shown() const override { return false; }
  CursorPtr open(const Start& start) override {
    Start below = start;
    if (!below.options.deterministic) below.options.deterministic = deterministic_;
    below.options.separate_batch |= separate_batch_;
    if (any_state_) start.run->allow_any_state();
    return input_->start(below);
  }

 private:
  StagePtr input_;
  std::optional<bool> deterministic_;
  bool any_state_;  // whether element functions may depend on state that iterators do not save
  bool separate_batch_;
};

const StageRegistration options("OptionsDataset", [](const StageContext& m) -> Stage* {
  const auto said = m.attr("serialized_options", std::string());
  std::optional<bool> deterministic;
  if (said.find("deterministic=true") != std::string::npos) deterministic = true;
  if (said.find("deterministic=false") != std::string::npos) deterministic = false;
  return new Options(m.dataset(0), deterministic, said.find("any_state") != std::string::npos,
                     said.find("separate_batch") != std::string::npos);
});

}  // namespace
}  // namespace footlight::data
