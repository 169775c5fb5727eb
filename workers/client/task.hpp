// A coroutine that computes one value and waits on its way there. It begins when it is awaited or
// started, and runs on the thread of whoever resumes it. Destroying a task gives up on it: whatever
// it waits for is forgotten.
//
//   Task<int> sum() {
//     const int first = co_await one();
//     co_return first + 1;
//   }
//
// g++ 12 destroys some temporaries twice in a statement with co_await: a task's arguments and
// braced values that have a destructor are named first.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace workers {

template <class T>
class [[nodiscard]] Task {
 public:
  class promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }

  // Runs it to its first wait. Call it once, on a task that nobody awaits.
  void start() { coroutine_.resume(); }
  bool is_done() const { return coroutine_.done(); }
  // Returns the value once, when it is done.
  T take() { return std::move(*coroutine_.promise().value_); }

  // Begins the task, and resumes whoever awaits it with its value. The task outlives the wait.
  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle coroutine;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) const noexcept {
        coroutine.promise().waiting_ = waiting;
        return coroutine;
      }
      T await_resume() const { return std::move(*coroutine.promise().value_); }
    };
    return Awaiter{coroutine_};
  }

 private:
  template <class Value>
  friend class AllDone;

  explicit Task(Handle coroutine) : coroutine_(coroutine) {}
  // Starts it for somebody who is resumed by the one that counts `left` down to 0.
  void start_for(std::coroutine_handle<> waiting, std::size_t& left) {
    coroutine_.promise().waiting_ = waiting;
    coroutine_.promise().left_ = &left;
    coroutine_.resume();
  }

  Handle coroutine_;
};

template <class T>
class Task<T>::promise_type {
 public:
  Task get_return_object() { return Task(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  auto final_suspend() const noexcept {
    struct End {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(Handle ended) const noexcept {
        const promise_type& promise = ended.promise();
        if (promise.left_ != nullptr && --*promise.left_ > 0) return std::noop_coroutine();
        return promise.waiting_ ? promise.waiting_ : std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    return End{};
  }
  void return_value(T value) { value_.emplace(std::move(value)); }
  [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

 private:
  friend class Task;

  std::optional<T> value_;
  std::coroutine_handle<> waiting_;  // null: nobody awaits it
  std::size_t* left_ = nullptr;      // of the tasks that are awaited together; null: it is alone
};

// Awaits all of some tasks.
template <class T>
class AllDone {
 public:
  // `tasks` outlives it.
  explicit AllDone(std::vector<Task<T>>& tasks) : tasks_(tasks) {}

  bool await_ready() const noexcept { return tasks_.empty(); }
  // False: all were done at once.
  bool await_suspend(std::coroutine_handle<> waiting) {
    left_ = tasks_.size() + 1;
    for (Task<T>& task : tasks_) task.start_for(waiting, left_);
    return --left_ > 0;
  }
  void await_resume() const noexcept {}

 private:
  std::vector<Task<T>>& tasks_;
  std::size_t left_ = 0;
};

// Runs the tasks at the same time, and returns their values in the tasks' order.
template <class T>
Task<std::vector<T>> all_of(std::vector<Task<T>> tasks) {
  AllDone<T> all(tasks);
  co_await all;
  std::vector<T> values;
  values.reserve(tasks.size());
  for (Task<T>& task : tasks) values.push_back(task.take());
  co_return values;
}

}  // namespace workers
