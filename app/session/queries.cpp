// Keeps the queries in order and reports when one takes long.
#include "app/session/queries.h"

#include <algorithm>
#include <utility>

namespace footlight::app {
namespace {
constexpr int kPatienceMs = 500;
}

void Questions::add(Answer answer, bool is_long) {
  const std::lock_guard lock(mutex_);
  if (!closed_) (is_long ? long_ : short_).push_back(std::move(answer));
}

void Questions::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  short_.clear();
  long_.clear();
}

bool Questions::answer_one(const query::Store* store, Which which) {
  Answer answer;
  bool is_long = false;
  {
    const std::lock_guard lock(mutex_);
    if (short_.empty() && (which == kShortOnes || long_.empty())) return false;
    is_long = short_.empty();
    auto& queue = is_long ? long_ : short_;
    answer = std::move(queue.front());
    queue.pop_front();
  }
  std::function<void()> between;
  if (is_long) {
    between = [this, store] {
      while (answer_one(store, kShortOnes)) {
      }
    };
  }
  answer(store, between);
  return true;
}

Queries::Queries(QObject* parent) : QObject(parent) {
  timer_.setInterval(kPatienceMs / 4);
  connect(&timer_, &QTimer::timeout, this, &Queries::look);
}

void Queries::serve(std::shared_ptr<Questions> questions, std::function<void()> wake) {
  stop();
  questions_ = std::move(questions);
  wake_ = std::move(wake);
}

void Queries::stop() {
  for (const auto& state : std::exchange(waiting_, {})) {
    state->cancel.request();
    state->done = true;
  }
  if (questions_) questions_->close();
  questions_.reset();
  wake_ = {};
  look();
}

void Queries::add(const std::shared_ptr<QueryHandle::State>& state, Questions::Answer answer, Length length) {
  state->since.start();
  waiting_.push_back(state);
  if (!timer_.isActive()) timer_.start();
  questions_->add(std::move(answer), length == kLong);
  wake_();
}

void Queries::done(const std::shared_ptr<QueryHandle::State>& state) {
  state->done = true;
  if (std::erase(waiting_, state) && waiting_.empty()) Q_EMIT idle();
  if (busy_ || waiting_.empty()) look();
}

void Queries::look() {
  if (waiting_.empty()) timer_.stop();
  const bool busy = std::any_of(waiting_.begin(), waiting_.end(), [](const auto& state) {
    return !state->done && state->since.elapsed() > kPatienceMs;
  });
  if (busy == busy_) return;
  busy_ = busy;
  Q_EMIT busy_changed(busy);
}

}  // namespace footlight::app
