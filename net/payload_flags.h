// Bits of a request's first option by which a client says what it reads besides the native objects.
#pragma once

#include <cstdint>

// On the network: append, never renumber.
namespace pelorus::request_flag {

constexpr uint32_t kPickle = 8;     // Python's pickle, which is never sent
constexpr uint32_t kArrow = 32768;  // without kPickle: tables as streams of Arrow's IPC format

}  // namespace pelorus::request_flag
