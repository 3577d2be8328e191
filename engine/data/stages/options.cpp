// What tf.data.Options say, for the stages below.
#include "engine/data/make.h"

namespace footlight::data {
namespace {

class Options final : public Stage {
 public:
  Options(StagePtr input, std::optional<bool> deterministic)
      : input_(std::move(input)), deterministic_(deterministic) {}
  int64_t cardinality() const override { return input_->cardinality(); }
  bool shown() const override { return false; }
  CursorPtr open(const Start& start) override {
    Start below = start;
    if (!below.options.deterministic) below.options.deterministic = deterministic_;
    return input_->start(below);
  }

 private:
  StagePtr input_;
  std::optional<bool> deterministic_;
};

const MakerOf options("OptionsDataset", [](const Making& m) -> Stage* {
  const auto said = m.attr("serialized_options", std::string());
  std::optional<bool> deterministic;
  if (said.find("deterministic=true") != std::string::npos) deterministic = true;
  if (said.find("deterministic=false") != std::string::npos) deterministic = false;
  return new Options(m.dataset(0), deterministic);
});

}  // namespace
}  // namespace footlight::data
