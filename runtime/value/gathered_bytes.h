// GatheredBytes is a sequence of bytes in pieces: small ones are copied, the elements of vectors are referred to where
// they are, so that a large result is written without a second copy of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// The bytes of one message, in order. It keeps the values whose bytes it refers to. One thread uses it.
class GatheredBytes {
public:
    // Adds a copy.
    void append(std::string_view bytes);
    // Adds bytes that are kept as they are.
    void take(std::string bytes);
    // Adds bytes within a value that nobody changes: `owner` keeps them.
    void refer(std::string_view bytes, Value owner);
    // Adds the pieces of another message.
    void take(GatheredBytes&& other);

    int64_t size() const { return size_; }
    // Returns the pieces that are not empty, valid until the object changes.
    std::vector<std::string_view> pieces() const;
    // Returns all bytes in one string.
    std::string joined() const;
    void clear();

private:
    // Bytes that the piece has, or refers to.
    struct Piece {
        std::string own;
        std::string_view referred;
        std::string_view view() const { return referred.data() ? referred : std::string_view(own); }
    };
    std::vector<Piece> pieces_;
    std::vector<Value> owners_;
    int64_t size_ = 0;
};

}  // namespace pelorus
