// Encoder of columns as the arrays of Arrow's record batches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/arrow/arrow_schema.h"
#include "runtime/value/gathered_bytes.h"
#include "runtime/value/value.h"

namespace pelorus::arrow {

// Looks for NULLs, and has the vector remember it when there is none. O(elements), unless it is known.
void proveNoNull(const Vector& elements);

// The parts of one record batch: the nodes of arrays and their buffers, each of which begins at a multiple of 8 bytes
// in the body of a message. Elements that stand in Arrow as they do here are referred to, not copied. One thread uses
// it.
class BatchEncoder {
public:
    // `codec`: of the buffers, as packed_buffer.h numbers them, or -1 for none.
    explicit BatchEncoder(int codec = -1, int level = 1) : codec_(codec), level_(level) {}

    // Adds elements [begin, begin + count) of a column as the field says. `codes`, of a column with a dictionary: by
    // the code of a symbol its place in the dictionary.
    void add(const ArrowField& field, const Value& column, int64_t begin, int64_t count,
             const std::vector<int32_t>& codes);
    // Adds the strings of a dictionary.
    void addStrings(const std::vector<std::string_view>& strings);

    // The length of an array, and how many of its elements are missing.
    struct Node {
        int64_t length = 0, nulls = 0;
    };
    // The bytes of one buffer, the encoder's own or those of a column that it keeps.
    struct EncodedBuffer {
        std::string own;
        std::string_view referred;
        std::string_view bytes() const { return referred.data() ? referred : std::string_view(own); }
    };
    // The arrays in the order of the schema, those of lists before those of their elements, and the buffers of all.
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<EncodedBuffer>& buffers() const { return buffers_; }
    // The record batch as a part of a message, and the size of the body that follows it.
    FlatBuilder message(int64_t rows) const;
    int64_t bodyBytes() const;
    // Adds the body to a message; the encoder has no buffers then.
    void moveBody(GatheredBytes& message);

private:
    void addNode(int64_t length, int64_t nulls);
    void addBuffer(std::string bytes);
    void referBuffer(const void* bytes, size_t sizeBytes, const Value& owner);
    bool pack(std::string_view bytes);
    int64_t addValidity(const Value& column, int64_t begin, int64_t count);
    void addValues(const ArrowField& field, const Value& column, int64_t begin, int64_t count,
                   const std::vector<int32_t>& codes);
    void addTexts(const ArrowField& field, const Value& column, int64_t begin, int64_t count);
    void addLists(const ArrowField& field, const Value& column, int64_t begin, int64_t count);
    template <class Offset>
    void addTextsOf(const Value& column, int64_t begin, int64_t count);

    const int codec_, level_;
    std::vector<Node> nodes_;
    std::vector<EncodedBuffer> buffers_;
    std::vector<Value> owners_;  // of the bytes that buffers refer to
};

}  // namespace pelorus::arrow
