// How a file of engine/data/stages says from which op its stage is made.
#pragma once

#include "engine/base/text.h"
#include "engine/data/state.h"
#include "kernels/table.h"

namespace footlight::data {

// The inputs and attributes of an op that makes a stage.
class Making {
 public:
  explicit Making(KernelContext& context) : context_(context) {}
  StagePtr dataset(size_t input) const { return stage_of(context_.inputs[input]); }
  int64_t integer(size_t input) const;             // an int64 scalar
  bool flag(size_t input) const;                   // a bool scalar
  std::string text(size_t input) const;            // a string scalar
  std::vector<std::string> texts(size_t input) const;  // a string scalar or vector
  std::span<const Tensor> inputs(size_t from = 0) const { return context_.inputs.subspan(from); }
  std::span<const Tensor> inputs(size_t from, size_t count) const { return context_.inputs.subspan(from, count); }
  size_t list_size(const char* attr) const;        // of a list(type)
  Function function(std::string_view attr, std::span<const Tensor> captures) const {
    return Function(context_.attrs, attr, captures);
  }
  const Attrs& attrs() const { return context_.attrs; }
  template <class T>
  T attr(const char* name, T otherwise) const { return context_.attrs.get_or(AttrName(name), std::move(otherwise)); }
  const char* op() const { return context_.row.name; }

 private:
  KernelContext& context_;
};

// Stands for something that a stage keeps itself: the seeds of a shuffle, the elements of a cache.
struct StandIn : Resource {
  explicit StandIn(const char* o) : op(o) {}
  const char* op;  // that makes it
};

// The kernel of `op`: a dataset of the new stage, whose types and shapes are those of the op's attributes.
using MakeStage = Stage* (*)(const Making&);
struct MakerOf {
  const char* op;
  MakeStage make;
  MakerOf* next;
  static MakerOf* first;
  MakerOf(const char* name, MakeStage m) : op(name), make(m), next(first) { first = this; }
};
// Whether the op makes a stage.
bool makes_stage(const OpRow&);
// Other kernels of this folder.
struct KernelOf {
  const char* op;
  Kernel kernel;
  KernelOf* next;
  static KernelOf* first;
  KernelOf(const char* name, Kernel k) : op(name), kernel(k), next(first) { first = this; }
};

// Registers all kernels. Called once; calling it again does nothing.
void init();

}  // namespace footlight::data
