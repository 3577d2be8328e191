// Ops on datasets that read files, or write elements into files.
#include "engine/ops/rows/data_rows.h"

namespace footlight {

FL_ROWS(data_files) {
  using dataset_rows::derived, dataset_rows::source;
  RowDef matching = derived("MatchingFiles", "pattern: string -> filenames: string", "",
                            "the names of the files that match patterns");
  matching.infer = [](Inference& i) { i.output_shapes[0] = Shape{kUnknownDim}; };
  RowDef save = source("SaveElements", "input_dataset: variant, path: string -> count: int64",
                       "compression: string = \"\"; sharded: bool = false; parts: list(int) = []",
                       "writes the elements of a dataset into files of a folder, which it counts");
  save.properties.dispatch = 0;
  return {
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
             "output_types: list(type); output_shapes: list(shape)", "the rows of CSV files"),
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
