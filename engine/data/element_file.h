// Files of elements: each element is a record of a TFRecord file that holds its tensors. The format is our own, and
// only one build's runs share such files.
#pragma once

#include "engine/data/input_file.h"
#include "engine/data/stage.h"

namespace footlight::data {

std::string packed(const Element& element);
// Throws kDataLoss for a record that packed() did not write.
Element unpacked(const std::string& record);

// Writes under another name, which becomes `path` when the file is complete.
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

// Reads the elements of a file.
CursorPtr read_elements(StagePtr held, const std::string& path, Compression compression);
bool file_exists(const std::string& path);

}  // namespace footlight::data
