// Ops that make a dataset of others: they group, split, interleave and choose elements.
#include "engine/ops/rows/data_rows.h"

namespace footlight {

FL_ROWS(data_stages) {
  constexpr const char* kPlain = "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"";
  constexpr const char* kBare = "output_types: list(type); output_shapes: list(shape)";
  using dataset_rows::derived, dataset_rows::source, dataset_rows::writes;
  return {
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
      derived("InterleaveDataset",
              "input_dataset: variant, other_arguments: Targuments[], cycle_length: int64, block_length: int64 -> "
              "handle: variant",
              "f: func; Targuments: list(type); output_types: list(type); output_shapes: list(shape); metadata: "
              "string = \"\"",
              "the elements of several of the datasets that f(element) gives, in turn"),
      derived("ParallelInterleaveDatasetV4",
              "input_dataset: variant, other_arguments: Targuments[], cycle_length: int64, block_length: int64, "
              "buffer_output_elements: int64, prefetch_input_elements: int64, num_parallel_calls: int64 -> handle: "
              "variant",
              "f: func; deterministic: string = \"default\"; Targuments: list(type); output_types: list(type); "
              "output_shapes: list(shape); metadata: string = \"\"",
              "the elements of several of the datasets that f(element) gives, in turn, made by threads"),
      derived("PaddedBatchDatasetV2",
              "input_dataset: variant, batch_size: int64, padded_shapes: N*int64, padding_values: Toutput_types[], "
              "drop_remainder: bool -> handle: variant",
              "parallel_copy: bool = false; Toutput_types: list(type); output_shapes: list(shape); N: int; metadata: "
              "string = \"\"",
              "consecutive elements, filled up to one shape and stacked"),
      derived("UnbatchDataset", "input_dataset: variant -> handle: variant", kPlain, "the rows of the elements"),
      derived("RebatchDatasetV2",
              "input_dataset: variant, batch_sizes: int64, drop_remainder: bool -> handle: variant", kBare,
              "the rows of the elements in batches of other sizes"),
      derived("WindowDataset",
              "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool -> handle: "
              "variant",
              kPlain, "datasets of consecutive elements"),
      derived("GroupByWindowDataset",
              "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments[], "
              "reduce_func_other_arguments: Treduce_func_other_arguments[], window_size_func_other_arguments: "
              "Twindow_size_func_other_arguments[] -> handle: variant",
              "key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type); "
              "Treduce_func_other_arguments: list(type); Twindow_size_func_other_arguments: list(type); output_types: "
              "list(type); output_shapes: list(shape); metadata: string = \"\"",
              "datasets made of elements with one key"),
      derived("UniqueDataset", "input_dataset: variant -> handle: variant", kPlain, "each element once"),
      derived("ShardDataset", "input_dataset: variant, num_shards: int64, index: int64 -> handle: variant",
              "require_non_empty: bool = false; output_types: list(type); output_shapes: list(shape); metadata: string "
              "= \"\"",
              "every n-th element"),
      derived("DirectedInterleaveDataset",
              "selector_input_dataset: variant, data_input_datasets: N*variant -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); N: int; stop_on_empty_dataset: bool = false",
              "elements of several datasets, as a dataset of numbers says"),
      derived("IgnoreErrorsDataset", "input_dataset: variant -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); log_warning: bool = false",
              "the elements that can be made"),
      derived("AssertCardinalityDataset", "input_dataset: variant, cardinality: int64 -> handle: variant", kBare,
              "the elements, which are as many as said"),
  };
}

}  // namespace footlight
