// Registers the ops that create the stages of engine/data/stages.
#pragma once

#include "engine/base/text.h"
#include "engine/data/state.h"
#include "kernels/table.h"

namespace footlight::data {

// The inputs and attributes of an op that creates a stage.
class StageContext {
 public:
  explicit StageContext(KernelContext& context) : context_(context) {}
  StagePtr dataset(size_t input) const { return stage_of(context_.inputs[input]); }
  int64_t integer(size_t input) const;             // an int64 scalar
  bool flag(size_t input) const;                   // a bool scalar
  std::string text(size_t input) const;            // a string scalar
  std::vector<std::string> texts(size_t input) const;  // a string scalar or vector
  std::span<const Tensor> inputs(size_t from = 0) const { return context_.inputs.subspan(from); }
  std::span<const Tensor> inputs(size_t from, size_t count) const { return context_.inputs.subspan(from, count); }
  size_t list_size(const char* attr) const;        // length of a list(type)
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

// The resource of a stage that keeps its own state: the seeds of a shuffle, the elements of a cache.
struct StageResource : Resource {
  explicit StageResource(const char* o) : op(o) {}
  const char* op;  // the op that creates it
};

// The kernel of `op` returns a dataset of the new stage, with the types and shapes of the op's attributes.
using MakeStage = Stage* (*)(const StageContext&);
struct StageRegistration {
  const char* op;
  MakeStage make;
  StageRegistration* next;
  static StageRegistration* first;
  StageRegistration(const char* name, MakeStage m) : op(name), make(m), next(first) { first = this; }
};
// Whether the op creates a stage.
bool makes_stage(const OpRow&);
// Registers another kernel of this folder.
struct KernelRegistration {
  const char* op;
  Kernel kernel;
  KernelRegistration* next;
  static KernelRegistration* first;
  KernelRegistration(const char* name, Kernel k) : op(name), kernel(k), next(first) { first = this; }
};

// Registers all kernels. Called once; calling it again does nothing.
void init();

}  // namespace footlight::data
