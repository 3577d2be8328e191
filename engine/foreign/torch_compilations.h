// Collects the records of PyTorch's structured log by compilation, and writes functions and traces when it ends.
#pragma once

#include "engine/foreign/chrome_events.h"
#include "engine/foreign/program.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::foreign {

class TorchCompilations {
 public:
  explicit TorchCompilations(const Import& import);
  // A record and its payload; false: the record is damaged.
  bool add(std::string_view object, std::string_view payload);
  // Writes functions and traces.
  void finish();

 private:
  struct Break { std::string file, reason; int line = 0; };
  struct Compilation {
    std::string native, error, post_grad;
    uint64_t frame = 0;
    TraceId id;
    int attempt = 0;
    int64_t first_ns = 0, last_ns = 0;
    std::vector<session::PhaseRecord> phases;
    std::vector<int32_t> open;                        // phases that have not ended; -1: a part of the same phase
    std::map<std::string, session::ArtifactRecord> texts;
    std::vector<session::TraceGraph> graphs;
    std::vector<session::KeyLeaf> guards;
    std::vector<std::string> reasons;                 // "0/0: n == 0": guards of earlier traces that failed
    std::vector<Break> breaks;
    std::string signature;
    LocationNumber location = kNoLocation;            // of the call
  };
  struct Function {
    std::string name, file;
    int line = 0;
    FunctionId id;
    std::vector<size_t> compilations;
  };
  struct Record {  // the members that are understood, as text of the JSON
    std::string_view kind, about, frame, compile, attempt, rank;
    std::string artifact;
  };
  Record record_of(std::string_view object) const;
  void add_process_record(const Record& record, std::string_view payload);
  Compilation& compilation(const Record& record);
  void add_compilation_record(const Record& record, std::string_view payload);
  void add_step(Compilation& c, std::string_view event);
  void add_text(Compilation& c, const std::string& kind, std::string_view payload);
  void add_start(Compilation& c, std::string_view about);
  void add_metrics(Compilation& c, std::string_view about);
  void add_recompile_reasons(Compilation& c, std::string_view payload);
  void add_break(Compilation& c, std::string_view payload);
  void write(Function& function, const ByName<FunctionId>& originals);
  void write_trace(const Function& function, const Compilation& c, int number,
                   const std::vector<const Compilation*>& before);

  const Import& import_;
  Program program_;
  ChromeEvents events_;
  std::map<uint64_t, std::string> strings_;
  std::vector<Compilation> all_;
  ByName<size_t> by_native_;
  std::map<uint64_t, Function> functions_;  // by frame
  uint64_t text_bytes_ = 0;
};

}  // namespace footlight::foreign
