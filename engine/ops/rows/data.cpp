// Datasets of values, iterators, and ops that run through a dataset or say something of it. Their kernels are in
// engine/data.
#include "engine/ops/rows/data_rows.h"

namespace footlight {

using dataset_rows::derived, dataset_rows::source, dataset_rows::writes;

namespace {

void component_shapes(Inference& i) {
  const auto shapes = i.attrs.get_or("output_shapes"_attr, std::vector<Shape>());
  for (size_t k = 0; k < i.output_shapes.size(); ++k)
    i.output_shapes[k] = k < shapes.size() ? shapes[k] : Shape::unknown_rank();
}

RowDef components(const char* name, const char* signature, const char* attrs, const char* doc) {
  RowDef row = source(name, signature, attrs, doc);
  row.infer = component_shapes;
  row.properties.dispatch = 0;
  return row;
}

}  // namespace

FL_ROWS(data) {
  RowDef make_iterator = source("MakeIterator", "dataset: variant, iterator: resource ->", "",
                                "starts an iterator over a dataset");
  make_iterator.infer = infer::none;
  make_iterator.properties.effect = Effect::kWrites;
  make_iterator.properties.dispatch = 0;
  RowDef element = components("GetElementAtIndex", "dataset: variant, index: int64 -> components: output_types[]",
                              "output_types: list(type); output_shapes: list(shape)",
                              "one element of a dataset, by its number");
  element.properties.effect = Effect::kNone;
  RowDef string_handle = source("IteratorToStringHandle", "resource_handle: resource -> string_handle: string", "",
                                "a name by which an iterator is found");
  string_handle.properties.effect = Effect::kReads;
  return {
      source("TensorDataset", "components: Toutput_types[] -> handle: variant",
             "Toutput_types: list(type); output_shapes: list(shape); metadata: string = \"\"",
             "a dataset of one element"),
      source("TensorSliceDataset", "components: Toutput_types[] -> handle: variant",
             "Toutput_types: list(type); output_shapes: list(shape); is_files: bool = false; metadata: string = "
             "\"\"; replicate_on_split: bool = false",
             "a dataset of the rows of tensors"),
      source("RangeDataset", "start: int64, stop: int64, step: int64 -> handle: variant",
             "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"; replicate_on_split: "
             "bool = false",
             "a dataset of numbers"),
      source("HostGeneratorDataset", "arguments: Targuments[] -> handle: variant",
             "Targuments: list(type); output_types: list(type); output_shapes: list(shape)",
             "a dataset of what a generator of the program gives"),
      writes(source("RandomDatasetV2", "seed: int64, seed2: int64, seed_generator: resource -> handle: variant",
                    "rerandomize_each_iteration: bool = false; output_types: list(type); output_shapes: list(shape); "
                    "metadata: string = \"\"",
                    "random numbers")),
      source("DummySeedGenerator", "-> handle: resource", "", "stands for seeds that a dataset keeps itself"),
      source("DummyMemoryCache", "-> handle: resource", "", "stands for a cache that a dataset keeps itself"),
      source("AnonymousIteratorV3", "-> handle: resource", "output_types: list(type); output_shapes: list(shape)",
             "a new iterator"),
      make_iterator,
      writes(components("IteratorGetNext", "iterator: resource -> components: output_types[]",
                 "output_types: list(type); output_shapes: list(shape)", "the next element")),
      writes(source("IteratorGetNextAsOptional", "iterator: resource -> optional: variant",
             "output_types: list(type); output_shapes: list(shape)", "the next element, if there is one")),
      components("ReduceDataset",
                 "input_dataset: variant, initial_state: Tstate[], other_arguments: Targuments[] -> components: "
                 "output_types[]",
                 "f: func; Tstate: list(type); Targuments: list(type); output_types: list(type); output_shapes: "
                 "list(shape); use_inter_op_parallelism: bool = true; metadata: string = \"\"",
                 "f(state, element) over all elements"),
      components("DatasetToSingleElement", "dataset: variant -> components: output_types[]",
                 "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"",
                 "the only element of a dataset"),
      element,
      string_handle,
      source("IteratorFromStringHandleV2", "string_handle: string -> resource_handle: resource",
             "output_types: list(type) = []; output_shapes: list(shape) = []", "the iterator of this name"),
      derived("DatasetCardinality", "input_dataset: variant -> cardinality: int64",
              "cardinality_options: string = \"\"", "how many elements a dataset has"),
      derived("DatasetFingerprint", "input_dataset: variant -> fingerprint: uint64", "",
              "a number for what a dataset was made from"),
  };
}

}  // namespace footlight
