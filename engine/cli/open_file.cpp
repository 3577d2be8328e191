// An imported recording is a file without a name: a reader needs only its descriptor.
#include "engine/cli/open_file.h"

#include "engine/cli/export_output.h"
#include "engine/cli/temporary.h"
#include "engine/foreign/foreign.h"

namespace footlight::cli {

std::unique_ptr<session::Reader> open_file(const std::string& path) {
  Progress progress;
  const auto shown = [&progress](const char* what) {
    return [&progress, what](double share) {
      progress.show(what, share);
      return true;
    };
  };
  if (!foreign::is_foreign(path)) return session::Reader::open(path, {shown("reading")});
  const DeferredSignals signals;
  const TemporaryFolder folder("import");
  const std::string made = folder / "imported.footlight";
  foreign::import_files({path}, made, {[&](double share) {
    progress.show("importing", share);
    return !DeferredSignals::caught();
  }});
  return session::Reader::open(made);
}

bool names_recording(const std::string& word) { return word.ends_with(".footlight") || foreign::is_foreign(word); }

}  // namespace footlight::cli
