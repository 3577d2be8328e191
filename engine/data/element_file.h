// Elements in files: each is a record of a TFRecord file, and holds its tensors. Between runs of one build: the format
// is ours.
#pragma once

#include "engine/data/input_file.h"
#include "engine/data/stage.h"

namespace footlight::data {

std::string packed(const Element& element);
// Throws kDataLoss for what packed() did not write.
Element unpacked(const std::string& record);

// Written under another name, which becomes `path` when it is complete.
class ElementWriter {
 public:
  ElementWriter(const std::string& path, Compression compression);
  ~ElementWriter();  // leaves nothing behind unless finish() was called
  ElementWriter(const ElementWriter&) = delete;
  ElementWriter& operator=(const ElementWriter&) = delete;
  void write(const Element& element) { writer_.write(packed(element)); }
  void finish();

 private:
  const std::string path_, unfinished_;
  RecordWriter writer_;
  bool finished_ = false;
};

// The elements of a file.
CursorPtr read_elements(StagePtr held, const std::string& path, Compression compression);
bool file_exists(const std::string& path);

}  // namespace footlight::data
