// Objects that only one thread may use at a time, and how they say so.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>
#include <type_traits>
#include <utility>

#include "module.h"
#include "taxel/math/error.h"

namespace taxel::python {

/// The process in which the object is in use, or 0. A copy of the object is not in use.
class Busy {
 public:
  Busy() = default;
  Busy(const Busy&) {}
  Busy& operator=(const Busy&) { return *this; }

  /// The one that holds it, or 0 when it is taken now.
  pid_t Take() {
    pid_t holder = 0;
    return holder_.compare_exchange_strong(holder, getpid(), std::memory_order_acquire) ? 0 : holder;
  }
  void Leave() { holder_.store(0, std::memory_order_release); }

 private:
  std::atomic<pid_t> holder_{0};
};

/// Holds the object for one call. @throws Error at once when another call is still under way.
class Hold {
 public:
  Hold(Busy& busy, const char* name) : busy_(busy) {
    if (const pid_t holder = busy.Take()) {
      const std::string who = std::string("this ") + name;
      throw Error(holder == getpid()
                      ? who +
                            " is in use by another thread; give each thread an object of its own, or "
                            "share this one behind a threading.Lock"
                      : who +
                            " was at work in another thread when the process forked, so its state here is "
                            "unfinished; make a new one in this process");
    }
  }
  ~Hold() { busy_.Leave(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Busy& busy_;
};

/// T for Python, used by one thread at a time. `name` is that of the public class.
template <typename T>
struct Alone : T {
  using T::T;
  Alone(T&& object) : T(std::move(object)) {}  // NOLINT: a T is what is made
  Alone(const T& object) : T(object) {}        // NOLINT
  mutable Busy busy;
};

/// What the public class of T is called in messages.
template <typename T>
const char* NameOf();

/// f as a method of Alone<T> that holds the object during the call.
template <typename R, typename T, typename... A>
auto Held(R (*f)(T&, A...)) {
  using Bare = std::remove_const_t<T>;
  return [f](Alone<Bare>& self, A... a) -> R {
    const Hold hold(self.busy, NameOf<Bare>());
    return f(self, std::forward<A>(a)...);
  };
}
template <typename R, typename T, typename... A>
auto Held(R (T::*f)(A...)) {
  return [f](Alone<T>& self, A... a) -> R {
    const Hold hold(self.busy, NameOf<T>());
    return (self.*f)(std::forward<A>(a)...);
  };
}
template <typename R, typename T, typename... A>
auto Held(R (T::*f)(A...) const) {
  return [f](Alone<T>& self, A... a) -> R {
    const Hold hold(self.busy, NameOf<T>());
    return (self.*f)(std::forward<A>(a)...);
  };
}

}  // namespace taxel::python
