// Writes the recorded checkpoints as seeds for the fuzz target: write_bundle_seeds CHECKPOINTS FOLDER.
#include "engine/formats/bundle.h"
#include "engine/formats/file.h"
#include "tests/fuzz/bundle_input.h"

int main(int, char** arguments) {
  for (const char* name : {"objects-1", "root", "names-4"}) {
    const std::string prefix = std::string(arguments[1]) + "/" + name;
    footlight::formats::write_file(
        std::string(arguments[2]) + "/" + name,
        footlight::fuzz::checkpoint_input(
            footlight::formats::read_file(prefix + ".index", 1 << 20),
            footlight::formats::read_file(footlight::formats::shard_name(prefix, 0, 1), 1 << 20)));
  }
}
