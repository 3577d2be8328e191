// Attributes of nodes, from a file.
#pragma once

#include "engine/formats/constants.h"
#include "engine/ops/row.h"

#include <functional>
#include <optional>
#include <unordered_map>

namespace footlight::formats {

using AttrMap = google::protobuf::Map<std::string, AttrValue>;

// What reading a file needs to remember: one for a whole GraphDef.
struct Reading {
  explicit Reading(const Limits& l) : limits(l), constant_bytes(l.constant_bytes) {}
  const Limits& limits;
  size_t constant_bytes;                     // left for constants
  int producer = 0;                          // the version that wrote the file
  std::unordered_map<std::string_view, const OpDef*> producer_ops;  // what that version knew, if it says so
  std::function<GraphPtr(const NameAttrList&)> function;  // of the file's library
  // Inside of a function: the values of its own attributes, which nodes name with `placeholder`.
  const AttrMap* parameters = nullptr;
};

// An attribute in which a node keeps what a file says of it and nobody here understands: written again, as TensorFlow
// does. No attribute of a file, whose names have no spaces.
extern const AttrName kExtras;

// The attributes of a node as its op declares them; throws where one has another type, or is missing, or is neither
// declared nor an extra one ("_name").
Attrs attrs_from(const AttrMap&, const OpRow&, Reading&);
// Attributes that no op declares, those of a function: what has no counterpart here is left out.
Attrs extra_attrs_from(const AttrMap&, Reading&);

}  // namespace footlight::formats
