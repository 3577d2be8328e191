// Datasets: ops that make one from others, iterators, and ops that run through a dataset. Their kernels are in
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
  row.more.dispatch = 0;
  return row;
}

}  // namespace

FL_ROWS(data) {
  RowDef make_iterator = source("MakeIterator", "dataset: variant, iterator: resource ->", "",
                                "starts an iterator over a dataset");
  make_iterator.infer = infer::none;
  make_iterator.more.effect = Effect::kWrites;
  make_iterator.more.dispatch = 0;
  RowDef element = components("GetElementAtIndex", "dataset: variant, index: int64 -> components: output_types[]",
                              "output_types: list(type); output_shapes: list(shape)",
                              "one element of a dataset, by its number");
  element.more.effect = Effect::kNone;
  RowDef string_handle = source("IteratorToStringHandle", "resource_handle: resource -> string_handle: string", "",
                                "a name by which an iterator is found");
  string_handle.more.effect = Effect::kReads;
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
      derived("MapDataset", "input_dataset: variant, other_arguments: Targuments[] -> handle: variant",
              "f: func; Targuments: list(type); output_types: list(type); output_shapes: list(shape); "
              "use_inter_op_parallelism: bool = true; preserve_cardinality: bool = false; force_synchronous: bool = "
              "false; metadata: string = \"\"",
              "f(element) of a dataset's elements"),
      derived("ParallelMapDatasetV2",
              "input_dataset: variant, other_arguments: Targuments[], num_parallel_calls: int64 -> handle: variant",
              "f: func; Targuments: list(type); output_types: list(type); output_shapes: list(shape); "
              "use_inter_op_parallelism: bool = true; deterministic: string = \"default\"; preserve_cardinality: "
              "bool = false; use_unbounded_threadpool: bool = false; metadata: string = \"\"",
              "f(element) of a dataset's elements, several at once"),
      derived("FilterDataset", "input_dataset: variant, other_arguments: Targuments[] -> handle: variant",
              "predicate: func; Targuments: list(type); output_types: list(type); output_shapes: list(shape); "
              "metadata: string = \"\"",
              "the elements for which a predicate holds"),
      derived("FlatMapDataset", "input_dataset: variant, other_arguments: Targuments[] -> handle: variant",
              "f: func; Targuments: list(type); output_types: list(type); output_shapes: list(shape); metadata: "
              "string = \"\"",
              "the elements of the datasets that f(element) gives"),
      derived("ScanDataset",
              "input_dataset: variant, initial_state: Tstate[], other_arguments: Targuments[] -> handle: variant",
              "f: func; Tstate: list(type); Targuments: list(type); output_types: list(type); output_shapes: "
              "list(shape); preserve_cardinality: bool = false; use_default_device: bool = true; metadata: string = "
              "\"\"",
              "f(state, element), which gives the next state and what takes the element's place"),
      derived("TakeWhileDataset", "input_dataset: variant, other_arguments: Targuments[] -> handle: variant",
              "predicate: func; Targuments: list(type); output_types: list(type); output_shapes: list(shape); "
              "metadata: string = \"\"",
              "the elements up to the first for which a predicate does not hold"),
      derived("BatchDatasetV2", "input_dataset: variant, batch_size: int64, drop_remainder: bool -> handle: variant",
              "parallel_copy: bool = false; output_types: list(type); output_shapes: list(shape); metadata: string = "
              "\"\"",
              "consecutive elements, stacked"),
      derived("ParallelBatchDataset",
              "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool -> handle: "
              "variant",
              "parallel_copy: bool = false; output_types: list(type); output_shapes: list(shape); deterministic: "
              "string = \"default\"; metadata: string = \"\"",
              "consecutive elements, stacked, several batches at once"),
      writes(source("ShuffleDatasetV3",
             "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, seed_generator: resource -> "
             "handle: variant",
             "reshuffle_each_iteration: bool = true; output_types: list(type); output_shapes: list(shape); metadata: "
             "string = \"\"",
             "the elements in random order")),
      derived("RepeatDataset", "input_dataset: variant, count: int64 -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"",
              "the elements again and again"),
      derived("TakeDataset", "input_dataset: variant, count: int64 -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"", "the first elements"),
      derived("SkipDataset", "input_dataset: variant, count: int64 -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"",
              "all but the first elements"),
      derived("ZipDataset", "input_datasets: N*variant -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); N: int; metadata: string = \"\"",
              "elements of several datasets side by side"),
      derived("ConcatenateDataset", "input_dataset: variant, another_dataset: variant -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"",
              "the elements of one dataset, then those of another"),
      derived("PrefetchDataset", "input_dataset: variant, buffer_size: int64 -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); slack_period: int = 0; legacy_autotune: bool = "
              "true; buffer_size_min: int = 0; metadata: string = \"\"",
              "the elements, made ahead by a thread"),
      writes(source("CacheDatasetV2", "input_dataset: variant, filename: string, cache: resource -> handle: variant",
             "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"",
             "the elements, kept for later iterations")),
      derived("OptionsDataset", "input_dataset: variant -> handle: variant",
              "serialized_options: string; output_types: list(type); output_shapes: list(shape); metadata: string = "
              "\"\"",
              "the elements, with options for what makes them"),
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
  };
}

}  // namespace footlight
