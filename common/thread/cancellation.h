// CancellationScope sets for a thread the cancellation flag of the request that it works for, for long loops without
// access to the request. parallelFor passes the caller's flag on to its tasks.
#pragma once

#include <atomic>
#include <cstdint>

namespace pelorus {

using CancellationFlag = std::atomic<bool>;

// Scope in which the thread works for the request with this flag; nullptr for none, or for work that several requests
// share.
class CancellationScope {
public:
    explicit CancellationScope(const CancellationFlag* flag);
    ~CancellationScope();
    CancellationScope(const CancellationScope&) = delete;
    CancellationScope& operator=(const CancellationScope&) = delete;

    static const CancellationFlag* current();

private:
    const CancellationFlag* outer_;
};

// Throws UserError when the request was cancelled. It costs about a nanosecond: call it for each piece of work that
// takes microseconds to milliseconds. Allocations of a megabyte or more call it, too.
void checkCancelled();

// Calls f(begin, end) for consecutive pieces of [0, count), and checks for cancellation before each.
template <class F>
void inPieces(int64_t count, F f) {
    constexpr int64_t kPiece = int64_t{1} << 14;
    for (int64_t begin = 0; begin < count; begin += kPiece) {
        checkCancelled();
        f(begin, count - begin < kPiece ? count : begin + kPiece);
    }
}

}  // namespace pelorus
