// Rows of lookup tables.
#include "engine/ops/define.h"

namespace footlight {

namespace {

#define FL_NAMED "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; "

// Keys may be vectors, and so may values: the shape is that of the keys only where both are known to be plain, which
// the caller then says.
void found_shape(Inference& i) { i.output_shapes[0] = Shape::unknown_rank(); }

RowDef table_op(const char* name, const char* signature, const char* attrs, InferFunction shapes, Effect effect,
                const char* doc) {
  return {name,    signature,
          attrs,   shapes,
          nullptr, OpFamily::kIo,
          doc,     {.effect = effect, .host_inputs = ~0u, .zero_gradient = true, .host_only = true}};
}

// Each run of these ops makes a new table, also for a name in a file (HashTableV2). A session keeps the handle, and so
// has one table.
RowDef new_table(const char* name, const char* attrs, const char* doc,
                 const char* signature = "-> table_handle: resource") {
  RowDef row = table_op(name, signature, attrs, infer::scalar, Effect::kOther, doc);
  row.properties.dispatch = -1;
  return row;
}

}  // namespace

FL_ROWS(lookup) {
  const Effect reads = Effect::kReads, writes = Effect::kWrites;
  return {
      new_table("AnonymousHashTable", "key_dtype: type; value_dtype: type", "a new table that is filled once"),
      new_table("AnonymousMutableHashTable", "key_dtype: type; value_dtype: type", "a new table"),
      new_table("AnonymousMutableHashTableOfTensors", "key_dtype: type; value_dtype: type; value_shape: shape",
                "a new table of vectors"),
      new_table("AnonymousMutableDenseHashTable",
                "key_dtype: any; value_dtype: type; value_shape: shape; initial_num_buckets: int = 131072; "
                "max_load_factor: float = 0.8",
                "a new table with two keys that cannot be used",
                "empty_key: key_dtype, deleted_key: key_dtype -> table_handle: resource"),
      new_table("HashTableV2", FL_NAMED "key_dtype: type; value_dtype: type", "a new table that is filled once"),
      new_table("MutableHashTableV2", FL_NAMED "key_dtype: type; value_dtype: type", "a new table"),
      new_table("MutableHashTableOfTensorsV2",
                FL_NAMED "key_dtype: type; value_dtype: type; value_shape: shape = []", "a new table of vectors"),
      new_table("MutableDenseHashTableV2",
                FL_NAMED "key_dtype: any; value_dtype: type; value_shape: shape = []; "
                         "initial_num_buckets: int = 131072; max_load_factor: float = 0.8",
                "a new table with two keys that cannot be used",
                "empty_key: key_dtype, deleted_key: key_dtype -> table_handle: resource"),
      table_op("InitializeTableV2", "table_handle: resource, keys: Tkey, values: Tval ->", "Tkey: any; Tval: any",
               infer::none, writes, "fills a table"),
      table_op("InitializeTableFromTextFileV2", "table_handle: resource, filename: string ->",
               "key_index: int; value_index: int; vocab_size: int = -1; delimiter: string = \"\t\"; offset: int = 0",
               infer::none, writes, "fills a table from the lines of a file"),
      table_op("LookupTableFindV2", "table_handle: resource, keys: Tin, default_value: Tout -> values: Tout",
               "Tin: any; Tout: any", found_shape, reads, "the values of keys in a table"),
      table_op("LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout ->", "Tin: any; Tout: any",
               infer::none, writes, "adds keys to a table"),
      table_op("LookupTableRemoveV2", "table_handle: resource, keys: Tin ->", "Tin: any", infer::none, writes,
               "removes keys of a table"),
      table_op("LookupTableSizeV2", "table_handle: resource -> size: int64", "", infer::scalar, reads,
               "how many keys a table has"),
      table_op("LookupTableExportV2", "table_handle: resource -> keys: Tkeys, values: Tvalues",
               "Tkeys: type; Tvalues: type", infer::unknown, reads, "all keys and values of a table"),
      table_op("LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout ->", "Tin: any; Tout: any",
               infer::none, writes, "replaces the keys and values of a table"),
  };
}

#undef FL_NAMED

}  // namespace footlight
