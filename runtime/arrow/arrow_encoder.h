// Encoder of columns as the arrays of Arrow's record batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/arrow/arrow_schema.h"
#include "runtime/value/value.h"

namespace pelorus::arrow {

// The parts of one record batch: the nodes and places of buffers, and the buffers themselves, each at a multiple of 8
// bytes. One thread uses it.
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

    // The record batch as a part of a message.
    FlatBuilder message(int64_t rows) const;
    const std::string& body() const { return body_; }

private:
    void addNode(int64_t length, int64_t nulls);
    void addBuffer(const void* bytes, size_t sizeBytes);
    int64_t addValidity(const Value& column, int64_t begin, int64_t count);
    void addValues(const ArrowField& field, const Value& column, int64_t begin, int64_t count,
                   const std::vector<int32_t>& codes);
    void addTexts(const ArrowField& field, const Value& column, int64_t begin, int64_t count);
    void addLists(const ArrowField& field, const Value& column, int64_t begin, int64_t count);
    template <class Offset>
    void addTextsOf(const Value& column, int64_t begin, int64_t count);

    const int codec_, level_;
    std::string body_;
    std::string nodes_, places_;
    size_t nodeCount_ = 0, bufferCount_ = 0;
};

}  // namespace pelorus::arrow
