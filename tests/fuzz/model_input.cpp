// Weights and the graph of layers are read by themselves too, because no change of an archive gets past its checksums.
#include "tests/fuzz/model_input.h"

#include "engine/base/errors.h"
#include "engine/model/describe.h"
#include "engine/model/hdf5.h"
#include "engine/model/parts.h"

#include <iterator>

namespace footlight::fuzz {

bool read_model_input(std::string_view input) {
  if (input.empty()) return false;
  const std::string_view form = kModelForms[static_cast<unsigned char>(input[0]) % std::size(kModelForms)];
  input.remove_prefix(1);
  try {
    if (form == "weights.h5") return !model::read_datasets(input).empty();
    if (form == "config.json") {
      model::ModelFile model;
      model::add_layer_graph(model, model::parse_json(input)["config"]);
      return !model.graphs.empty();
    }
    std::vector<int> lines;
    return !model::describe(model::read_model_bytes(input, form), 100, &lines).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace footlight::fuzz
