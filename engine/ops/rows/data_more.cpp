// More ops on datasets: those that group, split and choose elements, and those that read files.
#include "engine/ops/rows/data_rows.h"

namespace footlight {

FL_ROWS(data_more) {
  constexpr const char* kPlain = "output_types: list(type); output_shapes: list(shape); metadata: string = \"\"";
  constexpr const char* kBare = "output_types: list(type); output_shapes: list(shape)";
  RowDef matching = dataset_rows::derived("MatchingFiles", "pattern: string -> filenames: string", "",
                                       "the names of the files that match patterns");
  matching.infer = [](Inference& i) { i.output_shapes[0] = Shape{kUnknownDim}; };
  RowDef save = dataset_rows::source("SaveElements", "input_dataset: variant, path: string -> count: int64",
                                     "compression: string = \"\"; sharded: bool = false; parts: list(int) = []",
                                     "writes the elements of a dataset into files of a folder, which it counts");
  save.more.dispatch = 0;
  using dataset_rows::derived, dataset_rows::source, dataset_rows::writes;
  return {
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
      derived("DatasetFingerprint", "input_dataset: variant -> fingerprint: uint64", "",
              "a number for what a dataset was made from"),
      derived("UniqueDataset", "input_dataset: variant -> handle: variant", kPlain, "each element once"),
      derived("ShardDataset", "input_dataset: variant, num_shards: int64, index: int64 -> handle: variant",
              "require_non_empty: bool = false; output_types: list(type); output_shapes: list(shape); metadata: string "
              "= \"\"",
              "every n-th element"),
      derived("DirectedInterleaveDataset",
              "selector_input_dataset: variant, data_input_datasets: N*variant -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); N: int; stop_on_empty_dataset: bool = false",
              "elements of several datasets, as a dataset of numbers says"),
      writes(source("RandomDatasetV2", "seed: int64, seed2: int64, seed_generator: resource -> handle: variant",
                    "rerandomize_each_iteration: bool = false; output_types: list(type); output_shapes: list(shape); "
                    "metadata: string = \"\"",
                    "random numbers")),
      derived("IgnoreErrorsDataset", "input_dataset: variant -> handle: variant",
              "output_types: list(type); output_shapes: list(shape); log_warning: bool = false",
              "the elements that can be made"),
      derived("AssertCardinalityDataset", "input_dataset: variant, cardinality: int64 -> handle: variant", kBare,
              "the elements, which are as many as said"),
      source("TFRecordDatasetV2",
             "filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64 -> handle: variant",
             "metadata: string = \"\"", "the records of TFRecord files"),
      source("TextLineDataset",
             "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant",
             "metadata: string = \"\"", "the lines of files"),
      source("FixedLengthRecordDatasetV2",
             "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64, "
             "compression_type: string -> handle: variant",
             "metadata: string = \"\"", "parts of files, all of one length"),
      source("CSVDatasetV2",
             "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, "
             "use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types[], "
             "exclude_cols: int64 -> handle: variant",
             kBare, "the rows of CSV files"),
      source("ElementFileDataset", "paths: string -> handle: variant",
             "compression: string = \"\"; parts: list(int) = []; output_types: list(type); output_shapes: "
             "list(shape)",
             "the elements of files that SaveElements wrote"),
      source("ElementFileCacheDataset", "input_dataset: variant, path: string -> handle: variant",
             "compression: string = \"\"; output_types: list(type); output_shapes: list(shape)",
             "the elements, kept in a file for later iterations"),
      save,
      matching,
  };
}

}  // namespace footlight
