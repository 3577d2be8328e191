// Files read from the front, plain or compressed with gzip or zlib, and files of records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace footlight::data {

enum class Compression : uint8_t { kNone, kGzip, kZlib, kSnappy };
// "", "GZIP", "ZLIB"; throws kInvalidArgument for others.
Compression compression_of(const std::string& name);
// Accepts "SNAPPY" too: blocks behind their sizes, as in files of saved datasets.
Compression saved_compression_of(const std::string& name);

class InputFile {
 public:
  // Throws kNotFound, kPermissionDenied, ... that name the file.
  InputFile(const std::string& path, Compression compression, size_t buffer_bytes);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Reads up to `count` bytes, fewer at the end of the file.
  size_t read(char* to, size_t count);
  // Reads a line without its end; false at the end of the file.
  bool line(std::string& out);
  // Skips bytes and returns how many.
  uint64_t skip(uint64_t count);
  const std::string& path() const { return path_; }

 private:
  bool fill();  // more decompressed bytes; false at the end
  bool fill_block();
  struct Parts;
  std::string path_;
  std::unique_ptr<Parts> parts_;
};

// Reads the next record of a TFRecord file; false at the end. Throws kDataLoss for a wrong checksum or length.
bool read_record(InputFile&, std::string& out);

class RecordWriter {
 public:
  RecordWriter(const std::string& path, Compression compression, int level);
  ~RecordWriter();  // closes the file and reports no error
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  void write(const std::string& record);
  void flush();
  void close();
  bool is_open() const { return parts_ != nullptr; }

 private:
  struct Parts;
  void put(const char* bytes, size_t count);
  void deflate_to_file(int how);
  std::string path_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace footlight::data
