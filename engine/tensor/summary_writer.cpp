// Finding the writer of a resource tensor.
#include "engine/tensor/summary_writer.h"

#include "engine/base/errors.h"

namespace footlight {

SummaryWriter& summary_writer_of(const Tensor& handle) {
  if (auto* writer = dynamic_cast<SummaryWriter*>(handle.resource_object())) return *writer;
  throw Error(ErrorKind::kInvalidArgument, "the resource is not a summary writer");
}

}  // namespace footlight
