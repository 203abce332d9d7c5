// Decoder of the arrays of Arrow's record batches, which come from outside: every length and place is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/arrow/arrow_schema.h"
#include "runtime/memory/buffer.h"
#include "runtime/value/value.h"

namespace pelorus::arrow {

// The strings of the dictionaries of one stream, by their ids.
using Dictionaries = std::map<int64_t, Ref<Vector>>;

// The arrays of one record batch, which are taken in the order of the schema's fields. One thread uses it. Throws
// SystemError for what is damaged.
class BatchDecoder {
public:
    // Called before memory is taken; throws to refuse it.
    using Reserve = std::function<void(int64_t bytes)>;
    // `batch` and `body` live as long as the decoder.
    BatchDecoder(const FlatView& batch, std::string_view body, Reserve reserve);
    // Decodes arrays that are in memory one by one: the lengths and numbers of missing elements of the arrays, 16 bytes
    // each, and the buffers of all, which live as long as the decoder.
    BatchDecoder(int64_t rows, std::string_view nodes, std::vector<std::string_view> buffers);

    int64_t rows() const { return rows_; }
    // Decodes the next column, of a type that typeOf returns.
    Value take(const ArrowField& field, TypeSpec type, const Dictionaries& dictionaries);
    // Passes over the next column. Throws SystemError for types whose parts are not known.
    void skip(const ArrowField& field);

private:
    struct Node {
        int64_t length = 0;
        const uint8_t* validity = nullptr;  // bits; null: all are values
    };
    Node takeNode(const ArrowField& field, int64_t expected);
    std::string_view takeBuffer();
    std::string_view takeBuffer(int64_t elements, size_t elementBytes);
    Ref<Vector> takeElements(const ArrowField& field, TypeSpec type, int64_t rows, const Dictionaries& dictionaries);
    Value takeList(const ArrowField& field, TypeSpec type);
    void takeIndexes(const ArrowField& field, Vector& target, const Node& node, const Dictionaries& dictionaries);
    template <class Offset>
    void takeTexts(Vector& target, const Node& node);
    void takeFixed(const ArrowField& field, Vector& target, const Node& node);
    template <class Offset>
    std::vector<int64_t> takeOffsets(int64_t rows);

    int64_t rows_;
    std::string_view body_, nodes_, places_;
    std::vector<std::string_view> buffers_;  // of arrays in memory, which have no body
    Reserve reserve_;
    int codec_ = -1;
    size_t node_ = 0, buffer_ = 0;
    std::vector<std::unique_ptr<Buffer>> unpacked_;
};

}  // namespace pelorus::arrow
