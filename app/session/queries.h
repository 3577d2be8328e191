// Queries to the store of the open session: run on the store's thread, results delivered on the window's, in the order
// in which they were asked; short ones run before long ones.
#pragma once

#include "engine/query/store.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace footlight::app {

// A pending query. Destroying it, or starting another with it, cancels it: its result is not delivered.
class QueryHandle {
 public:
  QueryHandle() = default;
  QueryHandle(QueryHandle&&) = default;
  QueryHandle& operator=(QueryHandle&& o) noexcept {
    withdraw();
    state_ = std::move(o.state_);
    return *this;
  }
  ~QueryHandle() { withdraw(); }
  bool waiting() const { return state_ && !state_->done; }
  void withdraw() {
    if (state_) state_->cancel.request();
    if (state_) state_->done = true;
    state_.reset();
  }

 private:
  friend class Queries;
  struct State {
    query::Cancel cancel;
    bool done = false;  // used by the window's thread
    QElapsedTimer since;
  };
  std::shared_ptr<State> state_;
};

// The queries waiting for the store's thread.
class Questions {
 public:
  // Called on the store's thread; null if the store is gone.
  using Answer = std::function<void(const query::Store*, const std::function<void()>& between)>;
  void add(Answer answer, bool is_long);
  void close();  // drops waiting and later queries
  // Runs one waiting query; false if there was none.
  enum Which { kShortOnes, kAll };
  bool answer_one(const query::Store* store, Which which);

 private:
  std::mutex mutex_;
  std::deque<Answer> short_, long_;
  bool closed_ = false;
};

class Queries : public QObject {
  Q_OBJECT

 public:
  explicit Queries(QObject* parent = nullptr);

  // Runs `ask(store, cancel)` and passes its result to `take`, unless it was cancelled or failed. `kLong`: reads
  // many chunks, so short queries run first.
  enum Length { kShort, kLong };
  template <class Ask, class Take>
  void ask(QueryHandle& ticket, Ask&& ask, Take&& take, Length length = kShort);

  size_t waiting() const { return waiting_.size(); }
  bool serving() const { return questions_ != nullptr; }
  bool busy() const { return busy_; }

  // Connects the store's thread: `wake` is called, on the window's thread, when a query is waiting.
  void serve(std::shared_ptr<Questions> questions, std::function<void()> wake);
  // Cancels all waiting queries.
  void stop();

 Q_SIGNALS:
  void busy_changed(bool busy);  // whether a query has been waiting for more than half a second
  void idle();                   // the last result was delivered

 private:
  void add(const std::shared_ptr<QueryHandle::State>& state, Questions::Answer answer, Length length);
  void done(const std::shared_ptr<QueryHandle::State>& state);
  void look();

  std::shared_ptr<Questions> questions_;
  std::function<void()> wake_;
  std::vector<std::shared_ptr<QueryHandle::State>> waiting_;
  QTimer timer_;
  bool busy_ = false;
};

template <class Ask, class Take>
void Queries::ask(QueryHandle& ticket, Ask&& ask, Take&& take, Length length) {
  ticket.withdraw();
  if (!questions_) return;
  auto state = std::make_shared<QueryHandle::State>();
  ticket.state_ = state;
  QPointer<Queries> self(this);
  add(state,
      [self, state, ask = std::forward<Ask>(ask), take = std::forward<Take>(take)](
          const query::Store* store, const std::function<void()>& between) {
        using Answer = decltype(ask(*store, state->cancel));
        std::shared_ptr<Answer> answer;
        std::exception_ptr failed_check;
        try {
          if (!state->cancel.requested())
            answer = std::make_shared<Answer>(ask(*store, state->cancel.with(between)));
        } catch (const query::Cancelled&) {
        } catch (const std::logic_error&) {  // of ours: nobody waits for a result, and it is reported
          failed_check = std::current_exception();
        } catch (const std::exception&) {  // a chunk can no longer be read: no result
        }
        // The object may be gone by now; its queued calls are then dropped.
        if (self)
          QMetaObject::invokeMethod(
              self.data(),
              [self, state, answer, take] {
                if (!self) return;
                const bool wanted = answer && !state->done;
                self->done(state);
                if (wanted) take(std::move(*answer));
              },
              Qt::QueuedConnection);
        if (failed_check) std::rethrow_exception(failed_check);
      },
      length);
}

}  // namespace footlight::app
