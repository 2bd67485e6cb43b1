// Counts what operator new is asked for. Replaces the operators of the whole program: include it in one file
// only.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> allocations{0};

void* Count(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size > 0 ? size : 1)) return p;
  std::abort();  // a machine without memory ends the test
}
void* CountAligned(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  std::abort();
}
}  // namespace

// All forms, so that each allocation meets its own deallocation under AddressSanitizer too (std::stable_sort
// uses the nothrow one).
void* operator new(std::size_t size) { return Count(size); }
void* operator new[](std::size_t size) { return Count(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return Count(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return Count(size); }
void* operator new(std::size_t size, std::align_val_t a) { return CountAligned(size, a); }
void* operator new[](std::size_t size, std::align_val_t a) { return CountAligned(size, a); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
