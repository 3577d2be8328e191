// The destination of summaries: a resource, so that graphs hold it like any other.
#pragma once

#include "engine/tensor/tensor.h"

#include <string>

namespace footlight {

class SummaryWriter : public Resource {
 public:
  // Summary of a tensor. `metadata`: a SummaryMetadata as bytes. All throw kNotFound once the writer is closed.
  virtual void write(int64_t step, const Tensor& value, const std::string& tag, const std::string& metadata) = 0;
  virtual void write_summary(int64_t step, const std::string& summary) = 0;  // a Summary as bytes
  virtual void write_graph(int64_t step, const std::string& graph) = 0;      // a GraphDef as bytes
  virtual void flush() = 0;
  virtual void close() = 0;  // flushes; writing afterwards is an error
};

// The writer behind a resource tensor; throws kInvalidArgument for another resource.
SummaryWriter& summary_writer_of(const Tensor& handle);

}  // namespace footlight
