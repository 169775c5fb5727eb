// Counts usable bytes of the C allocator in operator new and delete.
#include "tests/fuzz/memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace fuzz {
namespace {

std::size_t in_use = 0;
std::size_t peak = 0;

void* counted(void* block) {
  if (block == nullptr) return nullptr;
  in_use += malloc_usable_size(block);
  peak = std::max(peak, in_use);
  return block;
}

void* allocate(std::size_t bytes) {
  if (void* block = counted(std::malloc(bytes))) return block;
  throw std::bad_alloc();
}

void release(void* block) {
  if (block != nullptr) in_use -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

std::size_t begin_peak() {
  peak = in_use;
  return in_use;
}

std::size_t peak_bytes() {
  return peak;
}

}  // namespace fuzz

void* operator new(std::size_t bytes) {
  return fuzz::allocate(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return fuzz::counted(std::malloc(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  if (void* block = fuzz::counted(std::aligned_alloc(step, (bytes + step - 1) / step * step))) {
    return block;
  }
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  fuzz::release(block);
}
void operator delete(void* block, std::size_t) noexcept {
  fuzz::release(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  fuzz::release(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  fuzz::release(block);
}
