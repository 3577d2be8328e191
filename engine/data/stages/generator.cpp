// Source: elements of a front end's generator.
#include "engine/data/generator.h"

#include "engine/data/stage_registry.h"

namespace footlight::data {

Tensor generator_value(Generator* generator) {
  Tensor value = Tensor::empty(DType::kVariant, Shape());
  generator->ref();
  *value.data<Resource*>() = generator;
  return value;
}

namespace {

class Generated final : public Stage {
 public:
  Generated(Tensor held, Generator& generator, Element arguments)
      : held_(std::move(held)), generator_(generator), arguments_(std::move(arguments)) {}
  CursorPtr open(const Start&) override { return generator_.start(arguments_); }

 private:
  Tensor held_;
  Generator& generator_;
  Element arguments_;
};

const StageRegistration generated("HostGeneratorDataset", [](const StageContext& m) -> Stage* {
  const AttrValue* value = m.attrs().find("_generator"_attr);
  const Tensor* held = value ? std::get_if<Tensor>(value) : nullptr;
  auto* generator = held ? dynamic_cast<Generator*>(*held->data<Resource*>()) : nullptr;
  if (!generator)
    invalid("the generator of a dataset is not in this process: a graph with from_generator runs only where it was "
            "traced");
  return new Generated(*held, *generator, {m.inputs().begin(), m.inputs().end()});
});

}  // namespace
}  // namespace footlight::data
