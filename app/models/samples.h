// The samples that come with the program: what each shows, and copies that the user may change.
#pragma once

#include <QString>

#include <vector>

namespace footlight::app {

struct Sample {
  QString name;   // "shapes.py"; for another engine with its folder: "jax/weak_type.py"
  QString title;  // "Shapes that change": the beginning of its comment
  QString about;  // the rest of that sentence
  QByteArray bytes;
  QString engine = {};  // the package under which it is recorded: "jax"; empty: Footlight's own engine
  // A recording is opened; a script is prepared for a run.
  bool is_recording() const { return name.endsWith(QStringLiteral(".footlight")); }
};

// The scripts that come with the program, by name.
std::vector<Sample> sample_scripts();
// The scripts, then the recordings of machines that few people have.
std::vector<Sample> all_samples();

// Samples for other engines, by engine and name.
std::vector<Sample> engine_samples();
// The engine under which a script has to run that is the user's copy of a sample; empty if it is no sample's copy, or
// one for Footlight's engine.
QString engine_of_sample(const QString& script);

// The user's folder of copies; FOOTLIGHT_EXAMPLES names another.
QString samples_folder();
// The path of the user's copy; it is made when it is missing, or if `again`. Empty: it could not be written.
QString copy_of(const Sample& sample, bool again = false);
// Whether the user's copy differs from the sample.
bool is_changed(const Sample& sample);

}  // namespace footlight::app
