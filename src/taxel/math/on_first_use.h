// A value that is made when it is first asked for, whoever asks.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "taxel/math/error.h"

namespace taxel::internal {

/// Safe from many threads at once: one makes the value, the others wait for it. Afterwards a call costs one
/// load. An Error while making is remembered and thrown again at each call: it is not tried twice.
template <class T>
class OnFirstUse {
 public:
  template <class Make>
  const T& operator()(Make&& make) const {
    if (const T* known = known_.load(std::memory_order_acquire)) return *known;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!error_.empty()) throw Error(error_);
    if (!value_) {
      try {
        value_ = std::make_unique<const T>(make());
      } catch (const Error& e) {
        error_ = e.what();
        throw;
      }
      known_.store(value_.get(), std::memory_order_release);
    }
    return *value_;
  }
  bool made() const { return known_.load(std::memory_order_acquire) != nullptr; }

 private:
  mutable std::atomic<const T*> known_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const T> value_;
  mutable std::string error_;
};

}  // namespace taxel::internal
